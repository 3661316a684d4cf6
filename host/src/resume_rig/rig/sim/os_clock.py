"""The simulated DUT's idea of the time: a clock that stops in sleep and an RTC that is coarse."""

from numpy.random import Generator

_NS_PER_S = 1_000_000_000
_MAX_OFFSET_NS = 4 * _NS_PER_S
_MAX_RATE_PPB = 20_000


class OsClock:
    """OS time [ns since 1970 UTC] as a function of world time [ns].

    The RTC is some seconds off and counts whole seconds. The OS adds half a second to what it
    reads there, so that after a wake it is right to +/-0.5 s against the RTC: real logs show .500
    in every such reading.
    """

    def __init__(self, utc_at_zero_ns: int, random: Generator) -> None:
        self._rtc_at_zero_ns = utc_at_zero_ns + round(random.uniform(-1, 1) * _MAX_OFFSET_NS)
        self._rtc_ppb = round(random.uniform(-1, 1) * _MAX_RATE_PPB)
        self._rate_ppb = round(random.uniform(-1, 1) * _MAX_RATE_PPB)
        self._set_world_ns = 0
        self._set_ns = self._rtc_at_zero_ns
        self._stopped_ns: int | None = None

    def at(self, world_ns: int) -> int:
        """Return OS time at a world time at which the clock runs or stands."""
        if self._stopped_ns is not None:
            return self._stopped_ns
        return self._set_ns + _scaled(world_ns - self._set_world_ns, self._rate_ppb)

    def stop(self, world_ns: int) -> None:
        """Stand still from here: the OS is frozen."""
        self._stopped_ns = self.at(world_ns)

    def set_from_rtc(self, world_ns: int) -> int:
        """Run again from what the RTC says; return that, a whole second and a half."""
        rtc_ns = self._rtc_at_zero_ns + _scaled(world_ns, self._rtc_ppb)
        self._set_ns = rtc_ns // _NS_PER_S * _NS_PER_S + _NS_PER_S // 2
        self._set_world_ns = world_ns
        self._stopped_ns = None
        return self._set_ns

    @property
    def stands(self) -> bool:
        """Return whether the OS is frozen."""
        return self._stopped_ns is not None

    def set_rtc(self, by_ns: int) -> None:
        """Somebody sets the RTC by so much; the OS learns of it when it runs again."""
        self._rtc_at_zero_ns += by_ns

    def step(self, world_ns: int, by_ns: int) -> int:
        """Somebody sets the running clock by so much; return what it says then."""
        self._set_ns = self.at(world_ns) + by_ns
        self._set_world_ns = world_ns
        return self._set_ns


def _scaled(elapsed_ns: int, rate_ppb: int) -> int:
    return elapsed_ns + elapsed_ns * rate_ppb // _NS_PER_S

"""Every log and capture of the repository, damaged event logs, verdicts at the limit, refusals."""

import lzma
import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from golden.ask import ask
from golden.campaigns import page_of, told
from golden.frozen import INPUTS, Answers

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
LOGS = {path.name: path for path in sorted((FIXTURES / "logs").iterdir())}
TRACES = {path.name: path for path in sorted((FIXTURES / "traces").iterdir())}
EVTX = (
    "sound",
    "flipped",
    "zeroed",
    "cut",
    "header",
    "closed",
    "lost",
    "wrapped",
    *(f"struck-{seed}" for seed in range(6)),
)
FILES = (*LOGS, *(f"{name}.evtx" for name in EVTX))
REPORTED = {"every-kind.xml", "power-notes.xml", "xperf-suspend.xml"}

TRACE = ("correlate", "two-s3-cycles.vcd", "--log", "two-s3-cycles.xml")
LIGHT_LIMITS = (1491, 1492, 1493, 1498, 1499, 1500, 1501, 1502, 1507, 1508)
SALEAE = (
    *("correlate", "two-s3-cycles.csv", "--log", "two-s3-cycles.xml"),
    *("--channel", "BUTTON=Channel 0", "--channel", "SLP_S3=~Channel 1"),
    *("--channel", "PWR_OK=Channel 2", "--channel", "PLTRST=Channel 3"),
    *("--channel", "BACKLIGHT=Channel 4"),
)
LIGHT = """
id = "light-{limit}"
version = 1
title = "Light"
source = "a test"
kinds = ["S3"]
[[limit]]
measure = "press_to_light_ns"
at_most = {limit}
unit = "ms"
"""

SHARE = """
id = "share"
version = 1
title = "Most resumes"
source = "a test"
kinds = ["S3"]
[[limit]]
measure = "resume_ms"
at_most = 2
unit = "s"
share = 0.6
confidence = 0.8
"""

QUESTIONS: dict[str, tuple[str, ...]] = {
    # The slowest resume of that log takes 2052 ms, whole milliseconds that are cut off.
    **{
        f"limit {limit} {rule}": ("log", "four-s3-cycles.xml", "--limit-ms", str(limit), rule)
        for limit in (2049, 2050, 2051, 2052, 2053, 2054, 2055)
        for rule in ("--guard-band", "--no-guard-band")
    },
    # Both resumes of that trace take 1500 ms to the light, with 7.4 ms of uncertainty.
    **{
        f"light {limit} {rule}": (*TRACE, "--requirement", f"light-{limit}.toml", rule)
        for limit in LIGHT_LIMITS
        for rule in ("--guard-band", "--no-guard-band")
    },
    "trace": (*TRACE, "--json"),
    "trace, all": (*TRACE, "--all", "--budget"),
    "trace, a pair": (*TRACE, "--pair", "1=104", "--json"),
    "trace, a rate": (*TRACE, "--sample-rate", "1MHz", "--json"),
    "trace, a DUT": (*TRACE, "--dut", "healthy-laptop", "--json"),
    "saleae": (*SALEAE, "--json"),
    "several logs": (
        *("log", "four-s3-cycles.xml", "every-kind.xml", "two-s3-cycles.xml"),
        *("--ignore-first", "--all", "--json"),
    ),
    "one log twice": ("log", "two-s3-cycles.xml", "two-s3-cycles.xml"),
    "first is left out": ("log", "four-s3-cycles.xml", "--ignore-first"),
    "of another kind": ("log", "every-kind.xml", "--kind", "hybrid", "--kind", "S4", "--json"),
    "another requirement": ("log", "every-kind.xml", "--requirement", "s4-rates"),
    "of shares": ("log", "every-kind.xml", "--requirement", "s4-rates", "--json"),
    "a share of the resumes": (
        *("log", "four-s3-cycles.xml", "--requirement", "share.toml", "--json"),
    ),
    "suspends are compared": (
        *("compare", "xperf-suspend.xml", "every-kind.xml", "--kind", "S3", "--json"),
    ),
    "as PwrTest": ("log", "every-kind.xml", "--emit", "pwrtest-xml", "emitted.xml"),
    "logs are compared": ("compare", "two-s3-cycles.xml", "four-s3-cycles.xml", "--json"),
    # What is refused, in one sentence.
    "no verb": (),
    "no such option": ("log", "two-s3-cycles.xml", "--loud"),
    "no such log": ("log", "none.xml"),
    "no log": ("log", "two-s3-cycles.vcd"),
    "an empty log": ("log", "empty.xml"),
    "a log cut off": ("log", "cut.xml", "--json"),
    "a log of noise": ("log", "noise.bin"),
    "a folder": ("log", "nothing"),
    "no such requirement": ("log", "two-s3-cycles.xml", "--requirement", "sysfund-4"),
    "no such kind": ("log", "two-s3-cycles.xml", "--kind", "S9"),
    "no limit": ("log", "two-s3-cycles.xml", "--limit-ms", "-5"),
    "a capture without logs": ("correlate", "two-s3-cycles.vcd"),
    "no such channel": (*TRACE, "--channel", "SLP_S9=D0"),
    "no such signal": (*TRACE, "--channel", "SLP_S3=D77"),
    "no such pair": (*TRACE, "--pair", "9=1"),
    "no pair": (*TRACE, "--pair", "first"),
    "no such rate": (*TRACE, "--sample-rate", "fast"),
    "rate of less than its times": (*TRACE, "--sample-rate", "10Hz"),
    "no such rig": ("run", "--rig", "sim:clock=lunar"),
    "no such DUT": ("run", "--rig", "sim:clock=virtual,seed=1", "--dut", "toaster"),
    "no cycles": ("run", "--rig", "sim:clock=virtual,seed=1", "--cycles", "0"),
    "a dwell too short": ("run", "--rig", "sim:clock=virtual,seed=1", "--dwell", "1s"),
    "a press too long": ("run", "--rig", "sim:clock=virtual,seed=1", "--press", "4s"),
    "no such plan": ("run", "--rig", "sim:clock=virtual,seed=1", "--plan", "none.toml"),
    "a plan with a wrong key": ("run", "--rig", "sim:clock=virtual,seed=1", "--plan", "wrong.toml"),
    "a fault plan with a wrong kind": ("run", "--rig", "sim:clock=virtual,faults=wrong.toml"),
    "no store to go on with": ("run", "--resume", "none.rrs"),
    "no store": ("store", "info", "two-s3-cycles.xml"),
    "no store to check": ("store", "check", "empty.xml"),
    "no campaigns": ("fleet", "nothing"),
    "nothing to compare": ("compare", "two-s3-cycles.xml"),
    "no sessions": ("msa", "nothing"),
    "the duts": ("sim", "--list"),
    "the program's help": ("--help",),
}


def lay_out() -> None:
    """Put logs, captures and what is damaged into the folder in which the process works."""
    for name, path in {**LOGS, **TRACES}.items():
        Path(name).write_bytes(path.read_bytes())
    for name in EVTX:
        packed = (INPUTS / f"{name}.evtx.xz").read_bytes()
        Path(f"{name}.evtx").write_bytes(lzma.decompress(packed))
    sound = LOGS["two-s3-cycles.xml"].read_bytes()
    Path("cut.xml").write_bytes(sound[: len(sound) * 2 // 3])
    Path("empty.xml").write_bytes(b"")
    Path("noise.bin").write_bytes(random.Random(1).randbytes(3000))
    for limit in LIGHT_LIMITS:
        Path(f"light-{limit}.toml").write_text(LIGHT.format(limit=limit), encoding="utf-8")
    Path("nothing").mkdir(exist_ok=True)
    Path("share.toml").write_text(SHARE, encoding="utf-8")
    Path("wrong.toml").write_text('cycles = 4\nnaps = 3\n[[fault]]\nkind = "gremlins"\n')


def log_answers(file: str) -> Answers:
    """Ask of one log."""
    answers: Answers = {}
    page = ("--report", "page.html") if file in REPORTED else ()
    for key, words in (("--json", ("--json",)), ("plain", ("--all", *page))):
        answer = ask("log", file, *words)
        answers[f"{key}: out"], answers[f"{key}: told"] = answer.out, told(answer)
    if page:
        answers["report"] = page_of("page.html")
    return answers


def verbs(*above: str) -> Iterator[tuple[str, ...]]:
    """Yield every verb, and those that a verb has, as the help lists them."""
    _, _, listed = ask(*above, "--help").out.partition("\nverbs:\n")
    for name in re.findall(r"^ {4}([a-z-]+)", listed, re.MULTILINE):
        yield (*above, name)
        yield from verbs(*above, name)


def question_answers() -> Answers:
    """Ask every question."""
    answers: Answers = {}
    helps = {f"help of {' '.join(verb)}": (*verb, "--help") for verb in verbs()}
    for key, words in {**QUESTIONS, **helps}.items():
        answer = ask(*words)
        # argparse breaks lines in another way from one Python to the next.
        out = " ".join(answer.out.split()) if "--help" in words else answer.out
        answers[f"{key}: out"], answers[f"{key}: told"] = out, told(answer)
    answers["as PwrTest"] = Path("emitted.xml").read_text(encoding="utf-8")
    return answers


def _drawn() -> dict[str, bytes]:
    from oslog.evtx_builder import CHUNK, ChunkBuilder, evtx_file
    from oslog.evtx_reference import HEADER, seal
    from oslog.test_evtx_chunks import account

    def chunk(first: int, *, literal: bool) -> bytes:
        builder = ChunkBuilder(1 + first)
        for number in range(first, first + 5):
            assert builder.add(account(number, literal=literal))
        return builder.chunk()

    chunks = [chunk(5 * i, literal=i % 2 == 1) for i in range(6)]
    sound = evtx_file(chunks, 31)
    flipped, header, lost = bytearray(sound), bytearray(sound), bytearray(sound)
    flipped[HEADER + 2 * CHUNK + 900] ^= 4
    header[50] ^= 1
    for place in (HEADER + 512, HEADER + 3 * CHUNK + 512):
        lost[place + 3] = 1
    closed = bytearray(sound[: HEADER + 4 * CHUNK])
    struct.pack_into("<H", closed, 42, 6)
    return {
        "sound": sound,
        "flipped": bytes(flipped),
        "zeroed": sound[: HEADER + CHUNK] + bytes(CHUNK) + sound[HEADER + 2 * CHUNK :],
        "cut": sound[: HEADER + 3 * CHUNK + 30_000],
        "header": bytes(header),
        "closed": bytes(closed),
        "lost": seal(bytes(lost)),
        "wrapped": evtx_file([*chunks[3:], *chunks[:3]], 31),
        **{f"struck-{seed}": _struck(seed, sound) for seed in range(6)},
    }


def _struck(seed: int, sound: bytes) -> bytes:
    """Flip bits within the records, and redo the checksums."""
    from oslog.evtx_reference import CHUNK, HEADER, seal

    rng, changed = random.Random(seed), bytearray(sound)
    for _ in range(6):
        start = HEADER + CHUNK * rng.randrange((len(sound) - HEADER) // CHUNK)
        (used,) = struct.unpack_from("<I", sound, start + 48)
        changed[start + rng.randrange(512, used)] ^= 1 << rng.randrange(8)
    return seal(bytes(changed))


if __name__ == "__main__":
    for drawn, content in _drawn().items():
        (INPUTS / f"{drawn}.evtx.xz").write_bytes(lzma.compress(content, preset=9))

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The rig's instrument, without a board: edge ring, 64-bit time, light blocks, actuator interlock
 * and the commands of SMP group 64.
 *
 * Pure C11. No allocation, no globals, no logging: the caller owns every byte, including the
 * arrays that the configuration points to, which must outlive the core. Unless a function says
 * otherwise it must not run concurrently with another one on the same core; the shell around the
 * core holds a lock (Zephyr) or has one thread (host).
 *
 * The wire is specified in fixtures/wire/rig.cddl. This header is also read by cffi, so it keeps
 * to plain structs, enums, prototypes and integer #defines.
 */
#ifndef RIG_CORE_H
#define RIG_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rig_calibration.h"
#include "rig_loopback.h"
#include "rig_onset.h"
#include "rig_time.h"

#define RIG_PROTOCOL_VERSION 2
#define RIG_SMP_GROUP 64
#define RIG_MAX_ACTUATORS 4
/** Pieces in which an actuator's newest window is kept. */
#define RIG_SPELLS 8
#define RIG_MAX_CHECKS 16
#define RIG_MAX_PAST 8

/* ------------------------------------------------------------------------------------ edges -- */

struct rig_edge {
	uint64_t t_ns;
	uint8_t channel;
	uint8_t level;
};

/**
 * Numbers of the items in a ring, from 0 without gaps. The newest overwrite the oldest; an item
 * that is overwritten before a cursor went past it counts as an overrun. Arithmetic is modulo 2^32:
 * what is up to 2^31 behind is older, all else is ahead.
 */
struct rig_numbering {
	uint32_t capacity;
	/** slot of the next item; 2^32 need not be a multiple of capacity */
	uint32_t head;
	uint32_t held;
	/** number of the next item */
	uint32_t next;
	/** everything below is read; never moves back */
	uint32_t read_to;
	uint32_t overruns;
};

struct rig_edge_ring {
	struct rig_edge *slots;
	struct rig_numbering numbers;
};

/** @param capacity 1 or more */
void rig_edge_ring_init(struct rig_edge_ring *ring, struct rig_edge *slots, uint32_t capacity);

/** Push one edge. O(1), fit for an interrupt handler. */
void rig_edge_ring_push(struct rig_edge_ring *ring, const struct rig_edge *edge);

/** @return number of the oldest edge that is still held (== next when empty) */
uint32_t rig_edge_ring_oldest(const struct rig_edge_ring *ring);

/**
 * Copy edges numbered from cursor on.
 *
 * Everything below cursor counts as read from now on. When cursor is older than the oldest edge
 * held, copying starts at the oldest.
 *
 * @param first set to the number of the first edge copied
 * @return number of edges copied, or -ERANGE when cursor is ahead of next
 */
int rig_edge_ring_read(struct rig_edge_ring *ring, uint32_t cursor, struct rig_edge *out,
		       uint32_t max, uint32_t *first);

/* ------------------------------------------------------------------------------------ light -- */

struct rig_light_block {
	uint64_t t_ns;
	uint16_t min;
	uint16_t mean;
	uint16_t max;
};

/**
 * 1 ms blocks of the photodiode, recorded while armed; a ring like that of the edges. The onset of
 * light is looked for in the same samples.
 */
struct rig_light {
	struct rig_light_block *slots;
	struct rig_numbering numbers;
	/** samples from this time on are ignored */
	uint64_t armed_until_ns;
	/** stamp of the first sample of the block under way, and where it ends */
	uint64_t block_start_ns;
	uint64_t block_end_ns;
	uint64_t sum;
	uint32_t count;
	uint16_t min;
	uint16_t max;
	struct rig_onset onset;
};

/**
 * @param slots    NULL where there is no photodiode
 * @param capacity 1 or more, 0 without slots
 * @param onset    sound; without slots no onset is looked for
 */
void rig_light_init(struct rig_light *light, struct rig_light_block *slots, uint32_t capacity,
		    const struct rig_onset_config *onset);

/**
 * Record until until_ns; what was recorded by an earlier one stays.
 *
 * When none was under way, the onset is looked for anew, as onset.plan says.
 */
void rig_light_arm(struct rig_light *light, uint64_t now_ns, uint64_t until_ns);

/** One sample; ignored unless armed. Blocks end at whole milliseconds of board time. O(1). */
void rig_light_sample(struct rig_light *light, uint64_t t_ns, uint16_t counts);

/**
 * Samples that came together, as from a DMA transfer.
 *
 * The onset takes a stamp that is off by more than half an interval for a gap: a shell derives them
 * from the number of samples, not from when a transfer's interrupt was served.
 *
 * @param t_ns of the first; the others follow at the onset's rate, without which none is taken
 */
void rig_light_samples(struct rig_light *light, uint64_t t_ns, const uint16_t *counts,
		       uint32_t count);

/**
 * Say what is known of the onset of light in the newest recording.
 *
 * Looks through the kept samples once: some tenths of a millisecond on a Cortex-M0+ at 125 MHz for
 * a panel that comes on in 10 ms, up to some milliseconds for one that never reaches its level in
 * them. Not for interrupts.
 */
void rig_light_onset(const struct rig_light *light, uint64_t now_ns,
		     struct rig_onset_result *result);

/* -------------------------------------------------------------------------------- interlock -- */

enum rig_action_state {
	RIG_ACTION_IDLE = 0,
	RIG_ACTION_SCHEDULED = 1,
	RIG_ACTION_DRIVEN = 2,
};

enum rig_actuator_kind {
	/** driven for a time, then released */
	RIG_ACTUATOR_PRESS = 0,
	/** driven until told otherwise (lid: driven = closed) */
	RIG_ACTUATOR_HOLD = 1,
	/** a press of a key that the board sends over USB: no output pin, so no loop-back */
	RIG_ACTUATOR_KEY = 2,
	/** held like a lid; a dry contact, driven = closed */
	RIG_ACTUATOR_CONTACT = 3,
};

struct rig_actuator_config {
	const char *name;
	enum rig_actuator_kind kind;
	/** longest press without force_off */
	uint64_t max_press_ns;
	/** longest press with force_off */
	uint64_t max_force_ns;
	/**
	 * Least time from a release to when it is driven again, so that whatever debounces the line
	 * sees two presses and no hold; 0: none.
	 */
	uint64_t min_release_ns;
	/** Presses without force_off drive at most max_driven_ns of any window_ns; 0: no such cap
	 */
	uint64_t window_ns;
	uint64_t max_driven_ns;
	/** longest hold; 0: none */
	uint64_t max_hold_ns;
};

/** For how long an output was driven between two times. */
struct rig_spell {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t driven_ns;
};

struct rig_actuator {
	enum rig_action_state state;
	/** when it was accepted */
	uint64_t asked_ns;
	uint64_t start_ns;
	/** UINT64_MAX for a hold without a maximum, and for one that opens */
	uint64_t end_ns;
	/** for a HOLD actuator that is scheduled: what it changes to */
	bool target;
	/** the action under way, or the newest one, is named force_off */
	bool force;
	/** what the output is, whoever drives it */
	bool driven;
	/** when it last became so, on the board's clock and not by plan; the start counts as a
	 * release
	 */
	uint64_t driven_ns;
	uint64_t released_ns;
	/** driven without force_off, oldest first */
	struct rig_spell spells[RIG_SPELLS];
	uint32_t spell_count;
	struct rig_replay replay;
};

/** Who asks: the number that a host gives itself, or nobody's. */
struct rig_host {
	bool named;
	uint32_t number;
};

/* ------------------------------------------------------------------------------------- core -- */

/** Error codes of SMP group 64; fixtures/wire/rig.cddl is normative. */
enum rig_error {
	RIG_OK = 0,
	RIG_ERR_UNKNOWN = 1,
	/** not the CBOR that the command takes */
	RIG_ERR_BAD_REQUEST = 2,
	/** no such actuator, or not one of that kind */
	RIG_ERR_NO_ACTUATOR = 3,
	/** longer than the maximum and not named force_off, or longer than that one's maximum */
	RIG_ERR_TOO_LONG = 4,
	/** zero, or below the least that light can be judged by */
	RIG_ERR_TOO_SHORT = 5,
	/** something is driven or scheduled, or light is recorded with other settings */
	RIG_ERR_BUSY = 6,
	/** `at` is over */
	RIG_ERR_TOO_LATE = 7,
	/** `at` is further ahead than the lease */
	RIG_ERR_TOO_EARLY = 8,
	/** cursor ahead of what was captured */
	RIG_ERR_CURSOR = 9,
	/** this board has no light channel */
	RIG_ERR_NO_LIGHT = 10,
	/** this board does not look for the onset of light */
	RIG_ERR_NO_ONSET = 11,
	/** `boot` is not this boot's */
	RIG_ERR_OTHER_BOOT = 12,
	/** the clock is an RC oscillator: nothing measured with it is a calibration */
	RIG_ERR_NO_CRYSTAL = 13,
	/** `ch` names no channel, or one that the board has not */
	RIG_ERR_NO_CHANNEL = 14,
	/** this board has no memory that keeps a calibration, or that one failed */
	RIG_ERR_NO_STORE = 15,
	/** the newest loop-back since boot did not end well, or there was none */
	RIG_ERR_NO_RESULT = 16,
	/** the actuator was released less than its least release time ago */
	RIG_ERR_TOO_SOON = 17,
	/** presses without force_off would drive the actuator for too much of a window */
	RIG_ERR_TOO_MUCH = 18,
	/** another host's action is under way */
	RIG_ERR_OTHER_HOST = 19,
	/** this board is no keyboard */
	RIG_ERR_NO_KEYBOARD = 20,
	/** no bootloader that the firmware can start */
	RIG_ERR_NO_BOOTLOADER = 21,
	/** this board has no power monitor */
	RIG_ERR_NO_POWER = 22,
	/** `nonce` is missing, or not the one of this boot */
	RIG_ERR_NO_NONCE = 23,
};

enum rig_command {
	RIG_CMD_INFO = 0,
	RIG_CMD_TIME = 1,
	RIG_CMD_EDGES = 2,
	RIG_CMD_LEVELS = 3,
	RIG_CMD_PRESS = 4,
	RIG_CMD_LID = 5,
	RIG_CMD_RELEASE = 6,
	RIG_CMD_LIGHT = 7,
	RIG_CMD_SELFTEST = 8,
	RIG_CMD_FAULTS = 9,
	RIG_CMD_ONSET = 10,
	RIG_CMD_LOOPBACK = 11,
	RIG_CMD_CALIBRATION = 12,
	RIG_CMD_SAMPLES = 13,
	RIG_CMD_CONTACT = 14,
	RIG_CMD_KEYBOARD = 15,
	RIG_CMD_BOOTLOADER = 16,
	RIG_CMD_POWER = 17,
	RIG_CMD_PERMIT = 18,
};

struct rig_channel_config {
	const char *name;
	uint32_t resolution_ns;
	/** from the DUT's pin to the stamp, and what is left of it, without a calibration */
	uint32_t delay_ns;
	uint32_t uncertainty_ns;
	/** the front end's share of both: what a loop-back at the board's own pins leaves out */
	uint32_t front_end_delay_ns;
	uint32_t front_end_uncertainty_ns;
};

struct rig_check {
	const char *name;
	bool ok;
	int64_t value;
};

/** What the supply of the DUT took, as a power monitor averaged it up to t_ns. */
struct rig_power_sample {
	uint64_t t_ns;
	/** at the load's side of the shunt */
	int32_t bus_uv;
	int32_t current_ua;
};

/** All 0 where there is no power monitor. */
struct rig_power_config {
	struct rig_power_sample *slots;
	uint32_t capacity;
	/** from sample to sample, and how much of that one is the average of */
	uint64_t period_ns;
	uint64_t window_ns;
	uint32_t shunt_uohm;
	uint32_t shunt_tolerance_ppm;
};

/** What a keyboard's bus looks like; fixtures/wire/rig.cddl is normative. */
enum rig_keyboard_state {
	RIG_KEYBOARD_DETACHED = 0,
	RIG_KEYBOARD_SUSPENDED = 1,
	RIG_KEYBOARD_READY = 2,
};

/** The board as a keyboard of the DUT. */
struct rig_keyboard {
	enum rig_keyboard_state state;
	/** the DUT's OS has armed it: SET_FEATURE(DEVICE_REMOTE_WAKEUP) */
	bool armed;
	/** since boot: reports that the DUT took, remote wakeups that were signalled, presses of
	 * which the DUT got neither
	 */
	uint32_t reports;
	uint32_t wakeups;
	uint32_t undelivered;
};

/** An earlier boot, as the board last noted it. */
struct rig_past {
	uint32_t boot_id;
	/** how it ended: the reset reason that the next boot found */
	const char *reason;
	uint64_t up_ns;
	uint32_t edge_overruns;
	uint32_t light_overruns;
	uint32_t refusals;
	uint32_t lease_expiries;
};

struct rig_config {
	const char *firmware;
	const char *board;
	const char *clock_source;
	uint32_t clock_hz;
	uint32_t clock_tolerance_ppb;
	/** the clock is a crystal, not an RC oscillator, so that it may be calibrated */
	bool crystal;
	/** what stamps edges: "gpio-interrupt", "pio", "timer-capture", "simulated"; NULL: untold
	 */
	const char *edge_source;
	uint32_t boot_id;
	/**
	 * What a host must have read in this boot for what is hard to undo; 1 to INT64_MAX, drawn
	 * anew at each boot. A boot id is in reports and stores; this number is nowhere but in the
	 * reply to `info`.
	 */
	uint64_t nonce;
	const char *reset_reason;
	uint32_t watchdog_resets;
	/** newest first, at most RIG_MAX_PAST; NULL and 0 without memory that outlives a reset */
	const struct rig_past *past;
	uint32_t past_count;
	/** file name of the DUT's log on a simulated bench, NULL elsewhere */
	const char *dut_log;
	uint64_t lease_ns;
	const struct rig_channel_config *channels;
	uint32_t channel_count;
	const struct rig_actuator_config *actuators;
	uint32_t actuator_count;
	struct rig_edge *edge_slots;
	uint32_t edge_capacity;
	/** NULL and 0 where there is no photodiode */
	struct rig_light_block *light_slots;
	uint32_t light_capacity;
	/** all 0 where no onset of light is looked for */
	struct rig_onset_config onset;
	/** board time in ns; must not go back */
	uint64_t (*now_ns)(void *context);
	/** drive (true) or release an actuator; must not call back into the core */
	void (*drive)(void *context, uint32_t actuator, bool driven);
	/** fill up to max checks, return how many; may be NULL */
	uint32_t (*selftest)(void *context, struct rig_check *checks, uint32_t max);
	struct rig_power_config power;
	/** what the board is as a keyboard; NULL where it is none */
	void (*keyboard)(void *context, struct rig_keyboard *keyboard);
	/** as stored at an earlier time; what does not fit the board is left out */
	struct rig_calibration calibration;
	/** what keeps a calibration: "flash", "retained"; NULL where there is no store */
	const char *store_name;
	/**
	 * Keep a calibration over resets; it is copied. Asked only while nothing is driven or
	 * scheduled. May hand over and lose edges, but not call back into the core otherwise.
	 *
	 * @return 0, or -errno when nothing was kept; NULL where there is no such memory
	 */
	int (*store)(void *context, const struct rig_calibration *calibration);
	/**
	 * Leave the firmware for a bootloader that takes images from a host; outputs are released.
	 * Does not return where it can leave. NULL where there is no such bootloader.
	 */
	void (*leave)(void *context);
	void *context;
};

struct rig_core {
	struct rig_config config;
	struct rig_edge_ring edges;
	struct rig_light light;
	struct rig_numbering power;
	struct rig_actuator actuators[RIG_MAX_ACTUATORS];
	struct rig_loopback loopback;
	/** in force; that of the configuration at the start */
	struct rig_calibration calibration;
	/** bit n: level of channel n */
	uint32_t levels;
	/** whose actions are under way; only its requests renew the lease until all are over */
	struct rig_host owner;
	uint64_t last_contact_ns;
	bool lease_running;
	/** when the board leaves for its bootloader, and nothing is driven until then; 0: stays */
	uint64_t leave_ns;
	/** one command of the image group that writes, or one reset, may come before; 0: none */
	uint64_t permit_until_ns;
	uint32_t refusals;
	uint32_t lease_expiries;
};

/**
 * Initialise, and release every actuator.
 *
 * @param levels initial level of each channel, bit n for channel n
 * @retval 0
 * @retval -EINVAL a required pointer is NULL, a count is 0 or above its maximum, the lease is 0,
 *                 the nonce is out of range, an onset is to be looked for without light or at a
 *                 rate out of range, there are samples of power without a period, there is a
 *                 store without a name, or an actuator's window has no room for its longest press
 */
int rig_core_init(struct rig_core *core, const struct rig_config *config, uint32_t levels);

/**
 * A channel changed. Repeats of the present level are dropped. Those of channels that are wired to
 * the output of a running loop-back count for that one and do not go into the ring.
 *
 * Fit for an interrupt handler, when the shell's lock is one that interrupts hold back.
 */
void rig_core_edge(struct rig_core *core, uint32_t channel, bool level, uint64_t t_ns);

/** Edges happened that the shell could not hand over: they count as overruns. */
void rig_core_lose_edges(struct rig_core *core, uint32_t count);

/** One sample of the power monitor; dropped where there is none. O(1). */
void rig_core_power(struct rig_core *core, const struct rig_power_sample *sample);

/** Samples of light were lost on the way: they count as overruns of light. */
void rig_core_lose_light(struct rig_core *core, uint32_t count);

/**
 * Do what is due: start and end presses, change the output of a loop-back, let go when the lease is
 * over, leave for the bootloader.
 *
 * An action ends at the latest when this is called; the shell calls it at rig_core_deadline(), and
 * with every edge handed over that was stamped before.
 */
void rig_core_tick(struct rig_core *core, uint64_t now_ns);

/** @return board time of the next thing to do, UINT64_MAX when there is none */
uint64_t rig_core_deadline(const struct rig_core *core);

/** Let go of every actuator, forget what was scheduled, and stop a loop-back. */
void rig_core_release(struct rig_core *core);

/**
 * Whether a command of another group may do what is hard to undo: the shell asks before a reset and
 * before anything of the image group is written. One permit is good for one command; a refusal is
 * counted.
 */
bool rig_core_take_permit(struct rig_core *core, uint64_t now_ns);

/**
 * Answer one request of group 64.
 *
 * @param write  the SMP operation was "write", else "read"
 * @param rx_ns  board time at which the request had arrived; renews the lease when the request can
 *               be decoded and comes from the host whose actions are under way, if any are
 * @param out_len set to the length of the CBOR map written to out
 * @return an SMP (mcumgr) return code: 0, also when out holds a group error {"err": {...}}; 3
 *         (EINVAL) never: malformed CBOR is RIG_ERR_BAD_REQUEST; 7 (EMSGSIZE) when out is too
 *         small; 8 (ENOTSUP) for an unknown command or operation
 */
int rig_core_request(struct rig_core *core, uint32_t command, bool write, uint64_t rx_ns,
		     const uint8_t *in, size_t in_len, uint8_t *out, size_t out_cap,
		     size_t *out_len);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the files of the core say to each other and nobody else hears.
 */
#ifndef RIG_INTERNAL_H
#define RIG_INTERNAL_H

#include "rig_core.h"

#include <zcbor_common.h>

/** SMP (mcumgr) return codes; those that the core uses. */
#define RIG_SMP_OK 0
#define RIG_SMP_EMSGSIZE 7
#define RIG_SMP_ENOTSUP 8

/**
 * A reply buffer below this is refused before anything is done, so that no action is ever taken
 * whose answer does not fit, and no read by cursor stands still: the longest action reply has 39
 * bytes, the one to arming light 48, one light block with the longest frame 66, one edge less.
 */
#define RIG_REPLY_MIN 72

#define RIG_NS_PER_MS UINT64_C(1000000)
#define RIG_NS_PER_S UINT64_C(1000000000)

/** Saturating sum of two times. */
static inline uint64_t rig_add_ns(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > UINT64_MAX - b_ns ? UINT64_MAX : a_ns + b_ns;
}

/** The greater one of two times. */
static inline uint64_t rig_max_ns(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* ------------------------------------------------------------------------------------ rings -- */

void rig_numbering_init(struct rig_numbering *numbers, uint32_t capacity);

/**
 * Make place for one more item; counts an overrun when that costs an unread one.
 *
 * @return slot to write
 */
uint32_t rig_numbering_claim(struct rig_numbering *numbers);

/**
 * Note that everything below cursor is read, and find what is held from there on.
 *
 * @param first set to the number of the first item held (cursor, or the oldest one)
 * @param count set to how many are held from there
 * @retval 0
 * @retval -ERANGE cursor is ahead of next
 */
int rig_numbering_seek(struct rig_numbering *numbers, uint32_t cursor, uint32_t *first,
		       uint32_t *count);

/** @return slot of an item that is held */
uint32_t rig_numbering_slot(const struct rig_numbering *numbers, uint32_t number);

/** @return whether the fields agree with each other */
bool rig_numbering_is_sound(const struct rig_numbering *numbers);

/* ------------------------------------------------------------------------------------ light -- */

/** @return whether samples are recorded at now_ns */
static inline bool rig_light_is_recording(const struct rig_light *light, uint64_t now_ns)
{
	return now_ns < light->armed_until_ns;
}

/** Close the block under way when the recording is over. */
void rig_light_expire(struct rig_light *light, uint64_t now_ns);

/** Levels are in 1/256 counts. */
#define RIG_Q8 8u
#define RIG_COUNT_Q8 256u
/** So many samples above a limit, in a short time, make light of the first one. */
#define RIG_ONSET_HITS 3u
/** So many standard deviations above the baseline are light. */
#define RIG_ONSET_SIGMAS 8u

/** @return whether further samples can change what is known */
static inline bool rig_onset_is_running(const struct rig_onset *onset)
{
	return onset->phase >= RIG_PHASE_BASELINE && onset->phase <= RIG_PHASE_SETTLING;
}

/** @return number of the oldest sample that the ring of the onset holds (== end when empty) */
static inline uint32_t rig_onset_oldest(const struct rig_onset *onset)
{
	uint32_t capacity = onset->config.capacity;

	return onset->end > capacity ? onset->end - capacity : 0u;
}

/** @return a sample that the ring holds, by its number */
static inline uint16_t rig_onset_kept(const struct rig_onset *onset, uint32_t number)
{
	uint32_t behind = onset->end - number;
	uint32_t head = onset->head;

	return onset->config
		.slots[behind <= head ? head - behind : head + (onset->config.capacity - behind)];
}

/* -------------------------------------------------------------------------------- interlock -- */

struct rig_action {
	struct rig_host host;
	uint32_t actuator;
	uint32_t token;
	/** of a press */
	uint64_t duration_ns;
	bool force;
	/** of a lid or a contact */
	bool closed;
	bool has_at;
	uint64_t at_ns;
	uint32_t boot_id;
	/** of a press that is named force_off; 0: none */
	uint64_t nonce;
	/** set by a refusal: how much later than asked it would be taken; 0: not known */
	uint64_t left_ns;
};

/** @return how much of a spell, taken to end when it did, is later than from_ns */
static inline uint64_t rig_spell_since(const struct rig_spell *spell, uint64_t from_ns)
{
	uint64_t since_ns = spell->end_ns > from_ns ? spell->end_ns - from_ns : 0u;

	return since_ns < spell->driven_ns ? since_ns : spell->driven_ns;
}

/** @return whether a request is meant for another boot */
static inline bool rig_core_is_other_boot(const struct rig_core *core, uint32_t boot_id)
{
	return boot_id != core->config.boot_id;
}

/** What a request must show that does what is hard to undo. */
static inline enum rig_error rig_core_sight_error(const struct rig_core *core, uint32_t boot_id,
						  uint64_t nonce)
{
	if (rig_core_is_other_boot(core, boot_id)) {
		return RIG_ERR_OTHER_BOOT;
	}
	return nonce == core->config.nonce ? RIG_OK : RIG_ERR_NO_NONCE;
}

/** A host was understood that was heard at rx_ns: its lease is renewed, if it is the owner. */
void rig_interlock_contact(struct rig_core *core, const struct rig_host *host, uint64_t rx_ns,
			   uint64_t now_ns);

/** Start or schedule a press, unless its token is known; refusals are counted. */
enum rig_error rig_interlock_press(struct rig_core *core, struct rig_action *action,
				   uint64_t now_ns);

/** Move or schedule a held actuator; as rig_interlock_press(). */
enum rig_error rig_interlock_hold(struct rig_core *core, struct rig_action *action,
				  uint64_t now_ns);

/** So many silences, after which nothing begins any more that was scheduled, are a lease. */
#define RIG_SILENCES 3u

/** @return whether the actuator is driven at present */
bool rig_interlock_is_driven(const struct rig_core *core, uint32_t actuator);

/**
 * @return whether no press and no loop-back is under way and nothing is scheduled; a lid may be
 *         held closed
 */
bool rig_interlock_is_quiet(const struct rig_core *core);

/** @return whether nothing is driven, scheduled or looped back */
bool rig_interlock_is_idle(const struct rig_core *core);

/**
 * From the answer to leaving for the bootloader. Assumed: an answer of one packet is with a host
 * that drains its port slowly (some milliseconds a packet) by then.
 */
#define RIG_LEAVE_AFTER_NS (100u * RIG_NS_PER_MS)

/** Leave for the bootloader soon, unless anything is driven; refusals are counted. */
enum rig_error rig_interlock_leave(struct rig_core *core, uint32_t boot_id, uint64_t nonce,
				   uint64_t now_ns);

/**
 * Permit one command of another group until the lease would be over; refusals are counted. A
 * permit does not add up with an earlier one.
 */
enum rig_error rig_interlock_permit(struct rig_core *core, uint32_t boot_id, uint64_t nonce,
				    uint64_t now_ns);

/* -------------------------------------------------------------------------------- loop-back -- */

struct rig_loopback_plan {
	struct rig_host host;
	uint32_t actuator;
	/** bit n: channel n */
	uint32_t wired;
	uint32_t token;
	uint32_t count;
	uint64_t gap_ns;
	uint32_t boot_id;
	/** as of an action */
	uint64_t left_ns;
};

/** Start a loop-back, unless its token is known; refusals are counted. */
enum rig_error rig_interlock_loop(struct rig_core *core, struct rig_loopback_plan *plan,
				  uint64_t now_ns);

/** @return what is wrong with a plan for an actuator that the board has */
enum rig_error rig_loopback_plan_error(const struct rig_loopback_plan *plan,
				       const struct rig_config *config);

/** @param levels of the channels, bit n for channel n, with the output released */
void rig_loopback_begin(struct rig_loopback *loopback, const struct rig_loopback_plan *plan,
			uint32_t levels, uint64_t now_ns);

/** @return board time of the next change or of the end, UINT64_MAX when none is running */
uint64_t rig_loopback_deadline(const struct rig_loopback *loopback);

/** What is to be done with the output. */
enum rig_loopback_step { RIG_LOOPBACK_NOTHING, RIG_LOOPBACK_DRIVE, RIG_LOOPBACK_RELEASE };

/** Go on by the one thing that is due; unless it is the end, rig_loopback_changed() follows. */
enum rig_loopback_step rig_loopback_turn(struct rig_loopback *loopback);

/** The output was changed between two readings of the clock. The next one is due after now_ns. */
void rig_loopback_changed(struct rig_loopback *loopback, bool driven, uint64_t before_ns,
			  uint64_t after_ns, uint64_t now_ns);

/** End it early; the caller releases the output. */
void rig_loopback_stop(struct rig_loopback *loopback);

/** @return whether the edge was one of a wired channel, and is counted here */
bool rig_loopback_edge(struct rig_loopback *loopback, uint32_t channel, bool level, uint64_t t_ns);

/** Edges were lost while it was running. */
void rig_loopback_lose(struct rig_loopback *loopback, uint32_t count);

/** @return whether it is done, all edges were seen and none was too many */
bool rig_loopback_ended_well(const struct rig_loopback *loopback);

/* ------------------------------------------------------------------------------ calibration -- */

/** Take over the configuration's, without what does not fit the board. */
void rig_calibration_load(struct rig_core *core);

/** @return a channel's delay and uncertainty with the calibration in force */
uint32_t rig_calibration_delay_ns(const struct rig_core *core, uint32_t channel);
uint32_t rig_calibration_uncertainty_ns(const struct rig_core *core, uint32_t channel);

/** Take the latencies of a loop-back that ended well; other channels keep theirs. */
void rig_calibration_take(struct rig_calibration *calibration, const struct rig_loopback *loopback);

/** The key "lat" and its list. */
bool rig_calibration_put_latencies(const struct rig_calibration *calibration, zcbor_state_t *out);

/* ------------------------------------------------------------------------------------- wire -- */

enum rig_field_kind {
	RIG_FIELD_BOOL,
	RIG_FIELD_U8,
	RIG_FIELD_U32,
	RIG_FIELD_U64,
	RIG_FIELD_I32,
};

/** One key of a request. */
struct rig_field {
	const char *key;
	enum rig_field_kind kind;
	bool optional;
	bool present;
	/** unsigned integers, 0 or 1 for RIG_FIELD_BOOL, an int64_t made unsigned for RIG_FIELD_I32
	 */
	uint64_t value;
};

/**
 * Length of the CBOR item at the start of bytes.
 *
 * Takes definite lengths and shortest heads only, and no more than 8 levels, in a loop: a hostile
 * request must not cost more stack than an honest one.
 *
 * @return 0 when the bytes are not such an item
 */
size_t rig_wire_item_len(const uint8_t *bytes, size_t len);

/** Decode a request: one map, nothing behind it, unknown keys skipped, known ones at most once. */
enum rig_error rig_wire_decode(const uint8_t *in, size_t in_len, struct rig_field *fields,
			       size_t field_count);

/** Start a map of a known number of pairs, of definite length whether or not ZCBOR_CANONICAL. */
bool rig_wire_put_map(zcbor_state_t *out, uint32_t pairs);

/** Start a list of a known number of items; likewise. */
bool rig_wire_put_list(zcbor_state_t *out, uint32_t items);

/** A text of C, NULL counting as empty. */
bool rig_wire_put_text(zcbor_state_t *out, const char *text);

/** Key and value. */
bool rig_wire_put_u32(zcbor_state_t *out, const char *key, uint32_t value);
bool rig_wire_put_u64(zcbor_state_t *out, const char *key, uint64_t value);
bool rig_wire_put_i32(zcbor_state_t *out, const char *key, int32_t value);

/**
 * Start a byte string, whose bytes the caller writes.
 *
 * @param bytes set to where the len bytes stand
 * @return whether they fit
 */
bool rig_wire_put_bytes(zcbor_state_t *out, uint32_t len, uint8_t **bytes);

/** @return bytes that are left in the reply */
size_t rig_wire_room(const zcbor_state_t *out);

/* --------------------------------------------------------------------------------- commands -- */

/** The most keys that a request has. */
#define RIG_FIELDS_MAX 7

/** One request, as its handler sees it. */
struct rig_request {
	uint64_t rx_ns;
	/** board time when handling began */
	uint64_t now_ns;
	struct rig_host host;
	/** those of its command, decoded */
	struct rig_field fields[RIG_FIELDS_MAX + 1];
	zcbor_state_t *out;
	/** cleared by an encoder for which the reply buffer is too small */
	bool fits;
	/** of a refusal: how much later than asked the request would be taken; 0: not known */
	uint64_t left_ns;
};

/** A command with one operation: what it is asked with, and what it does. */
struct rig_handler {
	enum rig_command command;
	bool write;
	const struct rig_field *fields;
	size_t field_count;
	/** One call, encode. One that returns an error must not have encoded anything. */
	enum rig_error (*run)(struct rig_core *core, struct rig_request *request);
};

/**
 * Every handler, by its name; a new command has a file with its handler, a line here and its number
 * in rig_core.h.
 */
#define RIG_HANDLERS(X)                                                                            \
	X(info)                                                                                    \
	X(time)                                                                                    \
	X(edges)                                                                                   \
	X(levels)                                                                                  \
	X(press)                                                                                   \
	X(lid)                                                                                     \
	X(release)                                                                                 \
	X(light)                                                                                   \
	X(light_arm)                                                                               \
	X(selftest)                                                                                \
	X(faults)                                                                                  \
	X(onset)                                                                                   \
	X(loopback)                                                                                \
	X(loopback_start)                                                                          \
	X(calibration)                                                                             \
	X(calibration_write)                                                                       \
	X(samples)                                                                                 \
	X(contact)                                                                                 \
	X(keyboard)                                                                                \
	X(power)                                                                                   \
	X(bootloader)                                                                              \
	X(permit)

#define RIG_DECLARE_HANDLER(name) extern const struct rig_handler rig_handler_##name;
RIG_HANDLERS(RIG_DECLARE_HANDLER)

#endif

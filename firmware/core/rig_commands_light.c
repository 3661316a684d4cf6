/* SPDX-License-Identifier: Apache-2.0 */
/* Commands about the recording of light as a whole: arm it, and tell its onset. */
#include "rig_internal.h"

enum { DURATION, BASE, SETTLE, FIELDS };

static const struct rig_field arm_fields[FIELDS] = {
	[DURATION] = {.key = "dur", .kind = RIG_FIELD_U64},
	[BASE] = {.key = "base", .kind = RIG_FIELD_U64, .optional = true},
	[SETTLE] = {.key = "settle", .kind = RIG_FIELD_U64, .optional = true},
};

static uint64_t whole_frames(uint64_t duration_ns)
{
	uint64_t beyond = duration_ns % RIG_ONSET_FRAME_NS;

	return beyond == 0u ? duration_ns : duration_ns + (RIG_ONSET_FRAME_NS - beyond);
}

static enum rig_error check_range(uint64_t duration_ns, uint64_t least_ns, uint64_t most_ns)
{
	if (duration_ns < least_ns) {
		return RIG_ERR_TOO_SHORT;
	}
	return duration_ns > most_ns ? RIG_ERR_TOO_LONG : RIG_OK;
}

/** The longest baseline: in samples it is bounded, too. */
static uint64_t longest_base_ns(uint32_t rate_hz)
{
	uint64_t most_ns = RIG_ONSET_BASE_MAX_SAMPLES * RIG_NS_PER_S / rate_hz;

	most_ns -= most_ns % RIG_ONSET_FRAME_NS;
	return most_ns < RIG_ONSET_BASE_MAX_NS ? most_ns : RIG_ONSET_BASE_MAX_NS;
}

/** What is not asked for stays with a recording that goes on, and is the usual for a new one. */
static enum rig_error make_plan(const struct rig_light *light, const struct rig_field *fields,
				bool goes_on, struct rig_onset_plan *plan)
{
	const struct rig_onset *onset = &light->onset;
	enum rig_error error = RIG_OK;

	*plan = goes_on ? onset->plan
			: (struct rig_onset_plan){.base_ns = RIG_ONSET_BASE_NS,
						  .settle_ns = RIG_ONSET_SETTLE_NS};
	if (!fields[BASE].present && !fields[SETTLE].present) {
		return RIG_OK;
	}
	if (onset->config.slots == NULL) {
		return RIG_ERR_NO_ONSET;
	}
	if (fields[BASE].present) {
		error = check_range(fields[BASE].value, RIG_ONSET_BASE_MIN_NS,
				    longest_base_ns(onset->config.rate_hz));
		plan->base_ns = whole_frames(fields[BASE].value);
	}
	if (error == RIG_OK && fields[SETTLE].present) {
		error = check_range(fields[SETTLE].value, RIG_ONSET_SETTLE_MIN_NS,
				    RIG_ONSET_SETTLE_MAX_NS);
		plan->settle_ns = whole_frames(fields[SETTLE].value);
	}
	if (error == RIG_OK && goes_on &&
	    (plan->base_ns != onset->plan.base_ns || plan->settle_ns != onset->plan.settle_ns)) {
		return RIG_ERR_BUSY;
	}
	return error;
}

static bool put_armed(const struct rig_core *core, zcbor_state_t *out)
{
	const struct rig_light *light = &core->light;
	bool onset = light->onset.config.slots != NULL;

	return rig_wire_put_map(out, onset ? 4u : 2u) &&
	       rig_wire_put_u32(out, "boot", core->config.boot_id) &&
	       rig_wire_put_u64(out, "until", light->armed_until_ns) &&
	       (!onset || (rig_wire_put_u64(out, "base", light->onset.plan.base_ns) &&
			   rig_wire_put_u64(out, "settle", light->onset.plan.settle_ns)));
}

static enum rig_error arm(struct rig_core *core, struct rig_request *request)
{
	const struct rig_field *fields = request->fields;
	struct rig_light *light = &core->light;
	struct rig_onset_plan plan;
	enum rig_error error;

	if (light->slots == NULL) {
		return RIG_ERR_NO_LIGHT;
	}
	if (fields[DURATION].value == 0u) {
		return RIG_ERR_TOO_SHORT;
	}
	error = make_plan(light, fields, rig_light_is_recording(light, request->now_ns), &plan);
	if (error != RIG_OK) {
		return error;
	}
	light->onset.plan = plan;
	rig_light_arm(light, request->now_ns, rig_add_ns(request->now_ns, fields[DURATION].value));
	request->fits = put_armed(core, request->out);
	return RIG_OK;
}

const struct rig_handler rig_handler_light_arm = {
	.command = RIG_CMD_LIGHT,
	.write = true,
	.fields = arm_fields,
	.field_count = FIELDS,
	.run = arm,
};

/* -------------------------------------------------------------------------------- onset -- */

/** Which groups of keys a state has. */
struct shown {
	bool base;
	bool first;
	bool level;
};

static struct shown shown_in(enum rig_onset_state state)
{
	switch (state) {
	case RIG_ONSET_IDLE:
	case RIG_ONSET_DARK:
	case RIG_ONSET_NO_BASELINE:
	case RIG_ONSET_LOST:
		return (struct shown){.base = false};
	case RIG_ONSET_RISING:
	case RIG_ONSET_NO_LIGHT:
		return (struct shown){.base = true};
	case RIG_ONSET_NOT_SETTLED:
	case RIG_ONSET_UNSTABLE:
	case RIG_ONSET_SATURATED:
		return (struct shown){.base = true, .first = true};
	case RIG_ONSET_OK:
		return (struct shown){.base = true, .first = true, .level = true};
	}
	return (struct shown){.base = false};
}

static bool put_base(const struct rig_onset_result *result, zcbor_state_t *out)
{
	return rig_wire_put_u32(out, "base", result->base_q8) &&
	       rig_wire_put_u32(out, "sig", result->sigma_q8) &&
	       rig_wire_put_u32(out, "peak", result->peak);
}

static bool put_first(const struct rig_onset_result *result, zcbor_state_t *out)
{
	return rig_wire_put_u64(out, "first", result->first_ns) &&
	       rig_wire_put_u32(out, "res", result->resolution_ns);
}

static bool put_level(const struct rig_onset_result *result, zcbor_state_t *out)
{
	return rig_wire_put_u64(out, "t50", result->half_ns) &&
	       rig_wire_put_u64(out, "t90", result->ninety_ns) &&
	       rig_wire_put_u32(out, "lvl", result->level_q8) &&
	       rig_wire_put_u32(out, "pwm", result->pwm_mhz) &&
	       rig_wire_put_u32(out, "duty", result->duty_ppm) &&
	       rig_wire_put_u32(out, "u", result->pwm_uncertainty_ns);
}

static enum rig_error tell_onset(struct rig_core *core, struct rig_request *request)
{
	zcbor_state_t *out = request->out;
	struct rig_onset_result result;
	struct shown shown;
	uint32_t pairs = 2;

	if (core->light.slots == NULL) {
		return RIG_ERR_NO_LIGHT;
	}
	if (core->light.onset.config.slots == NULL) {
		return RIG_ERR_NO_ONSET;
	}
	rig_light_onset(&core->light, request->now_ns, &result);
	shown = shown_in(result.state);
	/* A slow onset of which not even the first light is held any more: the state says it. */
	shown.first = shown.first && result.first_ns != RIG_ONSET_NEVER;
	pairs += (shown.base ? 3u : 0u) + (shown.first ? 2u : 0u) + (shown.level ? 6u : 0u);
	request->fits = rig_wire_put_map(out, pairs) &&
			rig_wire_put_u32(out, "boot", core->config.boot_id) &&
			rig_wire_put_u32(out, "st", (uint32_t)result.state) &&
			(!shown.base || put_base(&result, out)) &&
			(!shown.first || put_first(&result, out)) &&
			(!shown.level || put_level(&result, out));
	return RIG_OK;
}

const struct rig_handler rig_handler_onset = {
	.command = RIG_CMD_ONSET,
	.run = tell_onset,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* One request of SMP group 64: find its handler, decode, renew the lease, tell how it went. */
#include "rig_internal.h"

#include <string.h>
#include <zcbor_encode.h>

#define ADDRESS(name) &rig_handler_##name,

/** @return NULL for an unknown command, or an operation that the command does not have */
static const struct rig_handler *find_handler(uint32_t command, bool write)
{
	static const struct rig_handler *const handlers[] = {RIG_HANDLERS(ADDRESS)};

	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if ((uint32_t)handlers[i]->command == command && handlers[i]->write == write) {
			return handlers[i];
		}
	}
	return NULL;
}

static bool put_error(zcbor_state_t *out, enum rig_error error, uint64_t left_ns)
{
	return rig_wire_put_map(out, left_ns > 0u ? 2u : 1u) && rig_wire_put_text(out, "err") &&
	       rig_wire_put_map(out, 2) && rig_wire_put_u32(out, "group", RIG_SMP_GROUP) &&
	       rig_wire_put_u32(out, "rc", (uint32_t)error) &&
	       (left_ns == 0u || rig_wire_put_u64(out, "left", left_ns));
}

/** The handler's keys, and "host", which any request may have. */
static enum rig_error decode(const struct rig_handler *handler, const uint8_t *in, size_t in_len,
			     struct rig_request *request)
{
	struct rig_field *host = &request->fields[handler->field_count];
	enum rig_error error;

	if (handler->field_count > 0u) {
		memcpy(request->fields, handler->fields,
		       handler->field_count * sizeof(request->fields[0]));
	}
	*host = (struct rig_field){.key = "host", .kind = RIG_FIELD_U32, .optional = true};
	error = rig_wire_decode(in, in_len, request->fields, handler->field_count + 1u);
	request->host = (struct rig_host){.named = host->present, .number = (uint32_t)host->value};
	return error;
}

int rig_core_request(struct rig_core *core, uint32_t command, bool write, uint64_t rx_ns,
		     const uint8_t *in, size_t in_len, uint8_t *out, size_t out_cap,
		     size_t *out_len)
{
	const struct rig_handler *handler = find_handler(command, write);
	struct rig_request request = {
		.rx_ns = rx_ns,
		.now_ns = core->config.now_ns(core->config.context),
		.fits = true,
	};
	enum rig_error error;

	*out_len = 0;
	if (handler == NULL || out_cap < RIG_REPLY_MIN) {
		rig_core_tick(core, request.now_ns);
		return handler == NULL ? RIG_SMP_ENOTSUP : RIG_SMP_EMSGSIZE;
	}

	ZCBOR_STATE_E(reply, 0, out, out_cap, 1);
	request.out = reply;
	error = decode(handler, in, in_len, &request);
	if (error == RIG_OK) {
		rig_interlock_contact(core, &request.host, rx_ns, request.now_ns);
		error = handler->run(core, &request);
	} else {
		rig_core_tick(core, request.now_ns);
	}
	if (error != RIG_OK) {
		request.fits = put_error(reply, error, request.left_ns);
	}
	if (!request.fits) {
		return RIG_SMP_EMSGSIZE;
	}
	*out_len = out_cap - rig_wire_room(reply);
	return RIG_SMP_OK;
}

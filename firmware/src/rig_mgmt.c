/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rig group's place in mcumgr. The core reads and writes whole CBOR maps itself, so mcumgr is
 * told to leave the payload alone (CONFIG_MCUMGR_MGMT_CUSTOM_PAYLOAD).
 */
#include "rig_mgmt.h"

#include "rig_core.h"
#include "rig_engine.h"
#include "rig_trial.h"

#include <mgmt/mcumgr/transport/smp_internal.h>
#include <zephyr/mgmt/mcumgr/grp/os_mgmt/os_mgmt.h>
#include <zephyr/mgmt/mcumgr/mgmt/callbacks.h>
#include <zephyr/mgmt/mcumgr/mgmt/mgmt.h>
#include <zephyr/mgmt/mcumgr/smp/smp.h>
#include <zephyr/net/buf.h>
#include <zephyr/sys/byteorder.h>
#include <zephyr/sys/util.h>

/*
 * A framed packet of n bytes: length and CRC (4 bytes) are added, base64 makes 4 of each 3, and
 * each frame of 124 of those has a marker of 2 bytes and a line end (Zephyr's
 * mgmt/mcumgr/transport/ serial.h: frames of 127 bytes).
 */
#define BASE64_BYTES(n) (DIV_ROUND_UP((n) + 4, 3) * 4)
#define FRAME_BASE64_BYTES 124
#define FRAMED_BYTES(n) (BASE64_BYTES(n) + 3 * DIV_ROUND_UP(BASE64_BYTES(n), FRAME_BASE64_BYTES))

#ifdef CONFIG_USB_CDC_ACM
BUILD_ASSERT(CONFIG_USB_CDC_ACM_RINGBUF_SIZE >= FRAMED_BYTES(CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE),
	     "a whole framed reply has to fit into the USB ring, or a slow host gets a torn one");
#endif

/** mcumgr has taken the header off the buffer's start; it still stands there. */
static const struct smp_hdr *header_of(const struct smp_streamer *streamer)
{
	return (const struct smp_hdr *)(streamer->reader->nb->data - sizeof(struct smp_hdr));
}

/** One handler for all: the core knows its commands and operations better than a table here. */
static int answer(struct smp_streamer *streamer)
{
	const struct smp_hdr *header = header_of(streamer);
	zcbor_state_t *out = streamer->writer->zs;
	size_t room = (size_t)(out->payload_end - out->payload);
	size_t written = 0;
	int rc = rig_engine_request(header->nh_id, header->nh_op == MGMT_OP_WRITE,
				    streamer->reader->nb->data, sys_be16_to_cpu(header->nh_len),
				    out->payload_mut, room, &written);

	if (rc == MGMT_ERR_EOK) {
		out->payload_mut += written;
		rig_trial_host_speaks();
	}
	return rc;
}

/** More than there are: the core refuses those that it does not know as mcumgr would. */
#define COMMANDS 32

static const struct mgmt_handler handlers[] = {
	[0 ... COMMANDS - 1] = {.mh_read = answer, .mh_write = answer},
};

static enum mgmt_cb_return before_reset(uint32_t event, enum mgmt_cb_return previous, int32_t *rc,
					uint16_t *group, bool *abort_more, void *data,
					size_t data_size)
{
	if (!rig_engine_take_permit()) {
		*group = RIG_SMP_GROUP;
		*rc = RIG_ERR_NO_NONCE;
		return MGMT_CB_ERROR_ERR;
	}
	rig_engine_release();
	rig_engine_note();
	return MGMT_CB_OK;
}

static struct {
	struct mgmt_group group;
	struct mgmt_callback reset;
} mgmt = {
	.group =
		{
			.mg_handlers = handlers,
			.mg_handlers_count = ARRAY_SIZE(handlers),
			.mg_group_id = RIG_SMP_GROUP,
			.custom_payload = true,
		},
	.reset =
		{
			.callback = before_reset,
			.event_id = MGMT_EVT_OP_OS_MGMT_RESET,
		},
};

void rig_mgmt_start(void)
{
	mgmt_callback_register(&mgmt.reset);
	mgmt_register_group(&mgmt.group);
}

void rig_mgmt_stop(void)
{
	mgmt_unregister_group(&mgmt.group);
	mgmt_callback_unregister(&mgmt.reset);
}

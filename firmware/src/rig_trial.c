/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_trial.h"

#include "rig_board.h"
#include "rig_core.h"
#include "rig_engine.h"
#include "rig_guard.h"

#include <zephyr/dfu/mcuboot.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/mgmt/mcumgr/grp/img_mgmt/img_mgmt.h>
#include <zephyr/mgmt/mcumgr/mgmt/callbacks.h>
#include <zephyr/mgmt/mcumgr/mgmt/mgmt.h>
#include <zephyr/sys/reboot.h>

LOG_MODULE_REGISTER(rig_trial, CONFIG_RIG_LOG_LEVEL);

static struct {
	struct mgmt_callback command;
	struct mgmt_callback done;
	struct k_work_delayable give_up;
	int64_t started_ms;
	/* written by one thread each, read by the SMP work queue */
	atomic_t started;
	atomic_t lived;
	atomic_t answered;
} trial;

/** The bootloader would take the image before this one back at the next reset. */
static bool on_trial(void)
{
	return mcuboot_swap_type() == BOOT_SWAP_TYPE_REVERT;
}

static bool has_proved_itself(void)
{
	return atomic_get(&trial.lived) != 0 && atomic_get(&trial.answered) != 0;
}

static void let_go(void)
{
	if (atomic_get(&trial.started) != 0) {
		rig_engine_release();
	} else {
		rig_board_release_all();
	}
}

static void give_up(struct k_work *work)
{
	if (!on_trial()) {
		return;
	}
	LOG_ERR("Nobody confirmed this image within %d s: back to the one before",
		CONFIG_RIG_TRIAL_S);
	let_go();
	sys_reboot(SYS_REBOOT_COLD);
}

/**
 * The CPU may stand still while the flash it runs from is erased, so outputs are let go before
 * anything of the image group is written.
 */
static enum mgmt_cb_return before_command(uint32_t event, enum mgmt_cb_return previous, int32_t *rc,
					  uint16_t *group, bool *abort_more, void *data,
					  size_t data_size)
{
	const struct mgmt_evt_op_cmd_arg *command = data;

	if (command->group != MGMT_GROUP_ID_IMAGE || command->op != MGMT_OP_WRITE) {
		return MGMT_CB_OK;
	}
	/* A rig that did not start drives nothing, and could tell nobody its nonce. */
	if (atomic_get(&trial.started) != 0 && !rig_engine_take_permit()) {
		*group = RIG_SMP_GROUP;
		*rc = RIG_ERR_NO_NONCE;
		return MGMT_CB_ERROR_ERR;
	}
	let_go();
	rig_guard_expect_erase(true);
	if (command->id == IMG_MGMT_ID_STATE && !has_proved_itself() && on_trial()) {
		*rc = MGMT_ERR_EBADSTATE;
		return MGMT_CB_ERROR_RC;
	}
	return MGMT_CB_OK;
}

static enum mgmt_cb_return after_command(uint32_t event, enum mgmt_cb_return previous, int32_t *rc,
					 uint16_t *group, bool *abort_more, void *data,
					 size_t data_size)
{
	const struct mgmt_evt_op_cmd_arg *command = data;

	if (command->group == MGMT_GROUP_ID_IMAGE) {
		rig_guard_expect_erase(false);
	}
	return MGMT_CB_OK;
}

void rig_trial_begin(void)
{
	trial.command.callback = before_command;
	trial.command.event_id = MGMT_EVT_OP_CMD_RECV;
	mgmt_callback_register(&trial.command);
	trial.done.callback = after_command;
	trial.done.event_id = MGMT_EVT_OP_CMD_DONE;
	mgmt_callback_register(&trial.done);
	k_work_init_delayable(&trial.give_up, give_up);
	if (on_trial()) {
		LOG_WRN("This image is on trial for %d s", CONFIG_RIG_TRIAL_S);
		(void)k_work_schedule(&trial.give_up, K_SECONDS(CONFIG_RIG_TRIAL_S));
	}
}

void rig_trial_rig_started(void)
{
	trial.started_ms = k_uptime_get();
	(void)atomic_set(&trial.started, 1);
}

void rig_trial_engine_lives(void)
{
	if (k_uptime_get() - trial.started_ms >= CONFIG_RIG_PROOF_MS) {
		(void)atomic_set(&trial.lived, 1);
	}
}

void rig_trial_host_speaks(void)
{
	(void)atomic_set(&trial.answered, 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_replay.h"

#include <stddef.h>

const struct rig_answer *rig_replay_find(const struct rig_replay *replay, uint32_t token)
{
	for (uint32_t i = 0; i < replay->count; i++) {
		if (replay->answers[i].token == token) {
			return &replay->answers[i];
		}
	}
	return NULL;
}

void rig_replay_keep(struct rig_replay *replay, const struct rig_answer *answer)
{
	replay->answers[replay->next] = *answer;
	replay->next = (replay->next + 1u) % RIG_REPLAYS;
	replay->count += replay->count < RIG_REPLAYS ? 1u : 0u;
}

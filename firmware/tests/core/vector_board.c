/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_board.h"

/** The values of a row, times over, at the board's rate. */
static void feed(struct bench *bench, const struct vector_step *step)
{
	uint64_t interval_ns = S / bench->core.config.onset.rate_hz;

	for (uint64_t i = 0; i < step->value[1] * step->value[2]; i++) {
		rig_light_sample(&bench->core.light, step->value[0] + i * interval_ns,
				 step->counts[i % step->value[2]]);
	}
}

static void do_steps(struct bench *bench, const struct vector_step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t *value = steps[i].value;

		switch (steps[i].kind) {
		case VECTOR_EDGE:
			rig_core_edge(&bench->core, (uint32_t)value[0], value[1] != 0u, value[2]);
			break;
		case VECTOR_SAMPLE:
			rig_light_sample(&bench->core.light, value[0], (uint16_t)value[1]);
			break;
		case VECTOR_SAMPLES:
			feed(bench, &steps[i]);
			break;
		case VECTOR_TICK:
			bench_tick(bench, value[0]);
			break;
		case VECTOR_POWER:
			rig_core_power(&bench->core, &(struct rig_power_sample){
							     .t_ns = value[0],
							     .bus_uv = (int32_t)value[1],
							     .current_ua = (int32_t)value[2],
						     });
			break;
		case VECTOR_EXCHANGE: {
			const struct vector_exchange *exchange = &vector_exchanges[value[0]];

			(void)vector_board_exchange(bench, exchange, exchange->request,
						    exchange->request_len);
			break;
		}
		}
	}
}

int vector_board_start(struct bench *bench, uint32_t board)
{
	const struct vector_board *vector = &vector_boards[board];
	struct rig_config config = bench_config(bench);
	struct rig_config described = vector->config;
	int rc;

	*bench = (struct bench){.checks = vector->checks,
				.check_count = vector->check_count,
				.keyboard = vector->keyboard};
	described.edge_slots = config.edge_slots;
	described.light_slots = described.light_capacity > 0u ? config.light_slots : NULL;
	described.onset.slots = described.onset.capacity > 0u ? bench->onset : NULL;
	described.power.slots = described.power.capacity > 0u ? bench->power : NULL;
	described.now_ns = config.now_ns;
	described.drive = config.drive;
	described.selftest = config.selftest;
	described.keyboard = vector->is_keyboard ? bench_keyboard : NULL;
	described.store = described.store_name != NULL ? config.store : NULL;
	described.leave = vector->bootloader ? config.leave : NULL;
	described.context = bench;
	rc = bench_start_with(bench, &described, vector->levels);
	if (rc == 0) {
		do_steps(bench, vector->history, vector->history_len);
	}
	return rc;
}

void vector_board_prepare(struct bench *bench, const struct vector_exchange *exchange)
{
	do_steps(bench, exchange->before, exchange->before_len);
}

int vector_board_exchange(struct bench *bench, const struct vector_exchange *exchange,
			  const uint8_t *request, size_t request_len)
{
	bench->now_ns = exchange->now_ns;
	return rig_core_request(&bench->core, exchange->command, exchange->write, exchange->rx_ns,
				request, request_len, bench->reply, sizeof(bench->reply),
				&bench->reply_len);
}

const struct vector_exchange *vector_board_at(uint32_t number)
{
	return &vector_exchanges[number];
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged requests for as long as one likes: soak SECONDS [SEED].
 *
 * Each round takes a golden request, damages it, and hands it to one core whose time jumps. What
 * must hold is the contract of rig_core_request(), and that the interlock lets go. Requests and
 * reply buffers end where their memory ends, so AddressSanitizer sees every step beyond.
 */
#include "vector_board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REQUEST_MAX 256u
#define STRETCH_MAX 200u
#define ROUNDS_PER_LOOK 1000u

struct soak {
	struct bench bench;
	uint64_t random;
	uint64_t rounds;
	/** board time at which the host must be heard or all is let go */
	uint64_t lease_end_ns;
};

/** xorshift64*: repeatable from its seed. */
static uint64_t draw(struct soak *soak, uint64_t below)
{
	soak->random ^= soak->random >> 12;
	soak->random ^= soak->random << 25;
	soak->random ^= soak->random >> 27;
	return soak->random * UINT64_C(2685821657736338717) % below;
}

static size_t damage(struct soak *soak, uint8_t *bytes, size_t len)
{
	uint64_t times = draw(soak, 4);

	for (uint64_t i = 0; i < times; i++) {
		size_t at = (size_t)draw(soak, REQUEST_MAX);

		switch (draw(soak, 4)) {
		case 0:
			bytes[at % (len + 1u)] ^= (uint8_t)(1u << draw(soak, 8));
			break;
		case 1:
			bytes[at % (len + 1u)] = (uint8_t)draw(soak, 256);
			break;
		case 2:
			len = at % (len + 1u);
			break;
		default:
			if (len < REQUEST_MAX - 1u) {
				memmove(&bytes[at % (len + 1u) + 1u], &bytes[at % (len + 1u)],
					len - at % (len + 1u));
				len++;
			}
			break;
		}
	}
	return len;
}

static void fail(const struct soak *soak, const char *what)
{
	fprintf(stderr, "soak: round %" PRIu64 ": %s\n", soak->rounds, what);
	abort();
}

static void check_reply(const struct soak *soak, int rc, const uint8_t *reply, size_t len,
			size_t room)
{
	bool known_rc = rc == RIG_SMP_OK || rc == RIG_SMP_EMSGSIZE || rc == RIG_SMP_ENOTSUP;

	if (!known_rc || len > room || (rc == RIG_SMP_OK) != (len > 0u)) {
		fail(soak, "return code and length of the reply do not agree");
	}
	if (rc == RIG_SMP_OK && (rig_wire_item_len(reply, len) != len || reply[0] >> 5 != 5)) {
		fail(soak, "the reply is no map");
	}
}

static void check_outputs(const struct soak *soak)
{
	const struct bench *bench = &soak->bench;

	for (uint32_t i = 0; i < bench->core.config.actuator_count; i++) {
		if (bench->driven[i] != rig_interlock_is_driven(&bench->core, i)) {
			fail(soak, "an output is not what the interlock takes it for");
		}
		if (bench->driven[i] && bench->now_ns >= soak->lease_end_ns) {
			fail(soak, "an output is driven though the host is silent");
		}
	}
	if (rig_core_deadline(&bench->core) <= bench->now_ns) {
		fail(soak, "something that is due was not done");
	}
}

static void send(struct soak *soak, const struct vector_exchange *exchange, const uint8_t *bytes,
		 size_t len)
{
	size_t room = (size_t)draw(soak, 300);
	uint8_t *request = malloc(len > 0u ? len : 1u);
	uint8_t *reply = malloc(room > 0u ? room : 1u);
	size_t reply_len;
	int rc;

	if (request == NULL || reply == NULL) {
		fail(soak, "no memory");
	}
	memcpy(request, bytes, len);
	rc = rig_core_request(&soak->bench.core, exchange->command, exchange->write,
			      soak->bench.now_ns, request, len, reply, room, &reply_len);
	soak->lease_end_ns = soak->bench.now_ns + soak->bench.core.config.lease_ns;
	check_reply(soak, rc, reply, reply_len, room);
	free(request);
	free(reply);
}

static const struct vector_exchange *draw_exchange(struct soak *soak)
{
	return vector_board_at((uint32_t)draw(soak, VECTOR_EXCHANGES));
}

/** A stretch of one level, at the rate; now and then samples come at another time. */
static void shine(struct soak *soak)
{
	static const uint16_t levels[] = {40, 60, 1000, 2500, 4095, UINT16_MAX};
	struct rig_light *light = &soak->bench.core.light;
	uint16_t level = levels[draw(soak, sizeof(levels) / sizeof(levels[0]))];
	bool due = light->onset.index > 0u && draw(soak, 64) != 0u;
	uint16_t counts[STRETCH_MAX];
	uint32_t count = (uint32_t)draw(soak, STRETCH_MAX);

	for (uint32_t i = 0; i < count; i++) {
		counts[i] = (uint16_t)(level - draw(soak, 4));
	}
	rig_light_samples(light, due ? light->onset.due_ns : soak->bench.now_ns, counts, count);
	rig_light_sample(light, due ? light->onset.due_ns : soak->bench.now_ns, level);
}

static void play_round(struct soak *soak)
{
	const struct vector_exchange *exchange = draw_exchange(soak);
	uint8_t bytes[REQUEST_MAX] = {0};
	size_t len = exchange->request_len < REQUEST_MAX ? exchange->request_len : REQUEST_MAX;

	memcpy(bytes, exchange->request, len);
	soak->rounds++;
	bench_forget(&soak->bench);
	bench_tick(&soak->bench, soak->bench.now_ns + draw(soak, draw(soak, 8) == 0u ? 4 * S : MS));
	check_outputs(soak);
	rig_core_edge(&soak->bench.core, (uint32_t)draw(soak, 10), draw(soak, 2) != 0u,
		      soak->bench.now_ns);
	shine(soak);
	len = damage(soak, bytes, len);
	/* Now and then a request of another command. */
	send(soak, draw(soak, 8) == 0u ? draw_exchange(soak) : exchange, bytes, len);
	check_outputs(soak);
}

int main(int argc, char **argv)
{
	struct soak soak = {.random = (uint64_t)time(NULL)};
	time_t end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : 60);

	if (argc > 2) {
		soak.random = strtoull(argv[2], NULL, 10);
	}
	soak.random += soak.random == 0u ? 1u : 0u;
	printf("soak: seed %" PRIu64 "\n", soak.random);
	if (vector_board_start(&soak.bench, (uint32_t)draw(&soak, VECTOR_BOARDS)) != 0) {
		fail(&soak, "the board does not start");
	}
	while (time(NULL) < end) {
		for (uint32_t i = 0; i < ROUNDS_PER_LOOK; i++) {
			play_round(&soak);
		}
	}
	printf("soak: %" PRIu64 " damaged requests, %" PRIu32 " refused actions, %" PRIu32
	       " leases over, all as agreed\n",
	       soak.rounds, soak.bench.core.refusals, soak.bench.core.lease_expiries);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Boot ids and nonces: what is drawn is another number each time. */
#include "rig_identity.h"
#include "rig_noise.h"

#include <zephyr/ztest.h>

#define DRAWS 64u

ZTEST(noise, test_no_draw_is_like_another_one)
{
	uint64_t drawn[DRAWS];
	uint64_t all = 0;
	uint64_t any = UINT64_MAX;

	for (uint32_t i = 0; i < DRAWS; i++) {
		drawn[i] = rig_noise_draw(i);
		all |= drawn[i];
		any &= drawn[i];
		for (uint32_t k = 0; k < i; k++) {
			zassert_not_equal(drawn[i], drawn[k]);
		}
	}
	/* Each bit was 0 and 1: of fair ones one stays by 3.5e-18. */
	zassert_equal(all, UINT64_MAX);
	zassert_equal(any, 0);
}

ZTEST(noise, test_a_boot_has_its_own_id_and_nonce)
{
	struct rig_identity first = rig_identity_take();
	struct rig_identity second = rig_identity_take();

	zassert_not_equal(first.boot_id, second.boot_id);
	zassert_not_equal(first.nonce, second.nonce);
	zassert_between_inclusive(first.nonce, 1, INT64_MAX);
	zassert_between_inclusive(second.nonce, 1, INT64_MAX);
}

ZTEST_SUITE(noise, NULL, NULL, NULL, NULL, NULL);

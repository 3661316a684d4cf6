/* SPDX-License-Identifier: Apache-2.0 */
/** Boards in the states that the golden vectors describe. */
#ifndef RIG_TEST_VECTOR_BOARD_H
#define RIG_TEST_VECTOR_BOARD_H

#include "bench.h"
#include "vectors.h"

/** A fresh board of this kind with its history. */
int vector_board_start(struct bench *bench, uint32_t board);

/** Do the steps before an exchange. */
void vector_board_prepare(struct bench *bench, const struct vector_exchange *exchange);

/** Do an exchange with any request in place of its own; the reply is in bench->reply. */
int vector_board_exchange(struct bench *bench, const struct vector_exchange *exchange,
			  const uint8_t *request, size_t request_len);

/** The exchange of this number. */
const struct vector_exchange *vector_board_at(uint32_t number);

#endif

/* SPDX-License-Identifier: MIT */
/* What each instruction of a kernel touches in the blocks that a worker runs, as rows. */
#ifndef CUP_CHECK_STREAM_RUNS_H
#define CUP_CHECK_STREAM_RUNS_H

#include "check/stream/touched.h"

struct cup_abi_run;

/* Runs of a launch that touches this set (NULL: nothing is noted), for a block. If memory is out,
 * they keep nothing: what is added goes to the set at once. */
struct cup_abi_run *cup_runs_get(struct cup_touched *touched);
/* Adds what they have to the set. */
void cup_runs_put(struct cup_abi_run *runs);

/* An instruction touches bytes that are not where its run expects them. The address is that of lane
 * 0, and `lanes` what all lanes touch: for one instruction it has always the same form and place
 * relative to the address. touches: bits of enum cup_touch, always the same. */
void cup_runs_break(struct cup_abi_run *runs, struct cup_touched *touched, uint32_t slot,
                    uint64_t address, const struct cup_touched_rows *lanes, uint32_t touches);
/* An instruction touches rows. slot: may be CUP_ABI_NO_RUN. */
void cup_runs_add(struct cup_abi_run *runs, struct cup_touched *touched, uint32_t slot,
                  const struct cup_touched_rows *rows, uint32_t touches);

#endif

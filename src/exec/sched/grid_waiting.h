/* SPDX-License-Identifier: MIT */
/* Running the blocks of a launch whose blocks wait for others: each on fibers of its own, so that a
 * worker can suspend it. */
#ifndef CUP_EXEC_SCHED_GRID_WAITING_H
#define CUP_EXEC_SCHED_GRID_WAITING_H

#include <stdint.h>

struct cup_grid;

/* Runs the blocks from `first` to before `end`, and suspended blocks, in this thread. */
void cup_grid_run_waiting(struct cup_grid *grid, uint64_t first, uint64_t end);

/* Abandons the suspended blocks of a failed launch. */
void cup_grid_abandon_suspended(struct cup_grid *grid);

#endif

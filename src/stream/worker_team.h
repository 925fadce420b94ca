/* SPDX-License-Identifier: MIT */
/* Teams: threads that share the parts of one piece of work. The owner works on the parts too, so
 * the work completes even if no other thread is free. Threads join and leave without a lock. */
#ifndef CUP_STREAM_WORKER_TEAM_H
#define CUP_STREAM_WORKER_TEAM_H

#include <stdbool.h>
#include <stddef.h>

struct cup_worker_team;

/* Opens a team of at most `helpers_max` threads beside the owner. Returns NULL if too many teams
 * are open. */
struct cup_worker_team *cup_worker_team_open(void (*action)(void *argument, size_t part),
                                             void *argument, size_t parts, unsigned helpers_max);

/* Runs the next part. Returns false if all have been taken. For the owner and those who joined. */
bool cup_worker_team_work_once(struct cup_worker_team *team);

/* Waits for the others and gives the team up. The owner spins first if `spins`. */
void cup_worker_team_close(struct cup_worker_team *team, bool spins);

/* Joins a team that has parts left and wants helpers. Returns NULL if there is none. */
struct cup_worker_team *cup_worker_team_join(void);
void cup_worker_team_leave(struct cup_worker_team *team);

/* How many more threads could help some team now, about. */
unsigned cup_worker_team_wanted(void);

#endif

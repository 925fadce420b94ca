/* SPDX-License-Identifier: MIT */
/* Teams: threads that share the parts of one piece of work. The owner works on the parts too, so
 * the work completes even if no other thread is free. Threads join and leave without a lock. */
#ifndef CUP_STREAM_ENGINE_TEAM_H
#define CUP_STREAM_ENGINE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

struct cup_engine_team;

/* Opens a team of at most `helpers_max` threads beside the owner, who runs part 0 and then as many
 * as are left. Returns NULL if too many teams are open. */
struct cup_engine_team *cup_engine_team_open(void (*action)(void *argument, size_t part),
                                             void *argument, size_t parts, unsigned helpers_max);

/* Runs the next part. Returns false if all have been taken. For the owner and those who joined. */
bool cup_engine_team_work_once(struct cup_engine_team *team);

/* Waits for the others and gives the team up. The owner spins first if `spins`. */
void cup_engine_team_close(struct cup_engine_team *team, bool spins);

/* Joins a team that has parts left and wants helpers. Returns NULL if there is none. */
struct cup_engine_team *cup_engine_team_join(void);
void cup_engine_team_leave(struct cup_engine_team *team);

/* How many more threads could help some team now, about. */
unsigned cup_engine_team_wanted(void);

#endif

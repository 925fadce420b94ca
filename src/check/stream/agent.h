/* SPDX-License-Identifier: MIT */
/* The agents of CUPIPE_CHECK=streams: the host and the streams, each with its clock. For order.c,
 * task.c and order_report.c. Functions with _locked need cup_order_lock. */
#ifndef CUP_CHECK_STREAM_AGENT_H
#define CUP_CHECK_STREAM_AGENT_H

#include "check/stream/order.h"

#include <pthread.h>

struct cup_order_agent {
    uint64_t id;
    uint64_t time;
    struct cup_order_clock clock;         /* of what is submitted next */
    struct cup_order_clock begun;         /* of the last job that has begun, itself included */
    struct cup_order_task *first, **last; /* its tasks */
    const struct CUctx_st *context;       /* only compared */
    bool is_legacy, is_blocking, is_gone;
    bool is_default; /* each context has one of its name */
    char name[CUP_ORDER_NAME_BYTES];
};

extern pthread_mutex_t cup_order_lock;
extern struct cup_order_agent cup_order_host; /* guarded by cup_order_lock, as what follows */
extern struct cup_order_agents {
    CUP_DYNARRAY(struct cup_order_agent *, list);
} cup_order_agents; /* sorted by id; the host is the first */

/* The agent of a stream, which is created when it is first asked for; NULL if memory is out. Find
 * returns NULL if there is none. */
struct cup_order_agent *cup_order_agent_of_locked(struct CUstream_st *stream);
struct cup_order_agent *cup_order_agent_find_locked(uint64_t id);

/* Whether the streams are of more than one context. */
bool cup_order_has_contexts_locked(void);

/* Ends an agent without tasks. Its clock still counts for who waits for the whole context. */
void cup_order_agent_end_locked(struct cup_order_agent *agent);

/* The rules of the legacy default stream: it and the blocking streams of its context come after
 * each other. */
void cup_order_default_rules_locked(struct cup_order_agent *agent);

/* The next time of an agent, after what the host has done. */
void cup_order_advance_locked(struct cup_order_agent *agent);

/* Adds everything that has begun. */
void cup_order_join_begun_locked(struct cup_order_clock *clock);

/* A wait of an agent was over and acquired a clock, or, without one, everything that has begun.
 * Settle adds such clocks to that of something after the wait. Forget drops those that the host
 * knows of, which are then in the clocks of all that is submitted from now on. */
void cup_order_add_late_locked(uint64_t agent, uint64_t time, const struct cup_order_clock *clock);
void cup_order_settle_locked(struct cup_order_clock *clock);
void cup_order_forget_late_locked(void);

/* Takes times of agents out of a clock that are no more: there is nothing to compare with. */
void cup_order_prune_locked(struct cup_order_clock *clock);

#endif

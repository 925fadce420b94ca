/* SPDX-License-Identifier: MIT */
/* The tasks of CUPIPE_CHECK=streams: a piece of work with its place in the order and the bytes that
 * it touches. For order.c, task.c and order_report.c. */
#ifndef CUP_CHECK_STREAM_TASK_H
#define CUP_CHECK_STREAM_TASK_H

#include "check/report/records.h"
#include "check/stream/order.h"

struct cup_order_task {
    struct cup_order_task *next;  /* of the same agent, in order of time */
    uint64_t agent, time;         /* its own place; a graph's nodes have that of their launch */
    struct cup_order_clock clock; /* what comes before it */
    uint64_t number;              /* in order of submission */
    bool is_pending;              /* not ended */
    bool waits;                   /* a kernel that may wait for others; see `began` */
    _Atomic(bool) signals;        /* a kernel that has released to the host */
    uint64_t began, ended;        /* in order of both */
    /* A node of a graph. */
    cup_check_before *before; /* NULL: none */
    const void *plan;
    uint32_t node;

    struct cup_touched touched;
    uint64_t memory_bytes; /* as it was counted */
    /* For reports. */
    const char *name;  /* of a job; a constant */
    char kernel[128];  /* or work of the host; empty: neither */
    bool is_host_work; /* what `kernel` names */
    char where[CUP_ORDER_NAME_BYTES];
    struct cup_tracked_site site;
};

/* Two tasks in conflict, the one that was submitted first before the other. Everything is
 * copied. */
struct cup_order_finding {
    struct cup_touched_conflict conflict;
    struct cup_order_side {
        const char *name;
        char kernel[128], where[CUP_ORDER_NAME_BYTES + 32];
        bool is_host_work;
        struct cup_tracked_site site;
    } first, second;
};

enum { CUP_ORDER_FINDINGS = 8 }; /* of one task */

struct cup_order_findings {
    struct cup_order_finding list[CUP_ORDER_FINDINGS];
    unsigned count;
};

struct cup_order_agent;
extern uint64_t cup_order_ticks; /* beginnings and ends so far; guarded by cup_order_lock */

/* A task at the current time of its agent. */
struct cup_order_task *cup_order_task_create_locked(struct cup_order_agent *agent,
                                                    const char *name);

/* The task is over: it is compared, and kept or freed. */
void cup_order_task_end_locked(struct cup_order_task *task, struct cup_order_findings *findings);

/* Frees a task that does not count. */
void cup_order_task_remove_locked(struct cup_order_task *task);

/* Forgets what comes before everything that can still come. */
void cup_order_forget_settled_locked(void);

void cup_order_find_locked(struct cup_order_task *first, struct cup_order_task *second,
                           const struct cup_touched_conflict *conflict,
                           struct cup_order_finding *finding);

/* Writes the report. No lock may be held. */
void cup_order_report(const struct cup_order_finding *finding);

#endif

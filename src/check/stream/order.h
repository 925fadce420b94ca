/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams: which work of streams and of the host comes before which, and which pieces
 * of work touch the same bytes without an order between them.
 *
 * Every job becomes a task when it is submitted. Its clock is that of its stream and that of the
 * host, so it does not depend on when work runs. Waits for values and semaphores are different:
 * what they wait for may be submitted after them, so the clock that they acquire is added when they
 * are over. A task is compared with those that have ended when it ends itself, so that each pair is
 * compared once. Tasks that come before everything that can still come are forgotten.
 *
 * The threads of the program are one agent, the host: how they wait for each other is not visible,
 * and a wait of one of them orders what all others do later. */
#ifndef CUP_CHECK_STREAM_ORDER_H
#define CUP_CHECK_STREAM_ORDER_H

#include "check/stream/touched.h"
#include "check/stream/vector_clock.h"
#include "core/checks.h"

#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;
struct cup_job;
struct cup_order_task;

/* Returns false if memory is out. */
bool cup_order_start(void);

/* The life of a job. */
void cup_order_submit_job(struct CUstream_st *stream, struct cup_job *job);
void cup_order_start_job(struct cup_job *job);
void cup_order_end_job(struct cup_job *job);
void cup_order_drop_job(struct cup_job *job); /* it will not run, or has not */

/* A node of a graph begins, as part of its launch. `before` tells whether the node with the first
 * index comes before that with the second; `plan` must live until the launch ends. */
void cup_order_begin_node(struct cup_job *job, const struct cup_job *launch,
                          cup_check_before *before, const void *plan, uint32_t index);

/* Work of a job: bytes that it touches, while it runs. The set is that of a kernel. */
void cup_order_touch(struct cup_job *job, uint64_t address, uint64_t bytes, enum cup_touch touch);
struct cup_touched *cup_order_touched(struct cup_order_task *task);
/* The kernel has released something to the host. Cheap if repeated. */
void cup_order_kernel_signals(struct cup_order_task *task);

/* A job passes a clock on at an address or an object, and takes what was passed on there; what
 * was passed on by others than streams is not known, and then everything that has begun is taken.
 */
void cup_order_release(const struct cup_job *job, uint64_t key);
void cup_order_acquire(const struct cup_job *job, uint64_t key);

/* Memory is allocated or freed in stream order, which counts as writing it (touch_job.c). */
void cup_order_touch_in_stream(struct CUstream_st *stream, const char *name, uint64_t address,
                               uint64_t bytes);

/* The memory is new: what happened to it before does not matter. */
void cup_order_forget(uint64_t address, uint64_t bytes);

/* Order between streams. */
void cup_order_record(struct CUevent_st *event, struct CUstream_st *stream);
void cup_order_wait_event(struct CUstream_st *stream, struct CUevent_st *event,
                          struct CUstream_st *recorded_in);
void cup_order_wait_stream(struct CUstream_st *stream, struct CUstream_st *first);
void cup_order_event_ends(struct CUevent_st *event);
void cup_order_stream_ends(struct CUstream_st *stream);

/* The host has waited. */
void cup_order_host_stream(struct CUstream_st *stream);
void cup_order_host_context(struct CUctx_st *context, bool blocking_only);
void cup_order_host_event(struct CUevent_st *event);

/* For order_report.c and task.c. */
enum { CUP_ORDER_NAME_BYTES = 64 };

#endif

/* SPDX-License-Identifier: MIT */
/* The parts of libcupti.
 *
 *     driver ─ call ─────→ observe.c ─→ callback.c      calls the subscriber
 *            │                      └──→ call_records.c  records of calls, waits, memory, streams
 *            └ activity ─→ observe.c ─→ work_records.c  records of kernels, copies, fills, graphs
 *                                          └─→ buffer.c  the tool's buffers
 *
 * The driver is asked to tell while a callback or a kind of activity is enabled, and at no other
 * time. */
#ifndef CUPTI_TOOL_H
#define CUPTI_TOOL_H

#include "driver.h"

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* observe.c */

/* Asks the driver to tell, or not any more, as callbacks and kinds of activity are enabled.
 * CUPTI_ERROR_NOT_INITIALIZED if the driver is not cupipe's. */
CUptiResult tool_update(void);
/* The driver tells a forked child nothing. */
void tool_stop_in_child(void);
/* The clock of records: CLOCK_REALTIME, or the tool's own. */
uint64_t tool_time(uint64_t monotonic_ns);
uint64_t tool_now(void);
CUptiResult tool_set_clock(CUpti_TimestampCallbackFunc clock);
/* While a thread is in a function of the tool's, or of this library, its calls are not told. */
bool tool_enter(void); /* false: it is already */
void tool_leave(bool entered);

/* names.c: the number of a function; 0: none. The domains of functions alone have names. */
uint32_t tool_callback_id(const char *name, CUpti_CallbackDomain domain);
const char *tool_callback_name(uint32_t id, CUpti_CallbackDomain domain); /* NULL: there is none */
uint32_t tool_callback_count(CUpti_CallbackDomain domain);                /* the ids are below it */
static inline CUpti_CallbackDomain tool_api(bool is_runtime)
{
    return is_runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
}

/* callback.c */
bool tool_wants_callback(CUpti_CallbackDomain domain, uint32_t id);
bool tool_wants_callbacks(void);
void tool_end_subscription(void);
void tool_call_back(CUpti_CallbackDomain domain, uint32_t id, const void *data);

/* resource.c: callbacks of resources and waits that follow from a call of the driver */
void tool_resource_call(const struct cupipe_call *call, uint32_t id);
/* graph_resource.c: the same, of graphs */
void tool_graph_call(const struct cupipe_call *call, uint32_t id);
uint32_t tool_module_id(const void *module); /* of a module or a library */

/* activity.c */
bool tool_records(CUpti_ActivityKind kind);
bool tool_records_any(void);

/* settings.c */
bool tool_records_call(uint32_t id, bool is_runtime);
bool tool_records_latency(void);         /* when work was submitted */
bool tool_records_unready_queries(void); /* queries of streams and events that are not ready */
uint32_t tool_thread_id(void);

/* buffer.c */
void tool_record(const void *record, size_t bytes);
const char *tool_text(const char *text); /* a copy that lives as long as the process */
/* Gives the tool its buffers back. */
void tool_flush(void);
void tool_set_buffers(CUpti_BuffersCallbackRequestFunc request,
                      CUpti_BuffersCallbackCompleteFunc complete);
size_t tool_take_dropped(void);

/* call_records.c, memory_records.c, work_records.c */
void tool_record_call(const struct cupipe_call *call, uint32_t id);
void tool_record_memory(const struct cupipe_call *call, uint32_t id);
void tool_record_work(const struct cupipe_activity *work);

/* pool_records.c: pools, of a call that has succeeded, or before it destroys one */
struct tool_pool {
    uint64_t address, threshold, bytes, used_bytes;
};
void tool_record_pool(const struct cupipe_call *call, uint32_t id);
void tool_record_pool_destruction(const struct cupipe_call *call, uint32_t id);
void tool_pool_used(const struct cupipe_call *call, CUmemoryPool pool);
CUmemoryPool tool_current_pool(void);
void tool_describe_pool(CUmemoryPool pool, struct tool_pool *description);

/* function_records.c: the functions of a module that a call has loaded */
void tool_record_functions(const struct cupipe_call *call, uint32_t id);

/* compile_records.c */
void tool_record_compile(const struct cupipe_activity *work);
void tool_record_overhead(CUpti_ActivityOverheadKind kind, uint32_t correlation, uint64_t start_ns,
                          uint64_t end_ns);

/* marker_records.c: what the program says with NVTX */
void tool_record_marker(const struct cupipe_marker *marker);
void tool_record_name(const struct cupipe_name *name);

/* correlation.c: records which numbers of the tool's own belong to a call */
void tool_record_external(const struct cupipe_call *call);

/* identity.c */
uint32_t tool_context_id(CUcontext context); /* 0: of none */
/* Waits until the kernels of a context have ended, so that those that were launched before a change
 * are not touched by it. */
CUptiResult tool_wait_for_kernels(CUcontext context);
uint32_t tool_current_context_id(void);
uint32_t tool_current_device_id(void);
uint32_t tool_stream_id(CUstream stream, bool per_thread);
/* True if the context is newer than all that `last_seen` has counted, which then counts it. They
 * are numbered in their order. `before` is the last one before. */
bool tool_is_new_context(CUcontext context, _Atomic uint32_t *last_seen, uint32_t *before);
/* What records of names say of an object. False: there is no such object. */
bool tool_describe_context(CUcontext context, CUpti_ActivityObjectKindId *id);
bool tool_describe_stream(CUstream stream, CUpti_ActivityObjectKindId *id);
void tool_record_devices(void);
void tool_record_context(CUcontext context);

#endif

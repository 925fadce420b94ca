/* SPDX-License-Identifier: MIT */
/* A profiling session: counts the kernels of one context in ranges, while it is started. Both
 * profilers (range_profiler.c, profiler.c) are made of it. */
#ifndef CUPTI_SESSION_H
#define CUPTI_SESSION_H

#include "profiling/counter_data.h"

#include <cupipe.h>
#include <cupti_profiler_target.h>

struct session;

struct session_config {
    CUpti_ProfilerRange range;
    CUpti_ProfilerReplayMode replay;
    size_t ranges_max; /* in a pass */
    uint16_t levels;   /* of ranges within ranges that are counted */
    uint8_t *image;    /* the program's; it keeps it */
    size_t image_bytes;
};

CUptiResult session_create(CUcontext context, struct session **session);
void session_destroy(struct session *session);
/* False for a pointer that is no session, or not any more. */
bool session_is_live(const struct session *session);
/* Of a context, or, for NULL, of the current one. NULL: it has none. */
struct session *session_of(CUcontext context);
CUcontext session_context(CUcontext context); /* the one that is meant; NULL: there is none */
unsigned session_multiprocessors(const struct session *session);

CUptiResult session_configure(struct session *session, const struct session_config *config);
CUptiResult session_unconfigure(struct session *session);
/* A part of the configuration may be known before the rest. */
void session_prepare(struct session *session, const struct session_config *config);
struct session_config session_prepared(const struct session *session);
/* Whether ranges of this kind can be counted with these replays, which are never asked for. */
bool session_is_mode(CUpti_ProfilerRange range, CUpti_ProfilerReplayMode mode);
/* Each waits for the kernels of the context. */
CUptiResult session_start(struct session *session);
CUptiResult session_stop(struct session *session);
/* Ranges of the program's; without effect where each kernel is a range. */
CUptiResult session_push(struct session *session, const char *name, size_t length);
CUptiResult session_pop(struct session *session);
/* Moves the ranges that were counted to the image; those that do not fit are dropped. */
CUptiResult session_decode(struct session *session, size_t *dropped);

/* For observe.c: whether kernels have to count, and a kernel that has ended. */
bool session_any_started(void);
void session_count_kernel(const struct cupipe_activity *work);

#endif

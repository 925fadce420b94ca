/* SPDX-License-Identifier: MIT */
/* Sessions are few and live long, so they stand in a list. One pass counts everything. */
#include "profiler/session.h"

#include "profiler/count_kernel.h"
#include "lock.h"
#include "tool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 32 };

struct session {
    struct session *next;
    CUcontext context;
    uint32_t context_id;
    struct metric_device device;
    struct session_config config;
    bool is_configured, is_started;
    struct counted_range *ranges; /* that have begun since the last decode */
    size_t count, room, dropped;
    size_t launches;             /* for the names of automatic ranges */
    unsigned depth;              /* of ranges that are open */
    size_t open[LEVELS_MAX];     /* their places in `ranges`; SIZE_MAX: it is not counted */
    char path[RANGE_NAME_BYTES]; /* the names of those that are open */
};

TOOL_LOCK(lock)
static struct session *sessions; /* guarded by lock, with all that they have */
static _Atomic unsigned started_count;

static struct session **slot_locked(const struct session *session)
{
    struct session **slot = &sessions;

    while (*slot && *slot != session)
        slot = &(*slot)->next;
    return slot;
}

bool session_is_live(const struct session *session)
{
    pthread_mutex_lock(&lock);
    bool found = session && *slot_locked(session) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

CUcontext session_context(CUcontext context)
{
    bool entered = tool_enter();

    if (!context && lib_driver())
        lib_driver()->context_get_current(&context);
    tool_leave(entered);
    return context;
}

struct session *session_of(CUcontext context)
{
    struct session *found;

    context = session_context(context);
    pthread_mutex_lock(&lock);
    for (found = sessions; found && found->context != context; found = found->next)
        ;
    pthread_mutex_unlock(&lock);
    return found;
}

static struct metric_device describe_device(CUdevice device)
{
    int multiprocessors = 1, clock_khz = 0;

    lib_driver()->device_get_attribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                       device);
    lib_driver()->device_get_attribute(&clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
    return (struct metric_device){(unsigned)multiprocessors, clock_khz};
}

CUptiResult session_create(CUcontext context, struct session **session)
{
    struct session *made;
    uint32_t device;
    CUptiResult result = cuptiGetDeviceId(context, &device);

    if (result != CUPTI_SUCCESS)
        return result;
    made = calloc(1, sizeof(*made));
    if (!made)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    bool entered = tool_enter();
    made->context = context;
    made->context_id = tool_context_id(context);
    made->device = describe_device((CUdevice)device);
    tool_leave(entered);
    pthread_mutex_lock(&lock);
    made->next = sessions;
    sessions = made;
    pthread_mutex_unlock(&lock);
    *session = made;
    return CUPTI_SUCCESS;
}

void session_destroy(struct session *session)
{
    if (session->is_started)
        session_stop(session);
    pthread_mutex_lock(&lock);
    *slot_locked(session) = session->next;
    pthread_mutex_unlock(&lock);
    free(session->ranges);
    free(session);
}

unsigned session_multiprocessors(const struct session *session)
{
    return session->device.multiprocessors;
}

CUptiResult session_configure(struct session *session, const struct session_config *config)
{
    if (session->is_started)
        return CUPTI_ERROR_INVALID_OPERATION;
    pthread_mutex_lock(&lock);
    session->config = *config;
    session->is_configured = true;
    session->count = session->dropped = 0;
    session->depth = 0;
    session->path[0] = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult session_unconfigure(struct session *session)
{
    if (session->is_started || !session->is_configured)
        return CUPTI_ERROR_INVALID_OPERATION;
    session->is_configured = false;
    return CUPTI_SUCCESS;
}

void session_prepare(struct session *session, const struct session_config *config)
{
    session->config = *config;
}

struct session_config session_prepared(const struct session *session)
{
    return session->config;
}

bool session_is_mode(CUpti_ProfilerRange range, CUpti_ProfilerReplayMode mode)
{
    bool is_replay = mode > CUPTI_Replay_INVALID && mode < CUPTI_Replay_COUNT;

    return is_replay &&
           (range == CUPTI_AutoRange || (range == CUPTI_UserRange && mode != CUPTI_KernelReplay));
}

bool session_any_started(void)
{
    return atomic_load(&started_count) != 0;
}

CUptiResult session_start(struct session *session)
{
    if (!session->is_configured || session->is_started)
        return CUPTI_ERROR_INVALID_OPERATION;
    CUptiResult result = tool_wait_for_kernels(session->context);
    if (result != CUPTI_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    session->is_started = true;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&started_count, 1);
    return tool_update();
}

CUptiResult session_stop(struct session *session)
{
    CUptiResult result;

    if (!session->is_started)
        return CUPTI_ERROR_INVALID_OPERATION;
    result = tool_wait_for_kernels(session->context);
    pthread_mutex_lock(&lock);
    session->is_started = false;
    session->depth = 0;
    session->path[0] = 0;
    pthread_mutex_unlock(&lock);
    atomic_fetch_sub(&started_count, 1);
    (void)tool_update();
    return result;
}

/* Returns the place of a new range, or SIZE_MAX if there are too many. */
static size_t begin_range_locked(struct session *session, const char *name)
{
    if (session->count >= session->config.ranges_max) {
        session->dropped++;
        return SIZE_MAX;
    }
    if (session->count == session->room) {
        size_t room = session->room ? 2 * session->room : 8;
        struct counted_range *ranges = realloc(session->ranges, room * sizeof(*ranges));

        if (!ranges) {
            session->dropped++;
            return SIZE_MAX;
        }
        session->ranges = ranges;
        session->room = room;
    }
    struct counted_range *range = &session->ranges[session->count];
    memset(range, 0, sizeof(*range));
    strncat(range->name, name, RANGE_NAME_BYTES - 1);
    return session->count++;
}

/* The path grows by a level. False: it is too long. */
static bool extend_path(char *path, const char *name, size_t length)
{
    size_t used = strlen(path);

    if (used + length + 2 > RANGE_NAME_BYTES)
        return false;
    if (used > 0)
        path[used++] = RANGE_LEVEL_SEPARATOR;
    memcpy(path + used, name, length);
    path[used + length] = 0;
    return true;
}

CUptiResult session_push(struct session *session, const char *name, size_t length)
{
    CUptiResult result = CUPTI_SUCCESS;

    if (!session->is_started)
        return CUPTI_ERROR_INVALID_OPERATION;
    if (session->config.range != CUPTI_UserRange)
        return CUPTI_SUCCESS;
    (void)tool_wait_for_kernels(session->context); /* they belong to the range before */
    pthread_mutex_lock(&lock);
    if (session->depth == LEVELS_MAX || !extend_path(session->path, name, length)) {
        result = CUPTI_ERROR_MAX_LIMIT_REACHED;
    } else {
        session->open[session->depth] = session->depth < session->config.levels
                                            ? begin_range_locked(session, session->path)
                                            : SIZE_MAX;
        session->depth++;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

CUptiResult session_pop(struct session *session)
{
    if (session->is_started && session->config.range != CUPTI_UserRange)
        return CUPTI_SUCCESS;
    if (!session->is_started || session->depth == 0)
        return CUPTI_ERROR_INVALID_OPERATION;
    (void)tool_wait_for_kernels(session->context); /* they belong to the range before */
    pthread_mutex_lock(&lock);
    char *last = strrchr(session->path, RANGE_LEVEL_SEPARATOR);
    *(last ? last : session->path) = 0;
    session->depth--;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult session_decode(struct session *session, size_t *dropped)
{
    const struct session_config *config = &session->config;

    if (!session->is_configured)
        return CUPTI_ERROR_INVALID_OPERATION;
    if (!counter_data_is_valid(config->image, config->image_bytes))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    size_t lost = session->dropped;
    for (size_t i = 0; i < session->count; i++)
        lost += !counter_data_add(config->image, &session->ranges[i]);
    session->count = session->dropped = 0;
    pthread_mutex_unlock(&lock);
    *dropped = lost;
    return CUPTI_SUCCESS;
}

/* A kernel belongs to all ranges that are open, or is a range of its own, whose name is its number.
 */
static void count_locked(struct session *session, const struct cupipe_activity *work)
{
    struct quantities counted;
    char number[24];

    count_kernel(work, &session->device, &counted);
    if (session->config.range == CUPTI_AutoRange) {
        snprintf(number, sizeof(number), "%zu", session->launches++);
        size_t at = begin_range_locked(session, number);
        if (at != SIZE_MAX)
            metric_add(&session->ranges[at].counted, &counted);
    }
    for (unsigned level = 0; level < session->depth; level++)
        if (session->open[level] != SIZE_MAX)
            metric_add(&session->ranges[session->open[level]].counted, &counted);
}

void session_count_kernel(const struct cupipe_activity *work)
{
    if (!session_any_started() || work->kind != CUPIPE_ACTIVITY_KERNEL)
        return;
    pthread_mutex_lock(&lock);
    for (struct session *each = sessions; each; each = each->next)
        if (each->is_started && each->context_id == (uint32_t)work->context_id)
            count_locked(each, work);
    pthread_mutex_unlock(&lock);
}

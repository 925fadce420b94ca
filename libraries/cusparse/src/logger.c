/* SPDX-License-Identifier: MIT */
/* The log: a line for each call that submits work, to a file or to the program's callback.
 * CUSPARSE_LOG_LEVEL and CUSPARSE_LOG_FILE set it from outside. Calls are of level 5, bit 16. */
#include "sparse.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVEL_MOST = 5, LEVEL_API = 5, MASK_API = 16, MASK_ALL = 31 };

static struct {
    FILE *file, *own; /* own: opened here */
    cusparseLoggerCallback_t callback;
    int mask;
    bool disabled;
} state; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_on;

static void update_locked(void)
{
    atomic_store(&is_on,
                 !state.disabled && (state.mask & MASK_API) && (state.file || state.callback));
}

static void set_file(FILE *file, FILE *own)
{
    pthread_mutex_lock(&lock);
    if (state.own)
        fclose(state.own);
    state.file = file;
    state.own = own;
    update_locked();
    pthread_mutex_unlock(&lock);
}

cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t callback)
{
    pthread_mutex_lock(&lock);
    state.callback = callback;
    update_locked();
    pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerSetFile(FILE *file)
{
    set_file(file, NULL);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerOpenFile(const char *logFile)
{
    FILE *file = logFile ? fopen(logFile, "w") : NULL;

    if (!file)
        return CUSPARSE_STATUS_INVALID_VALUE;
    set_file(file, file);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_mask(int mask)
{
    pthread_mutex_lock(&lock);
    state.mask = mask;
    if (!state.file)
        state.file = stdout;
    update_locked();
    pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerSetLevel(int level)
{
    if (level < 0 || level > LEVEL_MOST)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return set_mask((1 << level) - 1);
}

cusparseStatus_t cusparseLoggerSetMask(int mask)
{
    if (mask < 0 || mask > MASK_ALL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return set_mask(mask);
}

cusparseStatus_t cusparseLoggerForceDisable(void)
{
    pthread_mutex_lock(&lock);
    state.disabled = true;
    update_locked();
    pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

static void read_environment(void)
{
    const char *level = secure_getenv("CUSPARSE_LOG_LEVEL"),
               *file = secure_getenv("CUSPARSE_LOG_FILE");

    if (file && *file)
        cusparseLoggerOpenFile(file);
    if (level && *level)
        cusparseLoggerSetLevel(atoi(level));
}

void sparse_log_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_environment);
}

void sparse_log(const char *function)
{
    cusparseLoggerCallback_t callback;

    if (!atomic_load_explicit(&is_on, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    if (state.file)
        fprintf(state.file, "[cusparse][Api][%s] called\n", function);
    callback = state.callback;
    pthread_mutex_unlock(&lock);
    if (callback)
        callback(LEVEL_API, function, "called");
}

/* SPDX-License-Identifier: MIT */
/* The log: a line for each call that submits work, to a file, to the standard streams, or to the
 * program's callback. CUBLAS_LOGINFO_DBG=1 turns it on from outside, and CUBLAS_LOGDEST_DBG says
 * where it goes: stdout, stderr or a file. */
#include "blas.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool to_output, to_error;
    FILE *file;
    cublasLogCallback callback;
} sinks; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_on; /* there is a sink */

static void update_locked(bool configured)
{
    atomic_store(&is_on, configured || sinks.callback);
}

cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr,
                                     const char *logFileName)
{
    FILE *file = NULL;

    if (logIsOn && logFileName && *logFileName) {
        file = fopen(logFileName, "w");
        if (!file)
            return CUBLAS_STATUS_INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    if (sinks.file)
        fclose(sinks.file);
    sinks.file = file;
    sinks.to_output = logIsOn && logToStdOut;
    sinks.to_error = logIsOn && logToStdErr;
    update_locked(logIsOn);
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

static void configure_from_environment(void)
{
    const char *on = secure_getenv("CUBLAS_LOGINFO_DBG"),
               *destination = secure_getenv("CUBLAS_LOGDEST_DBG");
    bool to_output, to_error;

    if (!on || !atoi(on) || !destination)
        return;
    to_output = strcmp(destination, "stdout") == 0;
    to_error = strcmp(destination, "stderr") == 0;
    cublasLoggerConfigure(1, to_output, to_error, to_output || to_error ? NULL : destination);
}

void blas_log_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, configure_from_environment);
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback)
{
    pthread_mutex_lock(&lock);
    sinks.callback = userCallback;
    update_locked(sinks.file || sinks.to_output || sinks.to_error);
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback)
{
    if (!userCallback)
        return CUBLAS_STATUS_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    *userCallback = sinks.callback;
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

void blas_log(const char *format, ...)
{
    cublasLogCallback callback;
    char text[160], line[256];
    va_list arguments;

    if (!atomic_load_explicit(&is_on, memory_order_relaxed))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    snprintf(line, sizeof(line), "I! cuBLAS (v%d.%d.%d) function %s called\n", CUBLAS_VER_MAJOR,
             CUBLAS_VER_MINOR, CUBLAS_VER_PATCH, text);
    pthread_mutex_lock(&lock);
    if (sinks.to_output)
        fputs(line, stdout);
    if (sinks.to_error)
        fputs(line, stderr);
    if (sinks.file)
        fputs(line, sinks.file);
    callback = sinks.callback;
    pthread_mutex_unlock(&lock);
    if (callback)
        callback(line);
}

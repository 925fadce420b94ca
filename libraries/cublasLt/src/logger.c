/* SPDX-License-Identifier: MIT */
/* Messages go to the callback if there is one, and to the file, which is standard output unless the
 * program or CUBLASLT_LOG_FILE names one. CUBLASLT_LOG_LEVEL and CUBLASLT_LOG_MASK choose messages
 * before the program's first call. */
#include "logger.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LEVEL_MOST = LOGGER_API, LEVEL_ACCEPTED, MASK_ALL = (1 << LEVEL_MOST) - 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cublasLtLoggerCallback_t callback; /* guarded by lock */
static FILE *file;                        /* guarded by lock */
static FILE *opened;                      /* by this library; guarded by lock */
static _Atomic(unsigned) mask;
static atomic_bool disabled;

/* Replaces the file by one of the library's own, or by the program's. Called with the lock held. */
static void replace_file_locked(FILE *next, FILE *own)
{
    if (opened)
        fclose(opened);
    opened = own;
    file = next;
}

static void read_environment(void)
{
    const char *level = secure_getenv("CUBLASLT_LOG_LEVEL"),
               *bits = secure_getenv("CUBLASLT_LOG_MASK");
    const char *name = secure_getenv("CUBLASLT_LOG_FILE");
    int value = level ? atoi(level) : 0;

    if (value > 0)
        atomic_store(&mask, value >= LEVEL_MOST ? MASK_ALL : (1u << value) - 1);
    if (bits)
        atomic_store(&mask, (unsigned)strtoul(bits, NULL, 0) & MASK_ALL);
    if (name && *name) {
        opened = fopen(name, "a");
        file = opened;
    }
}

/* The log goes to standard output too when there is a callback. */
static void write_line(const char *function, int level, const char *message)
{
    FILE *out = file ? file : stdout;
    time_t now = time(NULL);
    struct tm local;
    char date[32] = "";

    if (localtime_r(&now, &local))
        strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &local);
    fprintf(out, "[%s][cublasLt][%d][%s][%s] %s\n", date, (int)getpid(),
            level == LOGGER_API ? "Api" : "Error", function, message);
    fflush(out);
}

cublasStatus_t logger_answer(const char *function, cublasStatus_t status)
{
    int level = status == CUBLAS_STATUS_SUCCESS ? LOGGER_API : LOGGER_ERROR;
    const char *message = cublasLtGetStatusName(status);
    cublasLtLoggerCallback_t call;

    pthread_once(&once, read_environment);
    if (!(atomic_load(&mask) & (1u << (level - 1))) || atomic_load(&disabled))
        return status;
    pthread_mutex_lock(&lock);
    call = callback;
    write_line(function, level, message);
    pthread_mutex_unlock(&lock);
    if (call)
        call(level, function, message);
    return status;
}

cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t function)
{
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    callback = function;
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetFile(FILE *stream)
{
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    replace_file_locked(stream, NULL);
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerOpenFile(const char *logFile)
{
    FILE *stream = logFile ? fopen(logFile, "a") : NULL;

    if (logFile && !stream)
        return CUBLAS_STATUS_INVALID_VALUE;
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    replace_file_locked(stream, stream);
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetLevel(int level)
{
    if (level < 0 || level > LEVEL_ACCEPTED)
        return CUBLAS_STATUS_INVALID_VALUE;
    pthread_once(&once, read_environment);
    atomic_store(&mask, ((1u << level) - 1) & MASK_ALL);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetMask(int bits)
{
    pthread_once(&once, read_environment);
    atomic_store(&mask, (unsigned)bits & MASK_ALL);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerForceDisable(void)
{
    logger_answer(__func__, CUBLAS_STATUS_SUCCESS);
    atomic_store(&disabled, true);
    return CUBLAS_STATUS_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* The settings begin with the environment, as in NVIDIA's driver:
 * CUDA_ENABLE_COREDUMP_ON_EXCEPTION, CUDA_ENABLE_LIGHTWEIGHT_COREDUMP, CUDA_COREDUMP_FILE. A dump
 * on request through a pipe is not supported, and the process goes on after a dump. */
#include "device/coredump.h"

#include "core/error.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIGHTWEIGHT = CU_COREDUMP_LIGHTWEIGHT_FLAGS };

/* Leaf mutex: guards the settings of the process and of all contexts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_coredump process;                /* guarded by lock */
static char process_pipe[CUP_COREDUMP_NAME_BYTES]; /* contexts have none; guarded by lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] && strcmp(value, "0") != 0;
}

static void read_environment(void)
{
    const char *file = getenv("CUDA_COREDUMP_FILE");

    process.on_exception = (uint8_t)is_set("CUDA_ENABLE_COREDUMP_ON_EXCEPTION");
    process.with_host = 1;
    process.flags = is_set("CUDA_ENABLE_LIGHTWEIGHT_COREDUMP") ? LIGHTWEIGHT : 0;
    if (file && strlen(file) < sizeof(process.file))
        strcpy(process.file, file);
}

static size_t size_of(CUcoredumpSettings attribute)
{
    switch (attribute) {
    case CU_COREDUMP_FILE:
    case CU_COREDUMP_PIPE:
        return CUP_COREDUMP_NAME_BYTES;
    case CU_COREDUMP_GENERATION_FLAGS:
        return sizeof(uint32_t);
    default:
        return 1;
    }
}

CUresult cup_coredump_check(CUcoredumpSettings attribute, int of_context)
{
    if (attribute < CU_COREDUMP_ENABLE_ON_EXCEPTION || attribute > CU_COREDUMP_GENERATION_FLAGS ||
        (of_context &&
         (attribute == CU_COREDUMP_ENABLE_USER_TRIGGER || attribute == CU_COREDUMP_PIPE)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no core dump attribute %d", (int)attribute);
    return CUDA_SUCCESS;
}

static uint8_t byte_of(const struct cup_coredump *settings, CUcoredumpSettings attribute)
{
    switch (attribute) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        return settings->on_exception;
    case CU_COREDUMP_TRIGGER_HOST:
        return settings->with_host;
    case CU_COREDUMP_LIGHTWEIGHT:
        return (settings->flags & LIGHTWEIGHT) == LIGHTWEIGHT;
    default:
        return 0;
    }
}

static void read_locked(const struct cup_coredump *settings, CUcoredumpSettings attribute,
                        void *value, size_t size)
{
    const char *name = attribute == CU_COREDUMP_FILE ? settings->file : process_pipe;
    size_t whole = size_of(attribute);

    if (attribute == CU_COREDUMP_GENERATION_FLAGS)
        memcpy(value, &settings->flags, sizeof(settings->flags));
    else if (whole == 1)
        *(uint8_t *)value = byte_of(settings, attribute);
    else if (size > 0) /* NVIDIA's driver writes 1024 bytes, whatever the size */
        snprintf(value, size < whole ? size : whole, "%s", name);
}

CUresult cup_coredump_get(const struct cup_coredump *settings, CUcoredumpSettings attribute,
                          void *value, size_t *size)
{
    size_t whole = size_of(attribute);

    if (!value) {
        *size = whole;
        return CUDA_SUCCESS;
    }
    if (whole != CUP_COREDUMP_NAME_BYTES && *size != whole)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the attribute has %zu bytes", whole);
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    read_locked(settings ? settings : &process, attribute, value, *size);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* The size cuts the name of a context's file, and not that of the process's, as recorded. */
static void write_locked(struct cup_coredump *settings, CUcoredumpSettings attribute,
                         const void *value, size_t size)
{
    switch (attribute) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        settings->on_exception = *(const uint8_t *)value;
        break;
    case CU_COREDUMP_TRIGGER_HOST:
        settings->with_host = *(const uint8_t *)value;
        break;
    case CU_COREDUMP_LIGHTWEIGHT:
        settings->flags &= ~(uint32_t)LIGHTWEIGHT;
        settings->flags |= *(const uint8_t *)value ? LIGHTWEIGHT : 0;
        break;
    case CU_COREDUMP_FILE:
        strcpy(settings->file, value);
        if (settings != &process && size < sizeof(settings->file))
            settings->file[size] = '\0';
        break;
    case CU_COREDUMP_PIPE:
        strcpy(process_pipe, value);
        break;
    case CU_COREDUMP_GENERATION_FLAGS:
        memcpy(&settings->flags, value, sizeof(settings->flags));
        break;
    default:
        break;
    }
}

/* A name ends with a zero, whatever its size. */
static CUresult check_value(CUcoredumpSettings attribute, const void *value, size_t size)
{
    size_t whole = size_of(attribute);

    if (whole == CUP_COREDUMP_NAME_BYTES) {
        if (strnlen(value, whole) == whole)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "a name of more than %zu bytes", whole - 1);
    } else if (size != whole) {
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the attribute has %zu bytes", whole);
    } else if (attribute == CU_COREDUMP_ENABLE_USER_TRIGGER && *(const uint8_t *)value) {
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "dumps on request are not supported");
    }
    return CUDA_SUCCESS;
}

CUresult cup_coredump_set(struct cup_coredump *settings, CUcoredumpSettings attribute,
                          const void *value, size_t *size)
{
    if (!value) {
        *size = size_of(attribute);
        return CUDA_SUCCESS;
    }
    CUresult result = check_value(attribute, value, *size);
    if (result != CUDA_SUCCESS)
        return result;
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    write_locked(settings ? settings : &process, attribute, value, *size);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

void cup_coredump_inherit(struct cup_coredump *settings)
{
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    *settings = process;
    pthread_mutex_unlock(&lock);
}

/* Replaces %h, %p and %t by the host, the process and the time. */
static void expand_name(const char *pattern, char *name, size_t size)
{
    char host[256] = "";
    size_t length = 0;

    gethostname(host, sizeof(host) - 1);
    for (; *pattern && length + 1 < size; pattern++) {
        int added = 1;
        if (pattern[0] != '%' || !pattern[1] || !strchr("hpt", pattern[1]))
            name[length] = *pattern;
        else if (*++pattern == 'h')
            added = snprintf(name + length, size - length, "%s", host);
        else
            added = snprintf(name + length, size - length, "%ld",
                             *pattern == 'p' ? (long)getpid() : (long)time(NULL));
        length += (size_t)added;
    }
    name[length < size ? length : size - 1] = '\0';
}

void cup_coredump_write(const struct cup_coredump *settings, const char *text)
{
    char pattern[CUP_COREDUMP_NAME_BYTES], name[2 * CUP_COREDUMP_NAME_BYTES];

    pthread_mutex_lock(&lock);
    int wanted = settings->on_exception;
    strcpy(pattern, settings->file[0] ? settings->file : "core_%t_%h_%p.nvcudmp");
    pthread_mutex_unlock(&lock);
    if (!wanted)
        return;
    expand_name(pattern, name, sizeof(name));
    FILE *file = fopen(name, "we");
    if (!file || fputs(text, file) < 0)
        cup_log(CUP_LOG_ERROR, "the core dump %s cannot be written", name);
    if (file)
        fclose(file);
}

/* SPDX-License-Identifier: MIT */
/* The settings begin with the environment, as in NVIDIA's driver:
 * CUDA_ENABLE_COREDUMP_ON_EXCEPTION, CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION,
 * CUDA_COREDUMP_GENERATION_FLAGS, CUDA_COREDUMP_FILE, CUDA_ENABLE_USER_TRIGGERED_COREDUMP and
 * CUDA_COREDUMP_PIPE. */
#include "device/coredump.h"

#include "core/compiler.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/coredump_callback.h"
#include "device/gzip.h"
#include "os/mutex.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIGHTWEIGHT = CU_COREDUMP_LIGHTWEIGHT_FLAGS, NO_ABORT = CU_COREDUMP_SKIP_ABORT };

/* Their names in CUDA_COREDUMP_GENERATION_FLAGS. */
static const struct {
    const char *name;
    uint32_t flag;
} flag_names[] = {
    {"skip_nonrelocated_elf_images", CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES},
    {"skip_global_memory", CU_COREDUMP_SKIP_GLOBAL_MEMORY},
    {"skip_shared_memory", CU_COREDUMP_SKIP_SHARED_MEMORY},
    {"skip_local_memory", CU_COREDUMP_SKIP_LOCAL_MEMORY},
    {"skip_constbank_memory", CU_COREDUMP_SKIP_CONSTBANK_MEMORY},
    {"skip_abort", CU_COREDUMP_SKIP_ABORT},
    {"gzip_compress", CU_COREDUMP_GZIP_COMPRESS},
    {"faulted_contexts_only", CU_COREDUMP_FAULTED_CONTEXTS_ONLY},
    {"no_errbar_at_exit", CU_COREDUMP_NO_ERRBAR_AT_EXIT},
    {"log_only", (uint32_t)CU_COREDUMP_LOG_ONLY},
};

/* Leaf mutex: guards the settings of the process and of all contexts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_coredump process; /* guarded by lock */
/* Dumps on request are of the process alone. The name is a pattern until they are enabled. */
static char process_pipe[CUP_COREDUMP_NAME_BYTES]; /* guarded by lock */
static bool process_trigger;                       /* guarded by lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Flags that came after the driver have no effect. */
static bool has_flag(uint32_t flags, CUCoredumpGenerationFlags flag)
{
    return flags & (uint32_t)flag && cup_driver_knows(CUP_ENUM_COREDUMP_FLAG, (int)flag);
}

static int is_set(const char *name)
{
    const char *value = secure_getenv(name);

    return value && value[0] && strcmp(value, "0") != 0;
}

static uint32_t read_flags(const char *names)
{
    uint32_t flags = 0;

    while (names && *names) {
        size_t length = strcspn(names, ",");

        for (size_t i = 0; i < CUP_ARRAY_COUNT(flag_names); i++) {
            if (strlen(flag_names[i].name) == length &&
                strncmp(names, flag_names[i].name, length) == 0 &&
                cup_driver_knows(CUP_ENUM_COREDUMP_FLAG, (int)flag_names[i].flag))
                flags |= flag_names[i].flag;
        }
        names += length + (names[length] == ',');
    }
    return flags;
}

static void read_name(const char *variable, char *name)
{
    const char *value = secure_getenv(variable);

    if (value && strlen(value) < CUP_COREDUMP_NAME_BYTES)
        strcpy(name, value);
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

/* Enabling dumps on request enables those of failed launches, too. */
static void set_trigger_locked(bool is_on)
{
    cup_mutex_assert_held(&lock);
    char pattern[CUP_COREDUMP_NAME_BYTES];

    if (is_on && !process_trigger) {
        strcpy(pattern, process_pipe[0] ? process_pipe : "corepipe_%h_%p");
        expand_name(pattern, process_pipe, sizeof(process_pipe));
        process.on_exception = 1;
    }
    process_trigger = is_on;
}

static void read_environment(void)
{
    const char *host = secure_getenv("CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION");

    pthread_mutex_lock(&lock);
    process.on_exception = (uint8_t)is_set("CUDA_ENABLE_COREDUMP_ON_EXCEPTION");
    process.flags = read_flags(secure_getenv("CUDA_COREDUMP_GENERATION_FLAGS"));
    if (host && strcmp(host, "0") == 0)
        process.flags |= NO_ABORT;
    read_name("CUDA_COREDUMP_FILE", process.file);
    read_name("CUDA_COREDUMP_PIPE", process_pipe);
    set_trigger_locked(is_set("CUDA_ENABLE_USER_TRIGGERED_COREDUMP"));
    pthread_mutex_unlock(&lock);
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

static uint8_t byte_of_locked(const struct cup_coredump *settings, CUcoredumpSettings attribute)
{
    cup_mutex_assert_held(&lock);
    switch (attribute) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        return settings->on_exception;
    case CU_COREDUMP_TRIGGER_HOST:
        return !(settings->flags & NO_ABORT);
    case CU_COREDUMP_LIGHTWEIGHT:
        return (settings->flags & LIGHTWEIGHT) == LIGHTWEIGHT;
    default:
        return process_trigger;
    }
}

static void read_locked(const struct cup_coredump *settings, CUcoredumpSettings attribute,
                        void *value, size_t size)
{
    cup_mutex_assert_held(&lock);
    const char *name = attribute == CU_COREDUMP_FILE ? settings->file : process_pipe;
    size_t whole = size_of(attribute);

    if (attribute == CU_COREDUMP_GENERATION_FLAGS)
        memcpy(value, &settings->flags, sizeof(settings->flags));
    else if (whole == 1)
        *(uint8_t *)value = byte_of_locked(settings, attribute);
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
    cup_mutex_assert_held(&lock);
    switch (attribute) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        settings->on_exception = *(const uint8_t *)value;
        break;
    case CU_COREDUMP_TRIGGER_HOST:
        settings->flags &= ~(uint32_t)NO_ABORT;
        settings->flags |= *(const uint8_t *)value ? 0 : NO_ABORT;
        break;
    case CU_COREDUMP_ENABLE_USER_TRIGGER:
        set_trigger_locked(*(const uint8_t *)value);
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
    }
    if (attribute == CU_COREDUMP_GENERATION_FLAGS) {
        uint32_t flags;
        memcpy(&flags, value, sizeof(flags));
        if (has_flag(flags, CU_COREDUMP_GZIP_COMPRESS) && !cup_gzip_is_available())
            return cup_error(
                CUDA_ERROR_NOT_SUPPORTED,
                "CU_COREDUMP_GZIP_COMPRESS needs libdeflate.so.0: install libdeflate0");
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
    if (attribute == CU_COREDUMP_PIPE && process_trigger)
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "the pipe has its name already");
    else
        write_locked(settings ? settings : &process, attribute, value, *size);
    pthread_mutex_unlock(&lock);
    return result;
}

void cup_coredump_inherit(struct cup_coredump *settings, bool enable)
{
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    *settings = process;
    if (enable)
        settings->on_exception = 1;
    settings->is_armed = settings->on_exception != 0;
    pthread_mutex_unlock(&lock);
}

bool cup_coredump_pipe(char *name)
{
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    bool is_on = process_trigger;
    strcpy(name, process_pipe);
    pthread_mutex_unlock(&lock);
    return is_on;
}

bool cup_coredump_wanted(const struct cup_coredump *settings, bool *with_registers)
{
    pthread_mutex_lock(&lock);
    bool wanted = settings->is_armed && settings->on_exception;
    *with_registers = !(settings->flags & CU_COREDUMP_SKIP_LOCAL_MEMORY);
    pthread_mutex_unlock(&lock);
    return wanted;
}

bool cup_coredump_of_faulted_only(void)
{
    pthread_mutex_lock(&lock);
    bool faulted_only = has_flag(process.flags, CU_COREDUMP_FAULTED_CONTEXTS_ONLY);
    pthread_mutex_unlock(&lock);
    return faulted_only;
}

/* What a dump needs of its settings. */
struct target {
    uint32_t flags;
    char name[2 * CUP_COREDUMP_NAME_BYTES];
};

static void find_target(const struct cup_coredump *settings, struct target *target)
{
    char pattern[CUP_COREDUMP_NAME_BYTES];

    pthread_mutex_lock(&lock);
    const struct cup_coredump *from = settings ? settings : &process;
    target->flags = from->flags;
    strcpy(pattern, from->file[0] ? from->file : "core_%t_%h_%p.nvcudmp");
    pthread_mutex_unlock(&lock);
    expand_name(pattern, target->name, sizeof(target->name));
}

void cup_coredump_begin(const struct cup_coredump *settings, CUdevice device)
{
    struct target target;

    find_target(settings, &target);
    if (!has_flag(target.flags, CU_COREDUMP_LOG_ONLY))
        cup_coredump_callback_run(CUP_COREDUMP_STARTS, device);
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "we");
    bool is_written = file && fwrite(data, 1, size, file) == size;

    if (file && fclose(file) != 0)
        is_written = false;
    if (is_written)
        cup_log(CUP_LOG_ERROR, "wrote the core dump %s", name);
    else
        cup_log(CUP_LOG_ERROR, "the core dump %s cannot be written", name);
}

/* The name gets the suffix .gz unless it has it. What cannot be compressed is written as it is. */
static void write_compressed(struct target *target, const char *text)
{
    size_t length = strlen(target->name), size = 0;
    void *data = cup_gzip_compress(text, strlen(text), &size);

    if (data && (length < 3 || strcmp(target->name + length - 3, ".gz") != 0) &&
        length + 3 < sizeof(target->name))
        strcat(target->name, ".gz");
    write_file(target->name, data ? data : text, data ? size : strlen(text));
    free(data);
}

void cup_coredump_write(const struct cup_coredump *settings, CUdevice device, const char *text)
{
    struct target target;

    find_target(settings, &target);
    if (has_flag(target.flags, CU_COREDUMP_LOG_ONLY)) {
        cup_log(CUP_LOG_ERROR, "a core dump would say:\n%s", text);
    } else {
        if (has_flag(target.flags, CU_COREDUMP_GZIP_COMPRESS))
            write_compressed(&target, text);
        else
            write_file(target.name, text, strlen(text));
        cup_coredump_callback_run(CUP_COREDUMP_IS_COMPLETE, device);
    }
    if (!(target.flags & NO_ABORT))
        abort();
}

/* SPDX-License-Identifier: MIT */
/* Reads the environment into a struct: one small function per variable, listed in one table that
 * also has all valid names. All variables are read even after an error, so that one run shows all
 * mistakes. NVIDIA's own variables behave as in NVIDIA's driver. */
#include "core/config.h"

#include "core/fail.h"
#include "core/log_setup.h"
#include "core/visible_devices.h"
#include "os/system.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reports an invalid value on stderr, regardless of the log level. */
static CUresult report(CUresult result, const char *format, ...) CUP_PRINTF(2, 3);

static CUresult report(CUresult result, const char *format, ...)
{
    char text[1024] = "cupipe: ";
    const size_t start = strlen(text);
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    if (vsnprintf(text + start, sizeof(text) - start - 1, format, arguments) < 0)
        text[start] = '\0';
    va_end(arguments);
    length = strlen(text);
    text[length++] = '\n';
    while (write(STDERR_FILENO, text, length) < 0 && errno == EINTR)
        continue;
    return result;
}

/* Parses decimal digits, at least one, without overflow. `end` is set behind them. */
static bool parse_digits(const char *text, uint64_t *number, const char **end)
{
    uint64_t value = 0;

    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    *number = value;
    *end = text;
    return true;
}

static bool parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *number)
{
    const char *end;

    return parse_digits(text, number, &end) && *end == '\0' && *number >= low && *number <= high;
}

/* A number with an optional suffix K, M, G or T. */
static bool parse_bytes(const char *text, uint64_t *bytes)
{
    static const char suffixes[] = "KMGT";
    const char *end;
    const char *suffix;
    unsigned shift;

    if (!parse_digits(text, bytes, &end))
        return false;
    if (*end == '\0')
        return true;
    suffix = strchr(suffixes, toupper((unsigned char)*end));
    if (!suffix || end[1] != '\0')
        return false;
    shift = 10 * (unsigned)(suffix - suffixes + 1);
    return !__builtin_mul_overflow(*bytes, UINT64_C(1) << shift, bytes);
}

static bool is_name(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

static bool is_printable(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    }
    return true;
}

/* The readers. `value` is NULL if the variable is unset; an empty CUPIPE_ variable counts as unset.
 * A reader that fails does not change its fields. */

static CUresult read_log(struct cup_config *config, const char *name, const char *value)
{
    const char *colon = value ? strchr(value, ':') : NULL;
    size_t length = colon ? (size_t)(colon - value) : strlen(value ? value : "");
    int error;

    if (value && (!cup_log_level_parse(value, length, &config->log_level) || (colon && !colon[1])))
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not none, error, warning, info or debug, with or without :FILE",
                      name, value);
    config->log_path = colon ? colon + 1 : NULL;
    error = cup_log_open(config->log_level, config->log_path);
    if (error)
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" names a file that cannot be written: %s",
                      name, value, strerror(error));
    return CUDA_SUCCESS;
}

static CUresult read_devices(struct cup_config *config, const char *name, const char *value)
{
    uint64_t number = 0; /* unset: as many as models are named */

    if (value && !parse_number(value, 1, CUP_MAX_DEVICES, &number))
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not a number from 1 to %d", name,
                      value, CUP_MAX_DEVICES);
    config->device_count = (unsigned)number;
    return CUDA_SUCCESS;
}

/* A list of models. More devices than models: the list is repeated. */
static CUresult read_gpu(struct cup_config *config, const char *name, const char *value)
{
    const char *text = value ? value : cup_gpu_default()->key;
    unsigned count = 0;

    config->gpus_chosen = value != NULL;
    for (bool more = true; more; count++) {
        size_t length = strcspn(text, ",");
        const struct cup_gpu *gpu = cup_gpu_find(text, length);

        if (!gpu || count == CUP_MAX_DEVICES) {
            char known[512];

            cup_gpu_list(known, sizeof known);
            return report(CUDA_ERROR_INVALID_VALUE,
                          "%s=\"%s\" is not a list of 1 to %d GPUs of these: %s", name, value,
                          CUP_MAX_DEVICES, known);
        }
        config->gpus[count] = gpu;
        more = text[length] == ',';
        text += length + more;
    }
    if (config->device_count == 0)
        config->device_count = count;
    for (unsigned i = count; i < config->device_count; i++)
        config->gpus[i] = config->gpus[i - count];
    return CUDA_SUCCESS;
}

static CUresult read_sms(struct cup_config *config, const char *name, const char *value)
{
    uint64_t number = 0;

    if (value && !parse_number(value, 1, CUP_MAX_SMS, &number))
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not a number from 1 to %d", name,
                      value, CUP_MAX_SMS);
    config->sms = (unsigned)number;
    return CUDA_SUCCESS;
}

/* "8.6" */
static CUresult read_capability(struct cup_config *config, const char *name, const char *value)
{
    const char *end;
    uint64_t major = 0, minor = 0;

    if (!value)
        return CUDA_SUCCESS;
    if (parse_digits(value, &major, &end) && major < 100 && *end == '.' &&
        parse_number(end + 1, 0, 9, &minor))
        config->capability = cup_capability_find((unsigned)(10 * major + minor));
    if (!config->capability)
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not a compute capability such as 8.6",
                      name, value);
    return CUDA_SUCCESS;
}

static CUresult read_name(struct cup_config *config, const char *name, const char *value)
{
    if (value && (strlen(value) >= sizeof(config->device_name) || !is_printable(value)))
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not a text of 1 to %zu printable bytes", name, value,
                      sizeof(config->device_name) - 1);
    strcpy(config->device_name, value ? value : "");
    return CUDA_SUCCESS;
}

static CUresult read_uuid(struct cup_config *config, const char *name, const char *value)
{
    /* 63757069-7065-8000-8000-000000000000: "cupipe", and the version and variant bits of a custom
     * UUID. */
    static const unsigned char standard[sizeof(CUuuid)] = "cupipe\x80\x00\x80";
    unsigned char bytes[sizeof(CUuuid)];
    const char *digits = value;
    const char *end;

    bool is_vulkan = value && strcmp(value, "vulkan") == 0;
    if (!value || is_vulkan) {
        config->uuid_source = is_vulkan ? CUP_UUID_VULKAN : CUP_UUID_AUTO;
        memcpy(&config->device_uuid, standard, sizeof(standard));
        return CUDA_SUCCESS;
    }
    config->uuid_source = CUP_UUID_GIVEN;
    if (strncmp(value, "GPU-", 4) == 0)
        digits += 4;
    if (cup_hex_parse(digits, bytes, sizeof(bytes), &end) != 2 * sizeof(bytes) || *end != '\0')
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not a UUID: 32 hexadecimal digits, with or without dashes and "
                      "GPU- before them; nor is it vulkan",
                      name, value);
    memcpy(&config->device_uuid, bytes, sizeof(bytes));
    return CUDA_SUCCESS;
}

static uint64_t default_memory_bytes(void)
{
    uint64_t host = cup_system_memory_bytes();
    uint64_t bytes = (host - host / 4) / CUP_MEMORY_STEP_BYTES * CUP_MEMORY_STEP_BYTES;

    if (bytes < CUP_MEMORY_MIN_BYTES)
        return CUP_MEMORY_MIN_BYTES;
    return bytes < CUP_MEMORY_MAX_BYTES ? bytes : CUP_MEMORY_MAX_BYTES;
}

static CUresult read_memory(struct cup_config *config, const char *name, const char *value)
{
    uint64_t bytes;

    config->memory_given = value != NULL;
    if (!value) {
        config->memory_bytes = default_memory_bytes();
        return CUDA_SUCCESS;
    }
    if (!parse_bytes(value, &bytes) || bytes < CUP_MEMORY_MIN_BYTES || bytes > CUP_MEMORY_MAX_BYTES)
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not a number of bytes from 32M to 64T (K, M, G or T may follow "
                      "the number)",
                      name, value);
    config->memory_bytes = bytes / CUP_MEMORY_STEP_BYTES * CUP_MEMORY_STEP_BYTES;
    return CUDA_SUCCESS;
}

static CUresult read_budget(struct cup_config *config, const char *name, const char *value)
{
    uint64_t bytes = 0;

    if (value && (!parse_bytes(value, &bytes) || bytes < CUP_MEMORY_STEP_BYTES ||
                  bytes > CUP_MEMORY_MAX_BYTES))
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not a number of bytes from 2M to 64T (K, M, G or T may follow "
                      "the number)",
                      name, value);
    config->memory_budget_bytes = bytes;
    return CUDA_SUCCESS;
}

static CUresult read_topology(struct cup_config *config, const char *name, const char *value)
{
    if (!value || strcmp(value, "all") == 0)
        config->topology = CUP_TOPOLOGY_ALL;
    else if (strcmp(value, "none") == 0)
        config->topology = CUP_TOPOLOGY_NONE;
    else if (strcmp(value, "pairs") == 0)
        config->topology = CUP_TOPOLOGY_PAIRS;
    else
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not all, none or pairs", name, value);
    return CUDA_SUCCESS;
}

static CUresult read_export(struct cup_config *config, const char *name, const char *value)
{
    if (!value || strcmp(value, "auto") == 0)
        config->export_form = CUP_EXPORT_AUTO;
    else if (strcmp(value, "llvmpipe") == 0)
        config->export_form = CUP_EXPORT_LLVMPIPE;
    else if (strcmp(value, "plain") == 0)
        config->export_form = CUP_EXPORT_PLAIN;
    else
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not auto, llvmpipe or plain", name,
                      value);
    return CUDA_SUCCESS;
}

static CUresult read_threads(struct cup_config *config, const char *name, const char *value)
{
    uint64_t number;

    if (!value) {
        unsigned cpus = cup_system_cpu_count();

        config->threads = cpus < CUP_MAX_THREADS ? cpus : CUP_MAX_THREADS;
        return CUDA_SUCCESS;
    }
    if (!parse_number(value, 1, CUP_MAX_THREADS, &number))
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not a number from 1 to %d", name,
                      value, CUP_MAX_THREADS);
    config->threads = (unsigned)number;
    return CUDA_SUCCESS;
}

static CUresult read_schedule(struct cup_config *config, const char *name, const char *value)
{
    static const char random[] = "random:";

    if (!value || strcmp(value, "eager") == 0) {
        config->schedule = CUP_CONFIG_SCHEDULE_EAGER;
    } else if (strcmp(value, "lazy") == 0) {
        config->schedule = CUP_CONFIG_SCHEDULE_LAZY;
    } else if (strncmp(value, random, strlen(random)) == 0 &&
               parse_number(value + strlen(random), 0, UINT64_MAX, &config->schedule_seed)) {
        config->schedule = CUP_CONFIG_SCHEDULE_RANDOM;
    } else {
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not eager, lazy or random:SEED, where SEED is a number of at "
                      "most 64 bits",
                      name, value);
    }
    return CUDA_SUCCESS;
}

static CUresult read_trace(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->trace_path = value;
    return CUDA_SUCCESS;
}

static CUresult read_cache(struct cup_config *config, const char *name, const char *value)
{
    config->cache_off = value && strcmp(value, "off") == 0;
    if (value && !config->cache_off && value[0] != '/')
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not off or a folder whose name begins with /", name, value);
    config->cache_path = config->cache_off ? NULL : value;
    return CUDA_SUCCESS;
}

static CUresult read_jit(struct cup_config *config, const char *name, const char *value)
{
    if (!value || strcmp(value, "both") == 0)
        config->jit = CUP_CONFIG_JIT_BOTH;
    else if (strcmp(value, "first") == 0)
        config->jit = CUP_CONFIG_JIT_FIRST;
    else if (strcmp(value, "optimised") == 0)
        config->jit = CUP_CONFIG_JIT_OPTIMISED;
    else
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not both, first or optimised", name,
                      value);
    return CUDA_SUCCESS;
}

static CUresult read_cpu(struct cup_config *config, const char *name, const char *value)
{
    if (!value || strcmp(value, "all") == 0)
        config->cpu = CUP_CONFIG_CPU_ALL;
    else if (strcmp(value, "plain") == 0)
        config->cpu = CUP_CONFIG_CPU_PLAIN;
    else if (strcmp(value, "avx2") == 0)
        config->cpu = CUP_CONFIG_CPU_AVX2;
    else if (strcmp(value, "avx512") == 0)
        config->cpu = CUP_CONFIG_CPU_AVX512;
    else
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not all, avx512, avx2 or plain", name,
                      value);
    return CUDA_SUCCESS;
}

static CUresult read_math(struct cup_config *config, const char *name, const char *value)
{
    config->fast_math = value && strcmp(value, "fast") == 0;
    if (value && !config->fast_math && strcmp(value, "exact") != 0)
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not exact or fast", name, value);
    return CUDA_SUCCESS;
}

static CUresult read_jit_library(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->jit_path = value;
    return CUDA_SUCCESS;
}

static CUresult read_dump(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->dump_path = value;
    return CUDA_SUCCESS;
}

static CUresult read_switch(const char *name, const char *value, bool *on)
{
    if (value && strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not 0 or 1", name, value);
    *on = value && value[0] == '1';
    return CUDA_SUCCESS;
}

static CUresult read_perf(struct cup_config *config, const char *name, const char *value)
{
    static const char *const words[] = {"0", "1", "jitdump"};

    for (unsigned i = 0; value && i < CUP_ARRAY_COUNT(words); i++)
        if (strcmp(value, words[i]) == 0) {
            config->perf = (enum cup_config_perf)i;
            return CUDA_SUCCESS;
        }
    if (value)
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not 0, 1 or jitdump", name, value);
    return CUDA_SUCCESS;
}

/* Code for debuggers is that of the first tier, and one worker runs it unless CUPIPE_THREADS says
 * otherwise: whoever steps through a kernel sees one block at a time. */
static CUresult read_debug(struct cup_config *config, const char *name, const char *value)
{
    CUresult result = read_switch(name, value, &config->debug);

    if (result == CUDA_SUCCESS && config->debug) {
        config->jit = CUP_CONFIG_JIT_FIRST;
        if (!secure_getenv("CUPIPE_THREADS"))
            config->threads = 1;
    }
    return result;
}

/* Kernels that count are compiled by the first tier, whose code has every instruction once. */
static CUresult read_profile(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->profile_path = value;
    if (value)
        config->jit = CUP_CONFIG_JIT_FIRST;
    return CUDA_SUCCESS;
}

static CUresult read_ptx(struct cup_config *config, const char *name, const char *value)
{
    if (value && strcmp(value, "known") != 0 && strcmp(value, "newer") != 0)
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not known or newer", name, value);
    config->ptx_newer = value && strcmp(value, "newer") == 0;
    return CUDA_SUCCESS;
}

static CUresult read_driver(struct cup_config *config, const char *name, const char *value)
{
    const struct cup_driver_version *version = cup_driver_version_parse(value);
    unsigned first = cup_driver_version_first()->cuda, last = cup_driver_version_last()->cuda;

    if (!version)
        return report(CUDA_ERROR_INVALID_VALUE,
                      "%s=\"%s\" is not a version of CUDA from %u.%u to %u.%u, such as 13.0", name,
                      value, first / 1000, first % 1000 / 10, last / 1000, last % 1000 / 10);
    config->driver = version;
    return CUDA_SUCCESS;
}

static CUresult read_fail(struct cup_config *config, const char *name, const char *value)
{
    char why[256];

    (void)config;
    if (!cup_fail_parse(value, why, sizeof(why)))
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\": %s", name, value, why);
    return CUDA_SUCCESS;
}

/* "memory", or "memory:quarantine=BYTES". */
static bool parse_check_memory(struct cup_config *config, const char *text, size_t length)
{
    static const char head[] = "memory", option[] = ":quarantine=";
    char bytes[32];

    if (length < strlen(head) || memcmp(text, head, strlen(head)) != 0)
        return false;
    text += strlen(head);
    length -= strlen(head);
    config->check_memory = true;
    if (length == 0)
        return true;
    if (length <= strlen(option) || length - strlen(option) >= sizeof(bytes) ||
        memcmp(text, option, strlen(option)) != 0)
        return false;
    snprintf(bytes, sizeof(bytes), "%.*s", (int)(length - strlen(option)), text + strlen(option));
    return parse_bytes(bytes, &config->check_quarantine_bytes);
}

/* The checks that are one word. */
static const struct check {
    const char *name;
    size_t offset; /* of the bool in struct cup_config */
} checks[] = {
    {"leaks", offsetof(struct cup_config, check_leaks)},
    {"init", offsetof(struct cup_config, check_init)},
    {"races", offsetof(struct cup_config, check_races)},
    {"sync", offsetof(struct cup_config, check_sync)},
    {"streams", offsetof(struct cup_config, check_streams)},
};

static bool parse_check(struct cup_config *config, const char *text, size_t length)
{
    if (is_name("all", text, length)) {
        for (size_t i = 0; i < CUP_ARRAY_COUNT(checks); i++)
            *(bool *)((char *)config + checks[i].offset) = true;
        config->check_memory = true;
        return true;
    }
    for (size_t i = 0; i < CUP_ARRAY_COUNT(checks); i++) {
        if (is_name(checks[i].name, text, length)) {
            *(bool *)((char *)config + checks[i].offset) = true;
            return true;
        }
    }
    return parse_check_memory(config, text, length);
}

static CUresult report_check(const char *name, const char *word, size_t length)
{
    char known[256] = "all, memory, memory:quarantine=BYTES";

    for (size_t i = 0; i < CUP_ARRAY_COUNT(checks); i++) {
        strcat(known, i + 1 < CUP_ARRAY_COUNT(checks) ? ", " : " or ");
        strcat(known, checks[i].name);
    }
    return report(CUDA_ERROR_INVALID_VALUE,
                  "%s: \"%.*s\" is not a check; one is %s; several have commas between them", name,
                  (int)length, word, known);
}

static CUresult read_check(struct cup_config *config, const char *name, const char *value)
{
    const char *text = value;

    config->check_quarantine_bytes = UINT64_C(256) << 20;
    while (text && *text) {
        size_t length = strcspn(text, ",");

        if (!parse_check(config, text, length))
            return report_check(name, text, length);
        text += length;
        if (*text && !*++text)
            return report(CUDA_ERROR_INVALID_VALUE, "%s ends with a comma", name);
    }
    return CUDA_SUCCESS;
}

enum { DEFAULT_CHECK_LIMIT = 100 };

static CUresult read_check_limit(struct cup_config *config, const char *name, const char *value)
{
    config->check_limit = DEFAULT_CHECK_LIMIT;
    if (value && !parse_number(value, 0, UINT64_MAX - 1, &config->check_limit))
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not a number of reports", name,
                      value);
    return CUDA_SUCCESS;
}

static CUresult read_check_suppress(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->check_suppress_path = value;
    return CUDA_SUCCESS;
}

static CUresult read_check_json(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->check_json_path = value;
    return CUDA_SUCCESS;
}

static CUresult read_check_exit(struct cup_config *config, const char *name, const char *value)
{
    uint64_t number = 0;

    if (value && !parse_number(value, 1, 255, &number))
        return report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not an exit code from 1 to 255", name,
                      value);
    config->check_exit = (int)number;
    return CUDA_SUCCESS;
}

/* The PCI addresses of physical devices ascend. Devices that are equally fast keep their order. */
static CUresult read_order(struct cup_config *config, const char *name, const char *value)
{
    bool by_address = value && strcmp(value, "PCI_BUS_ID") == 0;

    if (value && !by_address && strcmp(value, "FASTEST_FIRST") != 0)
        return report(CUDA_ERROR_INVALID_DEVICE, "%s=\"%s\" is not FASTEST_FIRST or PCI_BUS_ID",
                      name, value);
    for (unsigned i = 0; i < config->device_count; i++) {
        uint64_t speed = cup_gpu_speed(config->gpus[i]);
        unsigned place = i;

        while (!by_address && place > 0 &&
               cup_gpu_speed(config->gpus[config->order[place - 1]]) < speed) {
            config->order[place] = config->order[place - 1];
            place--;
        }
        config->order[place] = i;
    }
    return CUDA_SUCCESS;
}

/* The documented values are 0 and 1. */
static CUresult read_launch_blocking(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->launch_blocking = value && strcmp(value, "1") == 0;
    return CUDA_SUCCESS;
}

/* Hiding all devices is legitimate; only a duplicate is logged. */
static CUresult read_visible(struct cup_config *config, const char *name, const char *value)
{
    CUresult result = cup_visible_parse(config, value);

    if (result == CUDA_ERROR_INVALID_DEVICE)
        return report(result, "%s=\"%s\" names a device twice", name, value);
    if (result == CUDA_ERROR_NO_DEVICE)
        cup_log(CUP_LOG_INFO, "%s=\"%s\" leaves no device to see", name, value);
    return result;
}

/* In this order: the log first, because the others write to it; then what the visible list depends
 * on. */
static const struct variable {
    const char *name;
    CUresult (*read)(struct cup_config *config, const char *name, const char *value);
} variables[] = {
    {"CUPIPE_LOG", read_log},
    {"CUPIPE_DEVICES", read_devices},
    {"CUPIPE_GPU", read_gpu},
    {"CUPIPE_SMS", read_sms},
    {"CUPIPE_COMPUTE_CAPABILITY", read_capability},
    {"CUPIPE_DEVICE_NAME", read_name},
    {"CUPIPE_DEVICE_UUID", read_uuid},
    {"CUPIPE_MEMORY", read_memory},
    {"CUPIPE_THREADS", read_threads},
    {"CUPIPE_SCHEDULE", read_schedule},
    {"CUPIPE_TRACE", read_trace},
    {"CUPIPE_MEMORY_BUDGET", read_budget},
    {"CUPIPE_DRIVER", read_driver},
    {"CUPIPE_TOPOLOGY", read_topology},
    {"CUPIPE_CACHE", read_cache},
    {"CUPIPE_JIT", read_jit},
    {"CUPIPE_JIT_LIBRARY", read_jit_library},
    {"CUPIPE_CPU", read_cpu},
    {"CUPIPE_MATH", read_math},
    {"CUPIPE_DUMP", read_dump},
    {"CUPIPE_PERF", read_perf},
    {"CUPIPE_DEBUG", read_debug},
    {"CUPIPE_PROFILE", read_profile},
    {"CUPIPE_PTX", read_ptx},
    {"CUPIPE_EXPORT", read_export},
    {"CUPIPE_FAIL", read_fail},
    {"CUPIPE_CHECK", read_check},
    {"CUPIPE_CHECK_LIMIT", read_check_limit},
    {"CUPIPE_CHECK_SUPPRESS", read_check_suppress},
    {"CUPIPE_CHECK_JSON", read_check_json},
    {"CUPIPE_CHECK_EXIT", read_check_exit},
    {"CUDA_DEVICE_ORDER", read_order},
    {"CUDA_VISIBLE_DEVICES", read_visible},
    {"CUDA_LAUNCH_BLOCKING", read_launch_blocking},
};

/* Read by the Vulkan loader, our Vulkan layer, libnvrtc and libnvJitLink. */
static const char *const variables_of_others[] = {
    "CUPIPE_NVJITLINK",        "CUPIPE_NVRTC", "CUPIPE_VULKAN_LAYER", "CUPIPE_VULKAN_LAYER_DISABLE",
    "CUPIPE_VULKAN_VENDOR_ID",
};

static const char *const own_prefix = "CUPIPE_";

static bool is_own(const char *name)
{
    return strncmp(name, own_prefix, strlen(own_prefix)) == 0;
}

static const char *value_of(const struct variable *variable)
{
    const char *value = secure_getenv(variable->name);

    return value && *value == '\0' && is_own(variable->name) ? NULL : value;
}

static bool is_known(const char *name, size_t length)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(variables); i++) {
        if (is_name(variables[i].name, name, length))
            return true;
    }
    for (size_t i = 0; i < CUP_ARRAY_COUNT(variables_of_others); i++) {
        if (is_name(variables_of_others[i], name, length))
            return true;
    }
    return false;
}

/* A misspelt name would otherwise be ignored silently. */
static void warn_of_unknown_names(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");

        if (is_own(*entry) && !is_known(*entry, length))
            (void)report(CUDA_SUCCESS, "%.*s is not a variable cupipe knows; it is ignored",
                         (int)length, *entry);
    }
}

/* Copies a string, because the application may change its environment. */
static bool keep_string(const char **text)
{
    char *copy;

    if (!*text)
        return true;
    copy = strdup(*text);
    if (copy)
        *text = copy;
    return copy != NULL;
}

static struct cup_config loaded_config;
static bool is_loaded;

CUresult cup_config_read(struct cup_config *config)
{
    CUresult result = CUDA_SUCCESS;

    config->log_level = CUP_LOG_ERROR;
    for (size_t i = 0; i < CUP_ARRAY_COUNT(variables); i++) {
        CUresult one = variables[i].read(config, variables[i].name, value_of(&variables[i]));

        if (result == CUDA_SUCCESS)
            result = one;
    }
    return result;
}

bool cup_config_check(const char *variable, const char *value, const char *name)
{
    struct cup_config config = {0};
    bool good = false;

    for (size_t i = 0; i < CUP_ARRAY_COUNT(variables); i++) {
        if (strcmp(variables[i].name, variable) == 0)
            good = variables[i].read(&config, name, value) == CUDA_SUCCESS;
    }
    (void)cup_log_open(CUP_LOG_ERROR, NULL);
    return good;
}

CUresult cup_config_load(void)
{
    struct cup_config config = {0};
    CUresult result;

    if (is_loaded)
        return CUDA_SUCCESS;
    result = cup_config_read(&config);
    if (result != CUDA_SUCCESS)
        return result;
    if (!keep_string(&config.log_path) || !keep_string(&config.trace_path) ||
        !keep_string(&config.cache_path) || !keep_string(&config.jit_path) ||
        !keep_string(&config.dump_path) || !keep_string(&config.check_suppress_path) ||
        !keep_string(&config.check_json_path))
        return CUDA_ERROR_OUT_OF_MEMORY;
    warn_of_unknown_names();
    loaded_config = config;
    atomic_store_explicit(&cup_driver_chosen, config.driver, memory_order_relaxed);
    is_loaded = true;
    return CUDA_SUCCESS;
}

const struct cup_config *cup_config_get(void)
{
    return &loaded_config;
}

bool cup_config_checks(void)
{
    const char *config = (const char *)cup_config_get();

    for (size_t i = 0; i < CUP_ARRAY_COUNT(checks); i++) {
        if (*(const bool *)(config + checks[i].offset))
            return true;
    }
    return cup_config_get()->check_memory;
}

bool cup_config_checks_kernels(void)
{
    const struct cup_config *config = cup_config_get();

    return config->check_init || config->check_memory || config->check_races ||
           config->check_sync || config->check_streams;
}

bool cup_config_keeps_texts(void)
{
    return cup_config_get()->debug || cup_config_get()->profile_path ||
           cup_config_get()->perf == CUP_CONFIG_PERF_JITDUMP;
}

/* SPDX-License-Identifier: MIT */
/* The readers of variables that are more than a word, a number or a text: OWN in variables.def.
 * Those of NVIDIA's variables behave as in NVIDIA's driver. */
#include "core/variable.h"

#include "core/config_value.h"
#include "core/fail.h"
#include "core/log_setup.h"
#include "core/visible_devices.h"
#include "os/system.h"

#include <stdio.h>
#include <string.h>

CUresult cup_read_log(struct cup_config *config, const char *name, const char *value)
{
    const char *colon = value ? strchr(value, ':') : NULL;
    size_t length = colon ? (size_t)(colon - value) : strlen(value ? value : "");
    int error;

    if (value && (!cup_log_level_parse(value, length, &config->log_level) || (colon && !colon[1])))
        return cup_config_report(
            CUDA_ERROR_INVALID_VALUE,
            "%s=\"%s\" is not none, error, warning, info or debug, with or without :FILE", name,
            value);
    config->log_path = colon ? colon + 1 : NULL;
    error = cup_log_open(config->log_level, config->log_path);
    if (error)
        return cup_config_report(CUDA_ERROR_INVALID_VALUE,
                                 "%s=\"%s\" names a file that cannot be written: %s", name, value,
                                 strerror(error));
    return CUDA_SUCCESS;
}

/* Parses a list of models into `gpus` and counts them. */
static bool parse_gpus(const char *text, const struct cup_gpu **gpus, unsigned *count)
{
    *count = 0;
    for (bool more = true; more; (*count)++) {
        size_t length = strcspn(text, ",");
        const struct cup_gpu *gpu = cup_gpu_find(text, length);

        if (!gpu || *count == CUP_MAX_DEVICES)
            return false;
        gpus[*count] = gpu;
        more = text[length] == ',';
        text += length + more;
    }
    return true;
}

/* More devices than models: the list is repeated. After an error every device is the default model,
 * because the variables that are read later depend on it. */
CUresult cup_read_gpu(struct cup_config *config, const char *name, const char *value)
{
    CUresult result = CUDA_SUCCESS;
    unsigned count;

    config->gpus_chosen = value != NULL;
    if (value && !parse_gpus(value, config->gpus, &count)) {
        char known[512];

        cup_gpu_list(known, sizeof known);
        result = cup_config_report(CUDA_ERROR_INVALID_VALUE,
                                   "%s=\"%s\" is not a list of 1 to %d GPUs of these: %s", name,
                                   value, CUP_MAX_DEVICES, known);
        value = NULL;
    }
    if (!value) {
        config->gpus[0] = cup_gpu_default();
        count = 1;
    }
    if (config->device_count == 0)
        config->device_count = count;
    for (unsigned i = count; i < config->device_count; i++)
        config->gpus[i] = config->gpus[i - count];
    return result;
}

/* "8.6" */
CUresult cup_read_capability(struct cup_config *config, const char *name, const char *value)
{
    const char *end;
    uint64_t major = 0, minor = 0;

    if (!value)
        return CUDA_SUCCESS;
    if (cup_parse_digits(value, &major, &end) && major < 100 && *end == '.' &&
        cup_parse_number(end + 1, 0, 9, &minor))
        config->capability = cup_capability_find((unsigned)(10 * major + minor));
    if (!config->capability)
        return cup_config_report(CUDA_ERROR_INVALID_VALUE,
                                 "%s=\"%s\" is not a compute capability such as 8.6", name, value);
    return CUDA_SUCCESS;
}

static bool is_printable(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    }
    return true;
}

bool cup_config_device_name(const struct cup_config *config, unsigned physical,
                            char name[CUP_DEVICE_NAME_BYTES])
{
    const char *text = config->device_name, *gpu = config->gpus[physical]->name, *braces;
    size_t used = 0;

    do {
        braces = strstr(text, "{}");
        int length = braces ? (int)(braces - text) : (int)strlen(text);
        int more = snprintf(name + used, CUP_DEVICE_NAME_BYTES - used, "%.*s%s", length, text,
                            braces ? gpu : "");
        used += (size_t)more;
        text = braces ? braces + 2 : text;
    } while (braces && used < CUP_DEVICE_NAME_BYTES);
    return used < CUP_DEVICE_NAME_BYTES;
}

/* Programs look for NVIDIA in front of the name of a GPU; behind it stands what the device is. */
CUresult cup_read_name(struct cup_config *config, const char *name, const char *value)
{
    char expanded[CUP_DEVICE_NAME_BYTES];

    if (value && (strlen(value) >= sizeof(config->device_name) || !is_printable(value)))
        return cup_config_report(CUDA_ERROR_INVALID_VALUE,
                                 "%s=\"%s\" is not a text of 1 to %zu printable bytes", name, value,
                                 sizeof(config->device_name) - 1);
    strcpy(config->device_name, value ? value : "NVIDIA {} (cupipe)");
    for (unsigned i = 0; value && i < config->device_count; i++)
        if (!cup_config_device_name(config, i, expanded))
            return cup_config_report(
                CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is more than %zu bytes with %s in place of {}",
                name, value, sizeof(config->device_name) - 1, config->gpus[i]->name);
    return CUDA_SUCCESS;
}

CUresult cup_read_uuid(struct cup_config *config, const char *name, const char *value)
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
        return cup_config_report(
            CUDA_ERROR_INVALID_VALUE,
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

CUresult cup_read_memory(struct cup_config *config, const char *name, const char *value)
{
    uint64_t bytes;

    config->memory_given = value != NULL;
    if (!value) {
        config->memory_bytes = default_memory_bytes();
        return CUDA_SUCCESS;
    }
    if (!cup_parse_bytes(value, &bytes) || bytes < CUP_MEMORY_MIN_BYTES ||
        bytes > CUP_MEMORY_MAX_BYTES)
        return cup_config_report(
            CUDA_ERROR_INVALID_VALUE,
            "%s=\"%s\" is not a number of bytes from 32M to 64T (K, M, G or T may follow "
            "the number)",
            name, value);
    config->memory_bytes = bytes / CUP_MEMORY_STEP_BYTES * CUP_MEMORY_STEP_BYTES;
    return CUDA_SUCCESS;
}

CUresult cup_read_budget(struct cup_config *config, const char *name, const char *value)
{
    uint64_t bytes = 0;

    if (value && (!cup_parse_bytes(value, &bytes) || bytes < CUP_MEMORY_STEP_BYTES ||
                  bytes > CUP_MEMORY_MAX_BYTES))
        return cup_config_report(
            CUDA_ERROR_INVALID_VALUE,
            "%s=\"%s\" is not a number of bytes from 2M to 64T (K, M, G or T may follow "
            "the number)",
            name, value);
    config->memory_budget_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cup_read_schedule(struct cup_config *config, const char *name, const char *value)
{
    static const char random[] = "random:";

    if (!value || strcmp(value, "eager") == 0) {
        config->schedule = CUP_CONFIG_SCHEDULE_EAGER;
    } else if (strcmp(value, "lazy") == 0) {
        config->schedule = CUP_CONFIG_SCHEDULE_LAZY;
    } else if (strncmp(value, random, strlen(random)) == 0 &&
               cup_parse_number(value + strlen(random), 0, UINT64_MAX, &config->schedule_seed)) {
        config->schedule = CUP_CONFIG_SCHEDULE_RANDOM;
    } else {
        return cup_config_report(
            CUDA_ERROR_INVALID_VALUE,
            "%s=\"%s\" is not eager, lazy or random:SEED, where SEED is a number of at "
            "most 64 bits",
            name, value);
    }
    return CUDA_SUCCESS;
}

CUresult cup_read_cache(struct cup_config *config, const char *name, const char *value)
{
    config->cache_off = value && strcmp(value, "off") == 0;
    if (value && !config->cache_off && value[0] != '/')
        return cup_config_report(CUDA_ERROR_INVALID_VALUE,
                                 "%s=\"%s\" is not off or a folder whose name begins with /", name,
                                 value);
    config->cache_path = config->cache_off ? NULL : value;
    return CUDA_SUCCESS;
}

CUresult cup_read_driver(struct cup_config *config, const char *name, const char *value)
{
    const struct cup_driver_version *version = cup_driver_version_parse(value);
    unsigned first = cup_driver_version_first()->cuda, last = cup_driver_version_last()->cuda;

    if (!version)
        return cup_config_report(
            CUDA_ERROR_INVALID_VALUE,
            "%s=\"%s\" is not a version of CUDA from %u.%u to %u.%u, such as 13.0", name, value,
            first / 1000, first % 1000 / 10, last / 1000, last % 1000 / 10);
    config->driver = version;
    return CUDA_SUCCESS;
}

CUresult cup_read_fail(struct cup_config *config, const char *name, const char *value)
{
    char why[256];

    (void)config;
    if (!cup_fail_parse(value, why, sizeof(why)))
        return cup_config_report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\": %s", name, value, why);
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
    return cup_parse_bytes(bytes, &config->check_quarantine_bytes);
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
    if (cup_word_is("all", text, length)) {
        for (size_t i = 0; i < CUP_ARRAY_COUNT(checks); i++)
            *(bool *)((char *)config + checks[i].offset) = true;
        config->check_memory = true;
        return true;
    }
    for (size_t i = 0; i < CUP_ARRAY_COUNT(checks); i++) {
        if (cup_word_is(checks[i].name, text, length)) {
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
    return cup_config_report(
        CUDA_ERROR_INVALID_VALUE,
        "%s: \"%.*s\" is not a check; one is %s; several have commas between them", name,
        (int)length, word, known);
}

CUresult cup_read_check(struct cup_config *config, const char *name, const char *value)
{
    const char *text = value;

    config->check_quarantine_bytes = UINT64_C(256) << 20;
    while (text && *text) {
        size_t length = strcspn(text, ",");

        if (!parse_check(config, text, length))
            return report_check(name, text, length);
        text += length;
        if (*text && !*++text)
            return cup_config_report(CUDA_ERROR_INVALID_VALUE, "%s ends with a comma", name);
    }
    return CUDA_SUCCESS;
}

enum { DEFAULT_CHECK_LIMIT = 100 };

CUresult cup_read_check_limit(struct cup_config *config, const char *name, const char *value)
{
    config->check_limit = DEFAULT_CHECK_LIMIT;
    if (value && !cup_parse_number(value, 0, UINT64_MAX - 1, &config->check_limit))
        return cup_config_report(CUDA_ERROR_INVALID_VALUE, "%s=\"%s\" is not a number of reports",
                                 name, value);
    return CUDA_SUCCESS;
}

/* The PCI addresses of physical devices ascend. Devices that are equally fast keep their order. */
CUresult cup_read_order(struct cup_config *config, const char *name, const char *value)
{
    bool by_address = value && strcmp(value, "PCI_BUS_ID") == 0;

    if (value && !by_address && strcmp(value, "FASTEST_FIRST") != 0)
        return cup_config_report(CUDA_ERROR_INVALID_DEVICE,
                                 "%s=\"%s\" is not FASTEST_FIRST or PCI_BUS_ID", name, value);
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
CUresult cup_read_launch_blocking(struct cup_config *config, const char *name, const char *value)
{
    (void)name;
    config->launch_blocking = value && strcmp(value, "1") == 0;
    return CUDA_SUCCESS;
}

/* Hiding all devices is legitimate; only a duplicate is logged. */
CUresult cup_read_visible(struct cup_config *config, const char *name, const char *value)
{
    CUresult result = cup_visible_parse(config, value);

    if (result == CUDA_ERROR_INVALID_DEVICE)
        return cup_config_report(result, "%s=\"%s\" names a device twice", name, value);
    if (result == CUDA_ERROR_NO_DEVICE)
        cup_log(CUP_LOG_INFO, "%s=\"%s\" leaves no device to see", name, value);
    return result;
}

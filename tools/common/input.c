/* SPDX-License-Identifier: MIT */
/* Identifies inputs by their first bytes. */
#include "common/input.h"

#include "core/error.h"
#include "module/carrier.h"
#include "module/container.h"
#include "module/fatbin.h"
#include "module/log.h"
#include "os/upcalls.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The commands have no handlers above the fault guard. */
static void ignore_fault(uint64_t address)
{
    (void)address;
}

const struct cup_os_upcalls cup_os_upcalls = {.foreign_fault = ignore_fault};

/* PTX is text: the first character that is not white space begins a directive or a comment. */
static bool is_text(const char *data, size_t bytes)
{
    size_t at = 0;

    while (at < bytes && isspace((unsigned char)data[at]))
        at++;
    return at < bytes && (data[at] == '.' || data[at] == '/');
}

enum cup_input_kind cup_input_identify(const void *data, size_t bytes)
{
    uint32_t magic = 0;

    if (bytes >= CUP_FATBIN_HEADER_BYTES)
        memcpy(&magic, data, sizeof magic);
    if (magic == CUP_FATBIN_MAGIC)
        return CUP_INPUT_FATBIN;
    if (cup_container_is(data, bytes))
        return CUP_INPUT_HOST;
    if (bytes >= CUP_CARRIER_HEADER_BYTES && cup_carrier_starts(data))
        return CUP_INPUT_CARRIER;
    if (bytes >= CUP_ELF_HEADER_BYTES && memcmp(data, "\177ELF", 4) == 0)
        return CUP_INPUT_CUBIN;
    return is_text(data, bytes) ? CUP_INPUT_PTX : CUP_INPUT_UNKNOWN;
}

static CUresult add_text(const char *data, size_t bytes, struct cup_source *source)
{
    struct cup_source_text text = {.length = strnlen(data, bytes)};

    text.bytes = malloc(text.length + 1);
    if (!text.bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(text.bytes, data, text.length);
    text.bytes[text.length] = 0;
    return cup_source_add(source, text);
}

static void move_texts(struct cup_source *to, struct cup_source *from, CUresult *result)
{
    for (size_t i = 0; *result == CUDA_SUCCESS && i < from->count; i++) {
        *result = cup_source_add(to, from->texts[i]);
        from->texts[i].bytes = NULL;
    }
    if (from->max_registers)
        to->max_registers = from->max_registers;
    to->linked = to->linked || from->linked;
    cup_source_finish(from);
}

static CUresult add_fatbin(const uint8_t *data, size_t bytes, unsigned capability,
                           struct cup_source *source, struct ptx_log *log)
{
    struct cup_source found = {0};
    uint64_t size_bytes = cup_fatbin_bytes(data);

    if (size_bytes == 0 || size_bytes > bytes) {
        cup_module_log(log, "the fatbin's header is damaged");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    CUresult result = cup_fatbin_ptx(data, bytes, capability, &found, log);
    move_texts(source, &found, &result);
    return result;
}

/* The state of reading a host file. */
struct host_reading {
    unsigned capability;
    struct cup_source *source;
    struct ptx_log *log;
    CUresult result;
};

/* The architecture of a text: what .target names. */
static unsigned text_target(const char *text)
{
    char name[16] = "";
    const char *at = strstr(text, ".target");

    if (!at || sscanf(at + strlen(".target"), " %15[a-z0-9_]", name) != 1)
        return 0;
    return cup_input_architecture(name);
}

/* Members of a library that have no PTX for this architecture are passed over: most links need few
 * members, and a name that stays undefined is reported. */
static bool add_contained(void *argument, const uint8_t *image, size_t bytes, const char *name)
{
    struct host_reading *reading = argument;
    struct cup_source found = {0};
    struct ptx_log own = {0};

    reading->result =
        cup_input_read(image, bytes, reading->capability, &found, name ? &own : reading->log);
    bool unfit = reading->result == CUDA_ERROR_NO_BINARY_FOR_GPU;
    for (size_t i = 0; i < found.count; i++)
        unfit = unfit || text_target(found.texts[i].bytes) > reading->capability;
    if (name && unfit) {
        reading->result = CUDA_SUCCESS;
        cup_source_finish(&found);
    }
    ptx_log_free(&own);
    move_texts(reading->source, &found, &reading->result);
    return reading->result == CUDA_SUCCESS;
}

CUresult cup_input_read(const void *data, size_t bytes, unsigned capability,
                        struct cup_source *source, struct ptx_log *log)
{
    struct host_reading reading = {capability, source, log, CUDA_SUCCESS};

    /* messages go to `log` alone: a library member that is passed over is no error */
    atomic_store(&cup_log_threshold, CUP_LOG_NONE);
    switch (cup_input_identify(data, bytes)) {
    case CUP_INPUT_PTX:
        return add_text(data, bytes, source);
    case CUP_INPUT_FATBIN:
        return add_fatbin(data, bytes, capability, source, log);
    case CUP_INPUT_CARRIER:
        return cup_carrier_read(data, bytes, source);
    case CUP_INPUT_HOST:
        if (!cup_container_each(data, bytes, add_contained, &reading) &&
            reading.result == CUDA_SUCCESS)
            reading.result = CUDA_ERROR_INVALID_IMAGE;
        return reading.result;
    case CUP_INPUT_CUBIN:
        cup_module_log(
            log,
            "the input is machine code for sm_%u (a cubin); cupipe runs PTX: " CUP_MODULE_WAY_OUT,
            cup_fatbin_elf_capability(data));
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    default:
        cup_module_log(log, "the input is neither PTX nor device code");
        return CUDA_ERROR_INVALID_IMAGE;
    }
}

unsigned cup_input_architecture(const char *name)
{
    static const char *const prefixes[] = {"sm_", "compute_", "lto_"};
    char *end;

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            name += strlen(prefixes[i]);
            break;
        }
    unsigned long number = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;
    if (number < 10 || number > 255 || (*end && strcmp(end, "a") != 0 && strcmp(end, "f") != 0))
        return 0;
    return (unsigned)number;
}

/* SPDX-License-Identifier: MIT */
/* Identifies the formats by their first bytes and converts each to PTX text. */
#include "module/source.h"

#include "core/error.h"
#include "module/carrier.h"
#include "module/fatbin.h"
#include "module/log.h"
#include "os/guard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A copy from memory that may be inaccessible. */
struct source_copy {
    void *destination;
    const void *source;
    size_t bytes;
};

static void copy_bytes(void *argument)
{
    struct source_copy *copy = argument;

    memcpy(copy->destination, copy->source, copy->bytes);
}

static bool copy_guarded(void *destination, const void *source, size_t bytes)
{
    struct source_copy copy = {destination, source, bytes};

    return cup_guard_run(copy_bytes, &copy);
}

static void measure_text(void *argument)
{
    struct source_copy *copy = argument;

    copy->bytes = strnlen(copy->source, copy->bytes);
}

/* Copies the text to the heap and appends a NUL. */
static CUresult copy_text(const void *image, size_t bytes, struct cup_source_text *text)
{
    *text = (struct cup_source_text){.length = bytes, .bytes = malloc(bytes + 1)};
    if (!text->bytes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "invalid image of %zu bytes", bytes);
    if (!copy_guarded(text->bytes, image, bytes)) {
        free(text->bytes);
        text->bytes = NULL;
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the image at %p is not readable", image);
    }
    text->bytes[bytes] = 0;
    return CUDA_SUCCESS;
}

/* Returns the end of the last entry that starts inside the container: its declared size may be too
 * small. */
static uint64_t measure_fatbin(const uint8_t *image, uint64_t named_bytes, size_t bytes)
{
    uint8_t entry[CUP_FATBIN_ENTRY_BYTES];
    uint64_t reach = CUP_FATBIN_HEADER_BYTES;

    while (reach < named_bytes && (!bytes || reach + sizeof entry <= bytes) &&
           copy_guarded(entry, image + reach, sizeof entry)) {
        uint64_t entry_bytes = cup_fatbin_entry_bytes(entry);
        if (entry_bytes == 0 || entry_bytes > CUP_IMAGE_BYTES_MAX - reach)
            break;
        reach += entry_bytes;
    }
    if (bytes && reach > bytes)
        return bytes;
    return reach > named_bytes ? reach : named_bytes;
}

static CUresult read_fatbin(const void *image, size_t bytes, const struct cup_profile *profile,
                            struct cup_source *source, struct ptx_log *log)
{
    uint8_t header[CUP_FATBIN_HEADER_BYTES];
    struct cup_source_text container;

    if ((bytes && bytes < sizeof header) || !copy_guarded(header, image, sizeof header))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "the fatbin has no header");
    CUresult result = cup_fatbin_check_version(header, log);
    if (result != CUDA_SUCCESS)
        return result;
    uint64_t size_bytes = cup_fatbin_bytes(header);
    if (size_bytes == 0 || size_bytes > CUP_IMAGE_BYTES_MAX || (bytes && size_bytes > bytes)) {
        cup_module_log_no_binary(log, "the fatbin's header is damaged");
        return cup_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "invalid size of a fatbin: %llu bytes",
                         (unsigned long long)size_bytes);
    }
    size_bytes = measure_fatbin(image, size_bytes, bytes);
    result = copy_text(image, size_bytes, &container);
    if (result != CUDA_SUCCESS)
        return result;
    unsigned device = cup_profile_capability(profile);
    const uint8_t *start = (const uint8_t *)container.bytes;
    unsigned capability = cup_fatbin_stand_in(start, size_bytes, device);
    result = cup_fatbin_ptx(start, size_bytes, capability, source, log);
    source->stands_in_for = capability > device ? device : 0;
    free(container.bytes);
    return result;
}

bool cup_source_is_wrapper(const void *image)
{
    uint32_t magic = 0;

    return copy_guarded(&magic, image, sizeof magic) && magic == CUP_FATBIN_WRAPPER_MAGIC;
}

static CUresult read_text(const void *image, size_t bytes, struct cup_source *source)
{
    struct source_copy measure = {.source = image, .bytes = bytes ? bytes : CUP_IMAGE_BYTES_MAX};
    struct cup_source_text text;

    if (!cup_guard_run(measure_text, &measure))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "the text at %p is not terminated", image);
    CUresult result = copy_text(image, measure.bytes, &text);
    return result == CUDA_SUCCESS ? cup_source_add(source, text) : result;
}

static CUresult read_carrier(const void *image, size_t bytes, struct cup_source *source)
{
    uint8_t header[CUP_CARRIER_HEADER_BYTES];
    struct cup_source_text all;

    if ((bytes && bytes < sizeof header) || !copy_guarded(header, image, sizeof header))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "an image of PTX without a whole header");
    uint64_t size_bytes = cup_carrier_bytes(header);
    if (size_bytes == 0 || size_bytes > CUP_IMAGE_BYTES_MAX || (bytes && size_bytes > bytes))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "an image of PTX of %llu bytes",
                         (unsigned long long)size_bytes);
    CUresult result = copy_text(image, size_bytes, &all);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_carrier_read((const uint8_t *)all.bytes, all.length, source);
    free(all.bytes);
    return result;
}

/* GPU machine code is reported as such; anything else with ELF's magic is damaged. */
static CUresult refuse_elf(const void *image, size_t bytes, struct ptx_log *log)
{
    uint8_t header[CUP_ELF_HEADER_BYTES] = {0};
    uint16_t machine = 0;
    size_t needed = CUP_ELF_MACHINE_OFFSET + sizeof machine;

    if ((bytes == 0 || bytes >= sizeof header) && copy_guarded(header, image, sizeof header))
        needed = 0;
    if (needed == 0)
        memcpy(&machine, header + CUP_ELF_MACHINE_OFFSET, sizeof machine);
    else if (bytes == 0 || bytes >= needed)
        copy_guarded(&machine, (const uint8_t *)image + CUP_ELF_MACHINE_OFFSET, sizeof machine);
    if (machine != CUP_ELF_MACHINE_CUDA) {
        cup_module_log(log, "the image begins like an ELF file, but is not one for a GPU");
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "the image is an ELF file for machine %u",
                         machine);
    }
    cup_module_log_no_binary(
        log,
        "the image is machine code for sm_%u (a cubin), which cannot run here; "
        "cupipe runs PTX: " CUP_MODULE_WAY_OUT,
        cup_fatbin_elf_capability(header));
    return cup_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "a cubin");
}

/* PTX starts with a .version directive; only white space and comments may precede it. */
static bool begins_as_ptx(const char *text)
{
    for (;;) {
        while (isspace((unsigned char)*text))
            text++;
        if (text[0] == '/' && text[1] == '/')
            text += strcspn(text, "\n");
        else if (text[0] == '/' && text[1] == '*' && strstr(text + 2, "*/"))
            text = strstr(text + 2, "*/") + 2;
        else
            return strncmp(text, ".version", strlen(".version")) == 0;
    }
}

static CUresult check_text(const struct cup_source *source, struct ptx_log *log)
{
    if (begins_as_ptx(source->texts[0].bytes))
        return CUDA_SUCCESS;
    cup_module_log(log, "the image is neither PTX, which begins with .version, nor a fatbin");
    return cup_error(CUDA_ERROR_INVALID_IMAGE, "the image has an unknown format");
}

/* Reads up to 16 bytes. Returns false if none are readable. */
static bool read_start(const void *image, size_t bytes, uint8_t start[CUP_CARRIER_START_BYTES])
{
    for (size_t i = 0; i < CUP_CARRIER_START_BYTES && (bytes == 0 || i < bytes); i++) {
        if (!copy_guarded(start + i, (const uint8_t *)image + i, 1))
            return i > 0;
        if (start[i] == 0)
            break;
    }
    return true;
}

static CUresult read_image(const void *image, size_t bytes,
                           const uint8_t start[CUP_CARRIER_START_BYTES],
                           const struct cup_profile *profile, struct cup_source *source,
                           struct ptx_log *log)
{
    uint32_t magic;
    CUresult result;

    memcpy(&magic, start, sizeof magic);
    if (magic == CUP_FATBIN_MAGIC)
        return read_fatbin(image, bytes, profile, source, log);
    if (magic == CUP_FATBIN_WRAPPER_MAGIC)
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "a fatbin's wrapper contains another one");
    if (cup_carrier_starts(start))
        return read_carrier(image, bytes, source);
    if (memcmp(start, "\177ELF", 4) == 0)
        return refuse_elf(image, bytes, log);
    result = read_text(image, bytes, source);
    return result == CUDA_SUCCESS ? check_text(source, log) : result;
}

/* {magic, version, address of the container, ...}: what nvcc emits in host code. It may contain any
 * other image, and its version does not matter. */
static CUresult read_wrapper(const void *image, const struct cup_profile *profile,
                             struct cup_source *source, struct ptx_log *log)
{
    uint8_t start[CUP_CARRIER_START_BYTES] = {0};
    struct {
        uint32_t magic, version;
        const void *container;
    } wrapper;

    if (!copy_guarded(&wrapper, image, sizeof wrapper) || !wrapper.container ||
        !read_start(wrapper.container, 0, start))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "the fatbin's wrapper points to no fatbin");
    return read_image(wrapper.container, 0, start, profile, source, log);
}

CUresult cup_source_read(const void *image, size_t bytes, const struct cup_profile *profile,
                         struct cup_source *source, struct ptx_log *log)
{
    uint8_t start[CUP_CARRIER_START_BYTES] = {0};
    uint32_t magic;
    CUresult result;

    *source = (struct cup_source){0};
    if (!read_start(image, bytes, start))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the memory at %p is not readable", image);
    memcpy(&magic, start, sizeof magic);
    if (magic == CUP_FATBIN_WRAPPER_MAGIC)
        result = read_wrapper(image, profile, source, log);
    else
        result = read_image(image, bytes, start, profile, source, log);
    if (result != CUDA_SUCCESS) {
        bool bad_machine_code = source->bad_machine_code;
        cup_source_finish(source);
        source->bad_machine_code = bad_machine_code;
    }
    return result;
}

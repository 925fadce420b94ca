/* SPDX-License-Identifier: MIT */
/* Identifies the formats by their first bytes and converts each to PTX text. */
#include "module/source.h"

#include "core/error.h"
#include "device/profile.h"
#include "module/fatbin.h"
#include "module/log.h"
#include "os/guard.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The linker's output: this header, then length and bytes of each text. It starts like an ELF file,
 * because programs check for that; the rest of an ELF file's first 16 bytes is unused. */
#define LINKED_MAGIC "\177ELF\2\1\1\0CUPLINK1"
enum { LINKED_MAGIC_BYTES = 16, IMAGE_BYTES_MAX = 1 << 30 };

struct linked_header {
    char magic[LINKED_MAGIC_BYTES];
    uint64_t bytes; /* total, including this header */
    uint64_t count;
};

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
    text->length = bytes;
    text->bytes = malloc(bytes + 1);
    if (!text->bytes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "an image of %zu bytes", bytes);
    if (!copy_guarded(text->bytes, image, bytes)) {
        free(text->bytes);
        text->bytes = NULL;
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the image at %p is not all there", image);
    }
    text->bytes[bytes] = 0;
    return CUDA_SUCCESS;
}

CUresult cup_source_add(struct cup_source *source, struct cup_source_text text)
{
    struct cup_source_text *texts = realloc(source->texts, (source->count + 1) * sizeof *texts);

    if (!texts) {
        free(text.bytes);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "a list of %zu texts", source->count + 1);
    }
    texts[source->count++] = text;
    source->texts = texts;
    return CUDA_SUCCESS;
}

void cup_source_finish(struct cup_source *source)
{
    for (size_t i = 0; i < source->count; i++)
        free(source->texts[i].bytes);
    free(source->texts);
    *source = (struct cup_source){0};
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
        if (entry_bytes == 0 || entry_bytes > IMAGE_BYTES_MAX - reach)
            break;
        reach += entry_bytes;
    }
    if (bytes && reach > bytes)
        return bytes;
    return reach > named_bytes ? reach : named_bytes;
}

static CUresult read_fatbin(const void *image, size_t bytes, struct cup_source *source,
                            struct ptx_log *log)
{
    uint8_t header[CUP_FATBIN_HEADER_BYTES];
    struct cup_source_text container, text;

    if ((bytes && bytes < sizeof header) || !copy_guarded(header, image, sizeof header))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "a fatbin without a header");
    uint64_t size_bytes = cup_fatbin_bytes(header);
    if (size_bytes == 0 || size_bytes > IMAGE_BYTES_MAX || (bytes && size_bytes > bytes)) {
        cup_module_log_no_binary(log, "the fatbin's header is damaged");
        return cup_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "a fatbin of %llu bytes",
                         (unsigned long long)size_bytes);
    }
    size_bytes = measure_fatbin(image, size_bytes, bytes);
    CUresult result = copy_text(image, size_bytes, &container);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_fatbin_ptx((const uint8_t *)container.bytes, size_bytes, cup_profile_capability(),
                            &text, &source->bad_machine_code, log);
    free(container.bytes);
    return result == CUDA_SUCCESS ? cup_source_add(source, text) : result;
}

/* {magic, version, address of the container, ...}: what nvcc emits in host code. */
static CUresult read_wrapper(const void *image, struct cup_source *source, struct ptx_log *log)
{
    struct {
        uint32_t magic, version;
        const void *container;
    } wrapper;

    if (!copy_guarded(&wrapper, image, sizeof wrapper) || !wrapper.container)
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "a fatbin's wrapper around nothing");
    return read_fatbin(wrapper.container, 0, source, log);
}

bool cup_source_is_wrapper(const void *image)
{
    uint32_t magic = 0;

    return copy_guarded(&magic, image, sizeof magic) && magic == CUP_FATBIN_WRAPPER_MAGIC;
}

static CUresult read_text(const void *image, size_t bytes, struct cup_source *source)
{
    struct source_copy measure = {.source = image, .bytes = bytes ? bytes : IMAGE_BYTES_MAX};
    struct cup_source_text text;

    if (!cup_guard_run(measure_text, &measure))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "the text at %p does not end", image);
    CUresult result = copy_text(image, measure.bytes, &text);
    return result == CUDA_SUCCESS ? cup_source_add(source, text) : result;
}

static CUresult read_linked(const void *image, size_t bytes, struct cup_source *source)
{
    struct linked_header header;
    struct cup_source_text all, text;
    CUresult result = CUDA_SUCCESS;

    if ((bytes && bytes < sizeof header) || !copy_guarded(&header, image, sizeof header) ||
        header.bytes < sizeof header || header.bytes > IMAGE_BYTES_MAX ||
        (bytes && header.bytes > bytes))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "a linked image without a whole header");
    result = copy_text(image, header.bytes, &all);
    if (result != CUDA_SUCCESS)
        return result;
    size_t at = sizeof header;
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < header.count; i++) {
        uint64_t length;
        if (all.length - at < sizeof length) {
            result = cup_error(CUDA_ERROR_INVALID_IMAGE, "a linked image that ends early");
            break;
        }
        memcpy(&length, all.bytes + at, sizeof length);
        at += sizeof length;
        if (length > all.length - at) {
            result = cup_error(CUDA_ERROR_INVALID_IMAGE, "a linked image that ends early");
            break;
        }
        result = copy_text(all.bytes + at, length, &text);
        if (result == CUDA_SUCCESS)
            result = cup_source_add(source, text);
        at += length;
    }
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
        cup_module_log(log, "the image begins as an ELF file, but is none for a GPU");
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "an ELF file of machine %u", machine);
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
    return cup_error(CUDA_ERROR_INVALID_IMAGE, "an image of no known kind");
}

/* Reads up to 16 bytes. Returns false if none are readable. */
static bool read_start(const void *image, size_t bytes, uint8_t start[LINKED_MAGIC_BYTES])
{
    for (size_t i = 0; i < LINKED_MAGIC_BYTES && (bytes == 0 || i < bytes); i++) {
        if (!copy_guarded(start + i, (const uint8_t *)image + i, 1))
            return i > 0;
        if (start[i] == 0 && i != 7)
            break;
    }
    return true;
}

CUresult cup_source_read(const void *image, size_t bytes, struct cup_source *source,
                         struct ptx_log *log)
{
    uint8_t start[LINKED_MAGIC_BYTES] = {0};
    uint32_t magic;
    CUresult result;

    *source = (struct cup_source){0};
    if (!read_start(image, bytes, start))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "nothing can be read at %p", image);
    memcpy(&magic, start, sizeof magic);
    if (magic == CUP_FATBIN_MAGIC) {
        result = read_fatbin(image, bytes, source, log);
    } else if (magic == CUP_FATBIN_WRAPPER_MAGIC) {
        result = read_wrapper(image, source, log);
    } else if (memcmp(start, LINKED_MAGIC, LINKED_MAGIC_BYTES) == 0) {
        result = read_linked(image, bytes, source);
    } else if (memcmp(start, "\177ELF", 4) == 0) {
        result = refuse_elf(image, bytes, log);
    } else {
        result = read_text(image, bytes, source);
        if (result == CUDA_SUCCESS)
            result = check_text(source, log);
    }
    if (result != CUDA_SUCCESS) {
        bool bad_machine_code = source->bad_machine_code;
        cup_source_finish(source);
        source->bad_machine_code = bad_machine_code;
    }
    return result;
}

CUresult cup_source_read_file(const char *path, struct cup_source_text *text)
{
    struct stat status;
    int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (!*path)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a path without a character");
    if (fd < 0)
        return cup_error(CUDA_ERROR_FILE_NOT_FOUND, "%s: %s", path, strerror(errno));
    text->bytes = NULL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > IMAGE_BYTES_MAX) {
        close(fd);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%s is no file, or too large", path);
    }
    text->bytes = malloc((size_t)status.st_size + 1);
    text->length = 0;
    while (text->bytes && text->length < (size_t)status.st_size) {
        ssize_t got = read(fd, text->bytes + text->length, (size_t)status.st_size - text->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        text->length += (size_t)got;
    }
    close(fd);
    if (!text->bytes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%s has %lld bytes", path,
                         (long long)status.st_size);
    text->bytes[text->length] = 0;
    return CUDA_SUCCESS;
}

CUresult cup_source_pack(const struct cup_source *source, void **packed, size_t *bytes)
{
    struct linked_header header = {.count = source->count};
    size_t total = sizeof header;

    for (size_t i = 0; i < source->count; i++)
        total += sizeof(uint64_t) + source->texts[i].length;
    uint8_t *made = malloc(total);
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "a linked image of %zu bytes", total);
    memcpy(header.magic, LINKED_MAGIC, LINKED_MAGIC_BYTES);
    header.bytes = total;
    memcpy(made, &header, sizeof header);
    size_t at = sizeof header;
    for (size_t i = 0; i < source->count; i++) {
        uint64_t length = source->texts[i].length;
        memcpy(made + at, &length, sizeof length);
        memcpy(made + at + sizeof length, source->texts[i].bytes, length);
        at += sizeof length + length;
    }
    *packed = made;
    *bytes = total;
    return CUDA_SUCCESS;
}

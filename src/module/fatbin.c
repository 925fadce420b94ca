/* SPDX-License-Identifier: MIT */
/* Containers may be damaged: every number is validated before use. Entries are stored uncompressed
 * or compressed with LZ4 or zstd. */
#include "module/fatbin.h"

#include "core/error.h"
#include "memory/decompress_libraries.h"
#include "module/carrier.h"
#include "module/log.h"
#include "module/zstd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTAINER_VERSION = 1,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ONE_ARCHITECTURE = 0x100000, /* 90a */
    FLAG_FAMILY = 0x200000,           /* 100f */
    TEXT_BYTES_MAX = 1 << 30,
};

static uint16_t read_u16(const uint8_t *bytes)
{
    uint16_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t read_u32(const uint8_t *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t read_u64(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

uint64_t cup_fatbin_bytes(const uint8_t header[CUP_FATBIN_HEADER_BYTES])
{
    uint64_t header_bytes = read_u16(header + 6), size_bytes = read_u64(header + 8);

    if (read_u32(header) != CUP_FATBIN_MAGIC || header_bytes < CUP_FATBIN_HEADER_BYTES ||
        size_bytes > SIZE_MAX / 2)
        return 0;
    return header_bytes + size_bytes;
}

CUresult cup_fatbin_check_version(const uint8_t header[CUP_FATBIN_HEADER_BYTES],
                                  struct ptx_log *log)
{
    if (read_u16(header + 4) != CONTAINER_VERSION) {
        cup_module_log(log, "the fatbin has version %u, not %d", read_u16(header + 4),
                       CONTAINER_VERSION);
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "unsupported version of a fatbin");
    }
    return CUDA_SUCCESS;
}

uint64_t cup_fatbin_entry_bytes(const uint8_t header[CUP_FATBIN_ENTRY_BYTES])
{
    uint64_t header_bytes = read_u32(header + 4), payload_bytes = read_u64(header + 8);

    if (header_bytes < CUP_FATBIN_ENTRY_BYTES || payload_bytes > SIZE_MAX / 2)
        return 0;
    return header_bytes + payload_bytes;
}

/* Reads the entry at `at`. Returns false if it does not fit. */
static bool read_entry(const uint8_t *container, size_t bytes, size_t at,
                       struct cup_fatbin_entry *entry)
{
    const uint8_t *start = container + at;
    size_t left = bytes - at;

    if (left < CUP_FATBIN_ENTRY_BYTES)
        return false;
    entry->kind = read_u16(start);
    entry->header_bytes = read_u32(start + 4);
    entry->payload_bytes = read_u64(start + 8);
    entry->packed_bytes = read_u32(start + 16);
    entry->capability = read_u32(start + 28);
    entry->flags = read_u64(start + 40);
    entry->unpacked_bytes = read_u64(start + 56);
    if (entry->header_bytes < CUP_FATBIN_ENTRY_BYTES || entry->header_bytes > left ||
        entry->payload_bytes > left - entry->header_bytes ||
        entry->packed_bytes > entry->payload_bytes)
        return false;
    entry->payload = start + entry->header_bytes;
    return true;
}

/* True if the device runs the entry's PTX. */
static bool is_suitable(const struct cup_fatbin_entry *entry, unsigned capability)
{
    if (entry->flags & FLAG_ONE_ARCHITECTURE)
        return entry->capability == capability;
    if (entry->flags & FLAG_FAMILY)
        return entry->capability <= capability && entry->capability / 10 == capability / 10;
    return entry->capability <= capability;
}

static bool is_better_match(const struct cup_fatbin_entry *entry,
                            const struct cup_fatbin_entry *best, unsigned capability)
{
    return is_suitable(entry, capability) &&
           (!best->payload || entry->capability > best->capability);
}

static CUresult unpack(const struct cup_fatbin_entry *entry, struct cup_source_text *text)
{
    size_t written = 0;

    if (entry->flags & FLAG_ZSTD)
        return cup_zstd_unpack(entry->payload, entry->packed_bytes, text->bytes, text->length);
    struct cup_packed packed = {.algorithm = CU_MEM_DECOMPRESS_ALGORITHM_LZ4,
                                .source = entry->payload,
                                .source_bytes = entry->packed_bytes,
                                .destination = text->bytes,
                                .room_bytes = text->length,
                                .exact_end = true};
    if (!cup_unpack_load(packed.algorithm))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "liblz4 is needed to decompress a fatbin");
    if (cup_unpack(&packed, &written) != CUP_UNPACK_DONE || written != text->length)
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "a fatbin's PTX is damaged");
    return CUDA_SUCCESS;
}

CUresult cup_fatbin_contents(const struct cup_fatbin_entry *entry, struct cup_source_text *text)
{
    bool packed = entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
    uint64_t length = packed ? entry->unpacked_bytes : entry->payload_bytes;
    CUresult result = CUDA_SUCCESS;

    if (length > TEXT_BYTES_MAX)
        return cup_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "an entry of %llu bytes",
                         (unsigned long long)length);
    *text = (struct cup_source_text){.length = length, .bytes = malloc(length + 1)};
    if (!text->bytes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "an entry of %llu bytes",
                         (unsigned long long)length);
    if (packed)
        result = unpack(entry, text);
    else
        memcpy(text->bytes, entry->payload, length);
    text->bytes[length] = 0;
    if (result != CUDA_SUCCESS) {
        free(text->bytes);
        text->bytes = NULL;
    }
    return result;
}

static CUresult add_text_entry(const struct cup_fatbin_entry *entry, struct cup_source *source,
                               struct ptx_log *log)
{
    struct cup_source_text text = {0};
    CUresult result = cup_fatbin_contents(entry, &text);

    if (result == CUDA_SUCCESS)
        return cup_source_add(source, text);
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
        cup_module_log(log, "the fatbin's PTX claims to be %llu bytes long",
                       (unsigned long long)entry->unpacked_bytes);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (result == CUDA_ERROR_INVALID_IMAGE) /* damaged contents count as invalid PTX */
        result = cup_error(CUDA_ERROR_INVALID_PTX, "a fatbin's PTX cannot be decompressed");
    cup_module_log(log, "the fatbin's PTX could not be decompressed: %s", cup_result_name(result));
    return result;
}

/* Adds the texts of an entry of machine code that is a carrier of PTX. Returns false for machine
 * code. */
static bool add_carrier_entry(const struct cup_fatbin_entry *entry, struct cup_source *source)
{
    struct cup_source_text image;
    size_t before = source->count;

    if (!(entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) &&
        (entry->payload_bytes < CUP_CARRIER_HEADER_BYTES || !cup_carrier_starts(entry->payload)))
        return false;
    if (cup_fatbin_contents(entry, &image) != CUDA_SUCCESS)
        return false;
    bool good =
        cup_carrier_read((const uint8_t *)image.bytes, image.length, source) == CUDA_SUCCESS;
    free(image.bytes);
    return good && source->count > before;
}

/* True for machine code for this device. */
static bool is_own_code(const struct cup_fatbin_entry *entry, unsigned capability)
{
    return entry->kind == CUP_FATBIN_KIND_ELF && entry->capability / 10 == capability / 10 &&
           is_suitable(entry, capability);
}

/* True for uncompressed machine code for this device that is not a valid ELF file. */
static bool is_damaged_code(const struct cup_fatbin_entry *entry, unsigned capability)
{
    if (!is_own_code(entry, capability) || entry->flags & (FLAG_LZ4 | FLAG_ZSTD))
        return false;
    return entry->payload_bytes < CUP_ELF_MACHINE_OFFSET + sizeof(uint16_t) ||
           memcmp(entry->payload, "\177ELF", 4) != 0 ||
           read_u16(entry->payload + CUP_ELF_MACHINE_OFFSET) != CUP_ELF_MACHINE_CUDA;
}

/* Names of the architectures with machine code, for an error message. */
struct architectures {
    char text[160];
    size_t used;
};

static void add_architecture(struct architectures *seen, unsigned capability)
{
    int length = snprintf(seen->text + seen->used, sizeof seen->text - seen->used, "%ssm_%u",
                          seen->used ? ", " : "", capability);

    if (length > 0 && seen->used + (size_t)length < sizeof seen->text)
        seen->used += (size_t)length;
    else
        seen->text[seen->used] = 0;
}

/* Since ELF ABI version 8 the architecture is one byte higher. */
unsigned cup_fatbin_elf_capability(const uint8_t header[CUP_ELF_HEADER_BYTES])
{
    enum { ABI_VERSION_OFFSET = 8, FLAGS_OFFSET = 48 };
    uint32_t flags = read_u32(header + FLAGS_OFFSET);

    return (header[ABI_VERSION_OFFSET] >= 8 ? flags >> 8 : flags) & 0xff;
}

bool cup_fatbin_next(const uint8_t *container, size_t bytes, size_t *at,
                     struct cup_fatbin_entry *entry, struct ptx_log *log, CUresult *result)
{
    if (*at == 0)
        *at = read_u16(container + 6);
    if (*at >= cup_fatbin_bytes(container))
        return false;
    if (*at > bytes || !read_entry(container, bytes, *at, entry)) {
        cup_module_log(log, "the fatbin is damaged at byte %zu", *at);
        *result = cup_error(CUDA_ERROR_INVALID_IMAGE, "a fatbin is damaged at byte %zu", *at);
        return false;
    }
    *at += entry->header_bytes + entry->payload_bytes;
    return true;
}

bool cup_fatbin_has_ptx(const uint8_t *container, size_t bytes, unsigned capability)
{
    struct cup_fatbin_entry entry;
    struct ptx_log log = {0};
    CUresult result = CUDA_SUCCESS;
    bool found = false;

    for (size_t at = 0; !found && cup_fatbin_next(container, bytes, &at, &entry, &log, &result);) {
        struct cup_source texts = {0};

        if (!is_suitable(&entry, capability))
            continue;
        found = entry.kind == CUP_FATBIN_KIND_PTX ||
                (entry.kind == CUP_FATBIN_KIND_ELF && add_carrier_entry(&entry, &texts));
        cup_source_finish(&texts);
    }
    ptx_log_free(&log);
    return found || result != CUDA_SUCCESS;
}

unsigned cup_fatbin_stand_in(const uint8_t *container, size_t bytes, unsigned capability)
{
    struct cup_fatbin_entry entry;
    struct ptx_log log = {0};
    CUresult result = CUDA_SUCCESS;
    unsigned newer = 0;
    bool own_code = false, damaged = false;

    for (size_t at = 0; cup_fatbin_next(container, bytes, &at, &entry, &log, &result);) {
        own_code = own_code || is_own_code(&entry, capability);
        damaged = damaged || is_damaged_code(&entry, capability);
        if (entry.kind == CUP_FATBIN_KIND_PTX && entry.capability > capability &&
            (!newer || entry.capability < newer))
            newer = entry.capability;
    }
    ptx_log_free(&log);
    if (!newer || !own_code || damaged || cup_fatbin_has_ptx(container, bytes, capability))
        return capability;
    return newer;
}

/* Adds the carrier that suits the device best, if it does so better than `best`, which is PTX or
 * nothing. Machine code is unpacked only if there is no PTX as good: it may be large. */
static bool add_best_carrier(const uint8_t *container, size_t bytes, unsigned capability,
                             const struct cup_fatbin_entry *best, struct cup_source *source)
{
    struct cup_fatbin_entry entry, chosen = *best;
    struct ptx_log log = {0};
    struct cup_source texts = {0};
    CUresult result = CUDA_SUCCESS;
    size_t at = 0;

    while (cup_fatbin_next(container, bytes, &at, &entry, &log, &result)) {
        struct cup_source found = {0};
        if (entry.kind != CUP_FATBIN_KIND_ELF || !is_better_match(&entry, &chosen, capability))
            continue;
        if (!add_carrier_entry(&entry, &found)) {
            cup_source_finish(&found);
            continue;
        }
        cup_source_finish(&texts);
        texts = found;
        chosen = entry;
    }
    ptx_log_free(&log);
    if (texts.count)
        *source = texts;
    return texts.count > 0;
}

CUresult cup_fatbin_ptx(const uint8_t *container, size_t bytes, unsigned capability,
                        struct cup_source *source, struct ptx_log *log)
{
    struct cup_fatbin_entry entry, best = {0};
    struct architectures machine_code = {.text = ""}, other_ptx = {.text = ""};
    size_t at = 0;
    CUresult result = cup_fatbin_check_version(container, log);

    source->bad_machine_code = false;
    if (result != CUDA_SUCCESS)
        return result;
    while (cup_fatbin_next(container, bytes, &at, &entry, log, &result)) {
        if (is_damaged_code(&entry, capability))
            source->bad_machine_code = true;
        if (entry.kind == CUP_FATBIN_KIND_ELF)
            add_architecture(&machine_code, entry.capability);
        else if (entry.kind == CUP_FATBIN_KIND_PTX && is_better_match(&entry, &best, capability))
            best = entry;
        else if (entry.kind == CUP_FATBIN_KIND_PTX && !is_suitable(&entry, capability))
            add_architecture(&other_ptx, entry.capability);
    }
    if (result != CUDA_SUCCESS)
        return result;
    if (source->bad_machine_code) {
        cup_module_log(log, "the fatbin's machine code for this device is damaged");
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "the fatbin's machine code is damaged");
    }
    if (machine_code.used && add_best_carrier(container, bytes, capability, &best, source))
        return CUDA_SUCCESS;
    if (best.payload)
        return add_text_entry(&best, source, log);
    if (other_ptx.used) {
        cup_module_log_no_binary(log,
                                 "the fatbin's PTX is for other devices (%s) than this one "
                                 "(sm_%u); CUPIPE_COMPUTE_CAPABILITY selects another",
                                 other_ptx.text, capability);
        return cup_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "a fatbin for other devices");
    }
    cup_module_log_no_binary(log,
                             "the fatbin holds no PTX, only machine code (%s), which cannot run "
                             "here: " CUP_MODULE_WAY_OUT,
                             machine_code.used ? machine_code.text : "none at all");
    return cup_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "a fatbin without PTX");
}

/* SPDX-License-Identifier: MIT */
/* cupipe-objdump: lists the device code of an image, an object, an executable or a static library,
 * and prints the PTX in it. */
#include "common/input.h"
#include "module/carrier.h"
#include "module/container.h"
#include "module/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: cupipe-objdump [-ptx | -elf] FILE...\n"
    "Lists the device code of images, objects, executables and static libraries.\n"
    "  -ptx, --dump-ptx         prints the texts\n"
    "  -elf, -lelf, --list-elf  lists cubins alone\n"
    "  -h, --help               this text\n";

enum mode { LIST, LIST_ELF, PRINT_PTX };

/* The state of a listing. */
struct listing {
    enum mode mode;
    unsigned number; /* of the next entry */
};

static bool list_image(struct listing *listing, const uint8_t *image, size_t bytes,
                       const char *name);

static void print_texts(const struct listing *listing, const struct cup_source *source)
{
    for (size_t i = 0; listing->mode == PRINT_PTX && i < source->count; i++)
        printf("%s\n", source->texts[i].bytes);
}

/* A cubin, of machine code or a carrier. */
static bool list_cubin(struct listing *listing, const uint8_t *image, size_t bytes, bool packed,
                       const char *name)
{
    struct cup_source source = {0};
    bool carrier = bytes >= CUP_CARRIER_HEADER_BYTES && cup_carrier_starts(image);

    if (bytes < CUP_ELF_HEADER_BYTES)
        return false;
    if (carrier && cup_carrier_read(image, bytes, &source) != CUDA_SUCCESS)
        return false;
    printf("%u: ELF   sm_%u%s, %zu bytes%s%s%s", listing->number++,
           cup_fatbin_elf_capability(image), carrier ? "" : " machine code", bytes,
           packed ? ", compressed" : "", name && *name ? ", member " : "", name ? name : "");
    if (carrier)
        printf(", carries PTX: %zu", source.count);
    if (source.max_registers)
        printf(", at most %u registers", source.max_registers);
    printf("\n");
    print_texts(listing, &source);
    cup_source_finish(&source);
    return true;
}

static void list_text(struct listing *listing, const char *text, size_t bytes, unsigned capability,
                      bool packed, const char *name)
{
    if (listing->mode == LIST_ELF)
        return;
    printf("%u: PTX   ", listing->number++);
    if (capability)
        printf("compute_%u, ", capability);
    printf("%zu bytes%s%s%s\n", bytes, packed ? ", compressed" : "", name ? ", member " : "",
           name ? name : "");
    if (listing->mode == PRINT_PTX)
        printf("%s\n", text);
}

static bool list_fatbin(struct listing *listing, const uint8_t *image, size_t bytes,
                        const char *name)
{
    struct cup_fatbin_entry entry;
    struct cup_source_text contents;
    struct ptx_log log = {0};
    CUresult result = CUDA_SUCCESS;
    size_t at = 0;
    bool good = cup_fatbin_bytes(image) != 0 && cup_fatbin_bytes(image) <= bytes;

    while (good && cup_fatbin_next(image, bytes, &at, &entry, &log, &result)) {
        bool packed = entry.unpacked_bytes != 0 && entry.packed_bytes != 0;
        good = cup_fatbin_contents(&entry, &contents) == CUDA_SUCCESS;
        if (!good)
            break;
        if (entry.kind == CUP_FATBIN_KIND_PTX)
            list_text(listing, contents.bytes, contents.length, entry.capability, packed, name);
        else if (entry.kind == CUP_FATBIN_KIND_ELF)
            good =
                list_cubin(listing, (const uint8_t *)contents.bytes, contents.length, packed, name);
        else
            printf("%u: kind %u, sm_%u\n", listing->number++, entry.kind, entry.capability);
        free(contents.bytes);
    }
    ptx_log_free(&log);
    return good && result == CUDA_SUCCESS;
}

static bool list_contained(void *argument, const uint8_t *image, size_t bytes, const char *name)
{
    return list_image(argument, image, bytes, name);
}

static bool list_image(struct listing *listing, const uint8_t *image, size_t bytes,
                       const char *name)
{
    switch (cup_input_identify(image, bytes)) {
    case CUP_INPUT_PTX:
        list_text(listing, (const char *)image, bytes, 0, false, name);
        return true;
    case CUP_INPUT_FATBIN:
        return list_fatbin(listing, image, bytes, name);
    case CUP_INPUT_CARRIER:
    case CUP_INPUT_CUBIN:
        return list_cubin(listing, image, bytes, false, name);
    case CUP_INPUT_HOST:
        return cup_container_each(image, bytes, list_contained, listing);
    default:
        return false;
    }
}

static bool list_file(enum mode mode, const char *path)
{
    struct listing listing = {.mode = mode, .number = 1};
    struct cup_source_text file;

    if (cup_source_read_file(path, &file) != CUDA_SUCCESS) {
        fprintf(stderr, "cupipe-objdump: %s cannot be read\n", path);
        return false;
    }
    bool good = list_image(&listing, (const uint8_t *)file.bytes, file.length, NULL);
    if (!good)
        fprintf(stderr, "cupipe-objdump: %s is damaged or has no device code\n", path);
    else if (listing.number == 1)
        printf("%s: no device code\n", path);
    free(file.bytes);
    return good;
}

int main(int count, char **arguments)
{
    enum mode mode = LIST;
    bool good = true, any = false;

    for (int i = 1; i < count; i++) {
        const char *word = arguments[i];
        if (strcmp(word, "-ptx") == 0 || strcmp(word, "--dump-ptx") == 0) {
            mode = PRINT_PTX;
        } else if (strcmp(word, "-elf") == 0 || strcmp(word, "-lelf") == 0 ||
                   strcmp(word, "--list-elf") == 0) {
            mode = LIST_ELF;
        } else if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        } else {
            any = true;
            good = list_file(mode, word) && good;
        }
    }
    if (!any)
        fputs(usage, stderr);
    return good && any ? 0 : 1;
}

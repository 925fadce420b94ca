/* SPDX-License-Identifier: MIT */
/* fatbinary: a command that takes the place of NVIDIA's for clang, which calls it to put the images
 * of several architectures into one file. It knows the three options that have named an image in
 * the toolkits so far, whichever the compiler was written for. Images are stored as they are. nvcc
 * keeps NVIDIA's: the C file with assembly that it asks for is not made here. */
#include "common/command_line.h"
#include "common/input.h"
#include "common/release.h"
#include "module/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 1 };

enum meaning { CREATE = CUP_OPTION_OWN, IMAGE, EMBEDDED, HELP, VERSION };

static const struct cup_option table[] = {
    {"create", "create", CUP_OPTION_VALUE, CREATE},
    {"image", "image", CUP_OPTION_VALUE, IMAGE},
    {"image2", "image2", CUP_OPTION_VALUE, IMAGE},
    {"image3", "image3", CUP_OPTION_VALUE, IMAGE},
    {"embedded-fatbin", "fatbin", CUP_OPTION_VALUE, EMBEDDED},
    {"help", "h", CUP_OPTION_FLAG, HELP},
    {"version", "V", CUP_OPTION_FLAG, VERSION},
    {"options-file", "optf", CUP_OPTION_VALUE, CUP_OPTION_FILE},
    {"32", "32", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"64", "64", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"cicc-cmdline", "cicc-cmdline", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"cmdline", "cmdline", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"compress", "compress", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"compress-all", "compress-all", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"compress-mode", "compress-mode", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"cuda", "cuda", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"debug", "g", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"device-c", "c", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"ident", "ident", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"link", "link", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"no-asm", "no-asm", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
};

struct options {
    const char *output;
    struct words images; /* their specifications */
    bool help, version;
};

/* An entry, as it is in the file; src/module/fatbin.c reads it. */
struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t packed_bytes, unused;
    uint16_t toolkit_minor, toolkit_major;
    uint32_t capability;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
    uint64_t reserved, unpacked_bytes;
};
_Static_assert(sizeof(struct entry) == CUP_FATBIN_ENTRY_BYTES, "an entry has no padding");

struct header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t size_bytes;
};
_Static_assert(sizeof(struct header) == CUP_FATBIN_HEADER_BYTES, "a header has no padding");

enum {
    ENTRY_VERSION = 0x101,
    TOOLKIT_MINOR = 7, /* of the format, since CUDA 8 */
    TOOLKIT_MAJOR = 1,
    FLAGS_64_BIT_LINUX = 0x11,
    FLAG_ONE_ARCHITECTURE = 0x100000,
    FLAG_FAMILY = 0x200000,
    ALIGNMENT = 8,
};

static bool fail(const char *format, const char *value)
{
    fputs("fatbinary fatal   : ", stderr);
    fprintf(stderr, format, value);
    fputc('\n', stderr);
    return false;
}

static bool apply(void *state, const struct cup_option *option, char *value)
{
    struct options *options = state;

    switch (option->meaning) {
    case CREATE:
        options->output = value;
        return true;
    case IMAGE:
        return cup_words_append(&options->images, value);
    case EMBEDDED:
        return fail("--embedded-fatbin=%s: cupipe's fatbinary writes files with --create only",
                    value);
    case HELP:
        return options->help = true;
    case VERSION:
        return options->version = true;
    }
    return true;
}

/* The parts of a specification: profile=sm_90,file=NAME or kind=elf,sm=90,file=NAME. */
struct image {
    const char *file, *architecture;
};

static bool read_specification(char *text, struct image *image)
{
    *image = (struct image){0};
    while (text && *text) {
        char *next = NULL;
        if (strncmp(text, "file=", 5) == 0) {
            image->file = text + 5; /* a name may have commas, and is last */
            break;
        }
        next = strchr(text, ',');
        if (next)
            *next++ = 0;
        if (strncmp(text, "profile=", 8) == 0)
            image->architecture = text + 8;
        else if (strncmp(text, "sm=", 3) == 0)
            image->architecture = text + 3;
        else if (strncmp(text, "kind=", 5) != 0)
            return fail("Unknown keyword in '%s' of an image", text);
        text = next;
    }
    if (!image->file)
        return fail("%s", "An image has no file");
    return true;
}

static uint64_t architecture_flags(const char *name)
{
    char last = name && *name ? name[strlen(name) - 1] : 0;

    return FLAGS_64_BIT_LINUX | (last == 'a' ? FLAG_ONE_ARCHITECTURE : 0) |
           (last == 'f' ? FLAG_FAMILY : 0);
}

/* Writes an image and its header. A text keeps the NUL that ends it. */
static bool write_entry(FILE *output, const struct image *image, const struct cup_source_text *file)
{
    static const char zeros[ALIGNMENT];
    enum cup_input_kind kind = cup_input_identify(file->bytes, file->length);
    bool text = kind == CUP_INPUT_PTX;
    size_t bytes = file->length + text, padding = (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT;
    unsigned capability = image->architecture ? cup_input_architecture(image->architecture) : 0;

    if (!text && kind != CUP_INPUT_CARRIER && kind != CUP_INPUT_CUBIN)
        return fail("Input file '%s' is neither PTX nor a cubin", image->file);
    if (capability == 0 && !text)
        capability = cup_fatbin_elf_capability((const uint8_t *)file->bytes);
    if (capability == 0)
        return fail("Image '%s' has no architecture", image->file);
    struct entry entry = {.kind = text ? CUP_FATBIN_KIND_PTX : CUP_FATBIN_KIND_ELF,
                          .version = ENTRY_VERSION,
                          .header_bytes = sizeof entry,
                          .payload_bytes = bytes + padding,
                          .toolkit_minor = TOOLKIT_MINOR,
                          .toolkit_major = TOOLKIT_MAJOR,
                          .capability = capability,
                          .flags = architecture_flags(image->architecture)};
    return fwrite(&entry, sizeof entry, 1, output) == 1 &&
           fwrite(file->bytes, 1, bytes, output) == bytes &&
           fwrite(zeros, 1, padding, output) == padding;
}

static bool add_image(FILE *output, char *specification)
{
    struct cup_source_text file;
    struct image image;

    if (!read_specification(specification, &image))
        return false;
    if (cup_source_read_file(image.file, &file) != CUDA_SUCCESS)
        return fail("Could not open input file '%s'", image.file);
    bool good = write_entry(output, &image, &file);
    free(file.bytes);
    return good;
}

/* The header is written last, when the size is known. */
static bool write_entries(FILE *output, const struct options *options)
{
    struct header header = {CUP_FATBIN_MAGIC, 1, sizeof header, 0};
    bool good = fwrite(&header, sizeof header, 1, output) == 1;

    for (size_t i = 0; good && i < options->images.count; i++)
        good = add_image(output, options->images.items[i]);
    long end = good ? ftell(output) : -1;
    if (end < 0)
        return false;
    header.size_bytes = (uint64_t)end - sizeof header;
    return fseek(output, 0, SEEK_SET) == 0 && fwrite(&header, sizeof header, 1, output) == 1;
}

static bool write_output(const struct options *options)
{
    FILE *output = fopen(options->output, "wb");

    if (!output)
        return fail("Could not open output file '%s'", options->output);
    bool good = write_entries(output, options);
    good = fclose(output) == 0 && good;
    if (!good)
        remove(options->output);
    return good;
}

static bool run(const struct options *options)
{
    if (options->version) {
        printf("fatbinary: cupipe's maker of fatbins, in place of the fatbinary "
               "tool\n" CUP_TOOLS_RELEASE_LINE "Build cupipe " CUPIPE_VERSION "\n");
        return true;
    }
    if (options->help) {
        printf(
            "usage: fatbinary [options] --create FILE --image3=kind=KIND,sm=NUMBER,file=FILE...\n"
            "cupipe's fatbinary: puts PTX and images into one file.\n\n");
        cup_command_line_help(table, sizeof table / sizeof table[0]);
        return true;
    }
    if (!options->output)
        return fail("%s", "Must specify output file with --create option");
    return write_output(options);
}

int main(int count, char **arguments)
{
    struct options options = {0};
    struct cup_command_line line = {.tool = "fatbinary",
                                    .errors = stderr,
                                    .options = table,
                                    .option_count = sizeof table / sizeof table[0],
                                    .apply = apply,
                                    .state = &options};

    bool good = cup_command_line_parse(&line, count > 0 ? (size_t)count - 1 : 0, arguments + 1);
    if (good && line.files.count > 0)
        good = fail("Unexpected word '%s'", line.files.items[0]);
    good = good && run(&options);
    free(line.files.items);
    free(options.images.items);
    return good ? 0 : FAILED;
}

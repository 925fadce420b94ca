/* SPDX-License-Identifier: MIT */
/* ptxas: a command that takes the place of NVIDIA's for programs that call it. It checks PTX with
 * the parser of libcuda and writes a carrier (src/module/carrier.h) in place of a cubin. Messages
 * and exit codes have the form that nvcc and Triton read. */
#include "common/image.h"
#include "common/input.h"
#include "common/release.h"
#include "ptx/versions.h"
#include "ptxas/check.h"
#include "ptxas/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char aborted[] = "ptxas fatal   : Ptx assembly aborted due to errors\n";

enum { FAILED = 255, READ_BYTES = 1 << 16 };

static void print_version(void)
{
    printf("ptxas: cupipe's PTX checker, in place of the PTX optimizing "
           "assembler\n" CUP_TOOLS_RELEASE_LINE "Build cupipe " CUPIPE_VERSION "\n");
}

/* The versions of the PTX ISA, one a line. */
static void print_isa_versions(void)
{
    for (unsigned major = 1; major <= PTX_MAJOR_LAST; major++)
        for (unsigned minor = 0; minor <= ptx_last_minor[major]; minor++)
            printf("%u.%u\n", major, minor);
}

/* Reads a file, which may be a pipe, or the standard input for "-". */
static bool read_input(const char *path, struct cup_source_text *text)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t got = 1;

    *text = (struct cup_source_text){0};
    while (file && got > 0) {
        char *grown = realloc(text->bytes, text->length + READ_BYTES + 1);
        if (!grown)
            break;
        text->bytes = grown;
        got = fread(text->bytes + text->length, 1, READ_BYTES, file);
        text->length += got;
        text->bytes[text->length] = 0;
    }
    bool good = file && got == 0 && !ferror(file);
    if (file && file != stdin)
        fclose(file);
    if (!good)
        free(text->bytes);
    return good;
}

static bool check_text(const struct cup_source_text *text, const char *name,
                       const struct options *options)
{
    enum ptx_failure failure = PTX_OK;
    bool good = check_ptx(text, name, options, stderr, &failure);

    if (failure == PTX_UNSUPPORTED_VERSION)
        fputs(aborted, stderr);
    return good;
}

static bool add_input(const char *path, const struct options *options, struct cup_source *source)
{
    struct cup_source_text text;
    struct ptx_log log = {0};

    if (!read_input(path, &text)) {
        fprintf(stderr, "ptxas fatal   : Input file '%s' could not be opened\n", path);
        fputs(aborted, stderr);
        return false;
    }
    size_t before = source->count;
    CUresult result = cup_input_read(text.bytes, text.length, options->capability, source, &log);
    bool good = result == CUDA_SUCCESS;
    if (!good)
        check_print_log(stderr, &log, path);
    for (size_t i = before; good && i < source->count; i++)
        good = check_text(&source->texts[i], path, options);
    free(text.bytes);
    ptx_log_free(&log);
    return good;
}

static bool add_string(const char *string, const struct options *options, struct cup_source *source)
{
    struct cup_source_text text = {.bytes = strdup(string), .length = strlen(string)};

    return text.bytes && cup_source_add(source, text) == CUDA_SUCCESS &&
           check_text(&source->texts[source->count - 1], "<string>", options);
}

/* An architecture that is virtual asks for the check alone. */
static bool write_output(const struct options *options, const struct cup_source *source)
{
    void *image;
    size_t bytes;

    if (strncmp(options->architecture, "compute_", 8) == 0)
        return true;
    if (cup_image_write(source, options->capability,
                        options->compile_only ? CUP_CARRIER_RELOCATABLE : CUP_CARRIER_WHOLE, &image,
                        &bytes) != CUDA_SUCCESS)
        return false;
    FILE *file = fopen(options->output, "wb");
    bool good = file && fwrite(image, 1, bytes, file) == bytes;
    good = file && fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "ptxas fatal   : Output file '%s' could not be opened\n", options->output);
    free(image);
    return good;
}

int main(int count, char **arguments)
{
    struct options options;
    struct cup_source source = {0};
    bool good = true;

    if (!options_parse(&options, stderr, count > 0 ? (size_t)count - 1 : 0, arguments + 1))
        return FAILED;
    if (options.version)
        return print_version(), 0;
    if (options.list_version)
        return print_isa_versions(), 0;
    if (options.help || options.files.count + options.strings.count == 0)
        return options_help(), 0;
    for (size_t i = 0; i < options.files.count; i++)
        good = add_input(options.files.items[i], &options, &source) && good;
    for (size_t i = 0; i < options.strings.count; i++)
        good = add_string(options.strings.items[i], &options, &source) && good;
    check_apply(&options, &source);
    good = good && write_output(&options, &source);
    cup_source_finish(&source);
    options_finish(&options);
    return good ? 0 : FAILED;
}

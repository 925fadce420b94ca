/* SPDX-License-Identifier: MIT */
/* ptxas: a command that takes the place of NVIDIA's for programs that call it. It checks PTX with
 * the parser of libcuda and writes a carrier (src/module/carrier.h) in place of a cubin. Messages
 * and exit codes have the form that nvcc and Triton read. */
#include "common/input.h"
#include "exec/exec.h"
#include "module/carrier.h"
#include "ptxas/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 255, READ_BYTES = 1 << 16 };

static void print_version(void)
{
    printf("ptxas: cupipe's PTX checker, in place of the PTX optimizing assembler\n"
           "Cuda compilation tools, release 13.0, V13.0.88\n"
           "Build cupipe " CUPIPE_VERSION "\n");
}

/* The versions of the PTX ISA, one a line. */
static void print_isa_versions(void)
{
    static const unsigned last_minor[] = {0, 5, 3, 2, 3, 1, 5, 8, 8, 0}; /* by major version */

    for (unsigned major = 1; major < sizeof last_minor / sizeof last_minor[0]; major++)
        for (unsigned minor = 0; minor <= last_minor[major]; minor++)
            printf("%u.%u\n", major, minor);
}

/* The parser calls its text "application ptx input"; here it has a name. */
static void print_log(const struct ptx_log *log, const char *name)
{
    static const char general[] = "ptxas application ptx input, ", own[] = "ptxas ";
    const char *line = log->text ? log->text : "";

    while (*line) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, general, sizeof general - 1) == 0)
            fprintf(stderr, "ptxas %s, %.*s\n", name, (int)(length - (sizeof general - 1)),
                    line + sizeof general - 1);
        else
            fprintf(stderr, "%s%.*s\n",
                    strncmp(line, own, sizeof own - 1) == 0 ? "" : "ptxas error   : ", (int)length,
                    line);
        line += length + (line[length] == '\n');
    }
}

static void print_kernels(const struct ptx_program *program, const struct options *options)
{
    struct cup_code_resources resources;

    for (uint32_t i = 0; i < program->function_count; i++) {
        const struct ptx_function *function = &program->functions[i];
        if (!function->is_kernel || function->is_prototype)
            continue;
        if (!cup_code_resources_estimate(program, &i, 1, options->max_registers, &resources))
            return;
        fprintf(stderr,
                "ptxas info    : Compiling entry function '%s' for '%s'\n"
                "ptxas info    : Function properties for %s\n"
                "    %u bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                "ptxas info    : Used %u registers, %u bytes smem\n",
                function->name, options->architecture, function->name, resources.local_bytes,
                resources.registers, resources.shared_bytes);
    }
}

/* The last line of most failures; of what is wrong in a text the parser says it itself. */
static void print_aborted(void)
{
    fprintf(stderr, "ptxas fatal   : Ptx assembly aborted due to errors\n");
}

/* PTX for a newer architecture does not run on an older one. */
static bool fits_target(const struct ptx_program *program, const struct options *options)
{
    bool same = program->target == options->capability;
    bool specific = program->target_suffix == 'a';

    if (program->target > options->capability || (specific && !same)) {
        fprintf(stderr, "ptxas fatal   : SM version specified by .target is higher than default SM "
                        "version assumed\n");
        return false;
    }
    return true;
}

static bool check_text(const struct cup_source_text *text, const char *name,
                       const struct options *options)
{
    struct ptx_log log = {0};
    enum ptx_failure failure;
    struct ptx_program *program = ptx_parse(text->bytes, text->length, &log, &failure);
    bool good = program != NULL;

    if (!good) {
        print_log(&log, name);
        if (failure == PTX_UNSUPPORTED_VERSION)
            print_aborted();
    } else {
        good = fits_target(program, options);
        if (good && options->verbose)
            print_kernels(program, options);
        ptx_program_free(program);
    }
    ptx_log_free(&log);
    return good;
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

static bool add_input(const char *path, const struct options *options, struct cup_source *source)
{
    struct cup_source_text text;
    struct ptx_log log = {0};

    if (!read_input(path, &text)) {
        fprintf(stderr, "ptxas fatal   : Input file '%s' could not be opened\n", path);
        print_aborted();
        return false;
    }
    size_t before = source->count;
    CUresult result = cup_input_read(text.bytes, text.length, options->capability, source, &log);
    bool good = result == CUDA_SUCCESS;
    if (!good)
        print_log(&log, path);
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
    if (cup_carrier_write(source, options->capability, options->compile_only, &image, &bytes) !=
        CUDA_SUCCESS)
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

    if (!options_parse(&options, count, arguments))
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
    if (options.max_registers)
        source.max_registers = options.max_registers;
    for (size_t i = 0; i < source.count && options.keeps_products; i++)
        source.texts[i].keeps_products = true;
    good = good && write_output(&options, &source);
    cup_source_finish(&source);
    free(options.files.items);
    free(options.strings.items);
    return good ? 0 : FAILED;
}

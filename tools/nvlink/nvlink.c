/* SPDX-License-Identifier: MIT */
/* nvlink: a command that takes the place of NVIDIA's for nvcc and clang, which call it to link
 * device code. It links PTX with the linker of libcuda and writes a carrier (src/module/carrier.h)
 * in place of a cubin. The carrier holds all texts, which libcuda links again when it loads them;
 * here they are linked to report errors. Machine code is refused. Messages and exit codes are those
 * of NVIDIA's. */
#include "common/release.h"
#include "exec/exec.h"
#include "module/carrier.h"
#include "nvlink/inputs.h"
#include "nvlink/register.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FATAL = 1, UNDEFINED = 255 };

static void print_version(void)
{
    printf("nvlink: cupipe's linker of PTX, in place of the Cuda linker\n" CUP_TOOLS_RELEASE_LINE
           "Build cupipe " CUPIPE_VERSION "\n");
}

static void print_kernel(const struct ptx_program *program, uint32_t index)
{
    struct cup_code_resources resources;
    const struct ptx_function *function = &program->functions[index];

    if (!function->is_kernel || function->is_prototype ||
        !cup_code_resources_estimate(program, &index, 1, 0, &resources))
        return;
    fprintf(stderr,
            "nvlink info    : Function properties for '%s':\n"
            "nvlink info    : used %u registers, %u stack, %u bytes smem, %u bytes lmem\n",
            function->name, resources.registers, resources.local_bytes, resources.shared_bytes,
            resources.local_bytes);
}

/* What --verbose asks for. */
static void describe(const struct ptx_program *program)
{
    unsigned long long bytes = 0;

    for (uint32_t i = 0; i < program->variable_count; i++)
        if (program->variables[i].space == PTX_GLOBAL)
            bytes += program->variables[i].size_bytes;
    fprintf(stderr, "nvlink info    : %llu bytes gmem\n", bytes);
    for (uint32_t i = 0; i < program->function_count; i++)
        print_kernel(program, i);
}

/* Links the programs, for the errors and for --verbose. Returns the exit code. */
static int check_links(const struct inputs *inputs)
{
    struct ptx_log log = {0};
    enum ptx_failure failure = PTX_OK;

    if (inputs->options->relocatable || inputs->programs.count == 0)
        return 0;
    struct ptx_program *whole =
        ptx_link(inputs->programs.items, inputs->programs.count, &log, &failure);
    const char *line = log.text ? log.text : "";
    bool undefined = strstr(line, "Undefined reference") != NULL;
    while (!whole && *line) {
        size_t length = strcspn(line, "\n");
        fprintf(stderr, "nvlink %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (whole && inputs->options->verbose)
        describe(whole);
    int code = whole ? 0 : undefined ? UNDEFINED : FATAL;
    if (code == FATAL)
        fputs("nvlink fatal   : the inputs cannot be merged\n", stderr);
    if (whole)
        ptx_program_free(whole);
    ptx_log_free(&log);
    return code;
}

static bool write_output(const struct inputs *inputs)
{
    const struct link_options *options = inputs->options;
    void *image;
    size_t bytes;

    if (!options->output)
        return true;
    if (cup_carrier_write(&inputs->source, inputs->programs.items, inputs->programs.count,
                          options->capability,
                          options->relocatable ? CUP_CARRIER_RELOCATABLE : CUP_CARRIER_LINKED,
                          &image, &bytes) != CUDA_SUCCESS)
        return false;
    FILE *file = fopen(options->output, "wb");
    bool good = file && fwrite(image, 1, bytes, file) == bytes;
    good = file && fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "nvlink fatal   : Could not open output file '%s'\n", options->output);
    free(image);
    return good;
}

static bool write_registers(const struct inputs *inputs)
{
    const char *path = inputs->options->register_file;

    if (!path || register_write(path, &inputs->registers))
        return true;
    fprintf(stderr, "nvlink fatal   : Could not open output file '%s'\n", path);
    return false;
}

/* Returns the exit code. */
static int link_inputs(const struct link_options *options)
{
    struct inputs inputs = {.options = options};
    bool good = true;

    for (size_t i = 0; good && i < options->files.count; i++)
        good = inputs_add_file(&inputs, options->files.items[i]);
    for (size_t i = 0; good && i < options->libraries.count; i++)
        good = inputs_add_library(&inputs, options->libraries.items[i]);
    int code = good && inputs_add_device_runtime(&inputs) ? check_links(&inputs) : FATAL;
    if (code == 0 && (!write_registers(&inputs) || !write_output(&inputs)))
        code = FATAL;
    inputs_finish(&inputs);
    return code;
}

/* A link for a virtual architecture has no output: nvcc asks for the names of functions alone. */
static int run(const struct link_options *options)
{
    if (options->version)
        return print_version(), 0;
    if (options->help)
        return link_options_help(), 0;
    if (!options->architecture) {
        fputs("nvlink fatal   : Unknown arch name '(null)'\n", stderr);
        return FATAL;
    }
    if (!options->output && strncmp(options->architecture, "compute_", 8) != 0) {
        fputs("nvlink fatal   : Must specify output file with -o option\n", stderr);
        return FATAL;
    }
    return link_inputs(options);
}

int main(int count, char **arguments)
{
    struct link_options options;
    int code = FATAL;

    if (link_options_parse(&options, count > 0 ? (size_t)count - 1 : 0, arguments + 1))
        code = run(&options);
    link_options_finish(&options);
    return code;
}

/* SPDX-License-Identifier: MIT */
#include "ptxas/check.h"

#include "exec/exec.h"

#include <string.h>

/* The parser calls its text "application ptx input"; `name` takes the place of that. */
void check_print_log(FILE *errors, const struct ptx_log *log, const char *name)
{
    static const char general[] = "ptxas application ptx input, ", own[] = "ptxas ";
    const char *line = log->text ? log->text : "";

    while (*line) {
        size_t length = strcspn(line, "\n");
        if (name && strncmp(line, general, sizeof general - 1) == 0)
            fprintf(errors, "ptxas %s, %.*s\n", name, (int)(length - (sizeof general - 1)),
                    line + sizeof general - 1);
        else
            fprintf(errors, "%s%.*s\n",
                    strncmp(line, own, sizeof own - 1) == 0 ? "" : "ptxas error   : ", (int)length,
                    line);
        line += length + (line[length] == '\n');
    }
}

static void print_kernels(FILE *info, const struct ptx_program *program,
                          const struct options *options)
{
    struct cup_code_resources resources;

    for (uint32_t i = 0; i < program->function_count; i++) {
        const struct ptx_function *function = &program->functions[i];
        if (!function->is_kernel || function->is_prototype)
            continue;
        if (!cup_code_resources_estimate(program, &i, 1, options->max_registers, &resources))
            return;
        fprintf(info,
                "ptxas info    : Compiling entry function '%s' for '%s'\n"
                "ptxas info    : Function properties for %s\n"
                "    %u bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                "ptxas info    : Used %u registers, %u bytes smem\n",
                function->name, options->architecture, function->name, resources.local_bytes,
                resources.registers, resources.shared_bytes);
    }
}

/* PTX for a newer architecture does not run on an older one. */
static bool fits_target(const struct ptx_program *program, const struct options *options)
{
    bool same = program->target == options->capability;
    bool specific = program->target_suffix == 'a';

    if (program->target > options->capability || (specific && !same)) {
        fprintf(options->errors, "ptxas fatal   : SM version specified by .target is higher than "
                                 "default SM version assumed\n");
        return false;
    }
    return true;
}

bool check_ptx(const struct cup_source_text *text, const char *name, const struct options *options,
               FILE *info, enum ptx_failure *failure)
{
    struct ptx_log log = {0};
    struct ptx_program *program = ptx_parse(text->bytes, text->length, &log, failure);
    bool good = program && fits_target(program, options);

    if (!program)
        check_print_log(options->errors, &log, name);
    if (good && options->verbose)
        print_kernels(info, program, options);
    if (program)
        ptx_program_free(program);
    ptx_log_free(&log);
    return good;
}

void check_apply(const struct options *options, struct cup_source *source)
{
    if (options->max_registers)
        source->max_registers = options->max_registers;
    for (size_t i = 0; i < source->count && options->keeps_products; i++)
        source->texts[i].keeps_products = true;
}

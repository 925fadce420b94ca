/* SPDX-License-Identifier: MIT */
/* Reading and linking programs, and finding things in them by name. */
#include "module/program.h"

#include "core/error.h"
#include "core/log.h"
#include "module/log.h"

#include <stdlib.h>
#include <string.h>

static CUresult failure_result(enum ptx_failure failure)
{
    switch (failure) {
    case PTX_UNSUPPORTED_VERSION:
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    case PTX_UNSUPPORTED_TARGET:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case PTX_OUT_OF_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_ERROR_INVALID_PTX;
    }
}

/* Parsed texts, joined if they are several; NULL with the failure. */
static struct ptx_program *parse_all(const struct cup_source *source, struct ptx_log *log,
                                     enum ptx_failure *failure)
{
    struct ptx_program **parsed = calloc(source->count, sizeof(struct ptx_program *));
    struct ptx_program *whole = NULL;
    size_t count = 0;

    *failure = PTX_OUT_OF_MEMORY;
    if (!parsed)
        return NULL;
    while (count < source->count) {
        parsed[count] =
            ptx_parse(source->texts[count].bytes, source->texts[count].length, log, failure);
        if (!parsed[count])
            break;
        count++;
    }
    if (count == source->count && count == 1) {
        whole = parsed[0];
        count = 0;
    } else if (count == source->count) {
        whole = ptx_link(parsed, count, log, failure);
    }
    while (count > 0)
        ptx_program_free(parsed[--count]);
    free(parsed);
    return whole;
}

static bool index_kernels(struct cup_program *program)
{
    program->kernels = calloc(program->ptx->function_count + 1, sizeof *program->kernels);
    if (!program->kernels)
        return false;
    for (uint32_t i = 0; i < program->ptx->function_count; i++)
        if (program->ptx->functions[i].is_kernel && !program->ptx->functions[i].is_prototype)
            program->kernels[program->kernel_count++] = i;
    return true;
}

CUresult cup_program_create(const struct cup_source *source, struct ptx_log *log,
                            struct cup_program **program)
{
    enum ptx_failure failure = PTX_SYNTAX;
    struct cup_program *made = calloc(1, sizeof *made);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a program");
    atomic_init(&made->refs, 1);
    if (source->count > 0)
        made->ptx = parse_all(source, log, &failure);
    if (made->ptx && index_kernels(made)) {
        *program = made;
        return CUDA_SUCCESS;
    }
    CUresult result = made->ptx ? CUDA_ERROR_OUT_OF_MEMORY : failure_result(failure);
    if (log->text)
        cup_log(CUP_LOG_WARNING, "a module was refused: %s", log->text);
    cup_program_unref(made);
    return cup_error(result, "the program was refused");
}

CUresult cup_program_load(const void *image, size_t bytes, struct ptx_log *log,
                          struct cup_program **program)
{
    struct cup_source source;
    CUresult result = cup_source_read(image, bytes, &source, log);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_program_create(&source, log, program);
    cup_source_finish(&source);
    return result;
}

void cup_program_ref(struct cup_program *program)
{
    atomic_fetch_add(&program->refs, 1);
}

void cup_program_unref(struct cup_program *program)
{
    if (atomic_fetch_sub(&program->refs, 1) != 1)
        return;
    if (program->ptx)
        ptx_program_free(program->ptx);
    free(program->kernels);
    free(program->settings);
    free(program);
}

uint32_t cup_program_kernel(const struct cup_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->kernel_count; i++)
        if (strcmp(program->ptx->functions[program->kernels[i]].name, name) == 0)
            return i;
    return UINT32_MAX;
}

uint32_t cup_program_variable(const struct cup_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->ptx->variable_count; i++) {
        const struct ptx_variable *variable = &program->ptx->variables[i];
        if ((variable->space == PTX_GLOBAL || variable->space == PTX_CONST) &&
            strcmp(variable->name, name) == 0)
            return i;
    }
    return UINT32_MAX;
}

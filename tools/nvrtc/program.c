/* SPDX-License-Identifier: MIT */
#include "nvrtc/program.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nvrtc_program *all; /* guarded by lock */

static bool add_text(struct nvrtc_texts *texts, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    char **item = copy || !text ? cup_dynarray_add(&texts->array, sizeof *item) : NULL;

    if (item)
        *item = copy;
    else
        free(copy);
    return item;
}

static void free_texts(struct nvrtc_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
}

static void free_program(struct nvrtc_program *program)
{
    free_texts(&program->headers);
    free_texts(&program->header_names);
    free_texts(&program->expressions);
    free(program->source);
    free(program->name);
    free(program->cubin);
    free(program);
}

/* Copies what the program is made of; false if memory is out. */
static bool keep(struct nvrtc_program *program, const char *source, const char *name, int count,
                 const char *const *headers, const char *const *names)
{
    program->source = source ? strdup(source) : NULL;
    program->name = name ? strdup(name) : NULL;
    bool good = (program->source || !source) && (program->name || !name);
    for (int i = 0; good && headers && names && i < count; i++)
        good =
            add_text(&program->headers, headers[i]) && add_text(&program->header_names, names[i]);
    return good;
}

nvrtcResult nvrtc_program_create(nvrtcProgram *handle, const char *source, const char *name,
                                 int count, const char *const *headers, const char *const *names)
{
    const struct nvrtc_compiler *compiler = nvrtc_compiler_first();

    if (!compiler->nvrtcCreateProgram)
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    if (!handle)
        return compiler->nvrtcCreateProgram(NULL, source, name, count, headers, names);
    struct nvrtc_program *program = calloc(1, sizeof *program);
    if (!program)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    program->compiler = compiler;
    nvrtcResult result =
        compiler->nvrtcCreateProgram(&program->inner, source, name, count, headers, names);
    if (result == NVRTC_SUCCESS && !keep(program, source, name, count, headers, names)) {
        compiler->nvrtcDestroyProgram(&program->inner);
        result = NVRTC_ERROR_OUT_OF_MEMORY;
    }
    if (result != NVRTC_SUCCESS) {
        free_program(program);
        return result;
    }
    pthread_mutex_lock(&lock);
    program->next = all;
    all = program;
    pthread_mutex_unlock(&lock);
    *handle = program;
    return NVRTC_SUCCESS;
}

bool nvrtc_program_exists(nvrtcProgram program)
{
    pthread_mutex_lock(&lock);
    struct nvrtc_program *each = all;
    while (each && each != program)
        each = each->next;
    pthread_mutex_unlock(&lock);
    return each;
}

nvrtcResult nvrtc_program_destroy(nvrtcProgram *handle)
{
    struct nvrtc_program *program = *handle;

    pthread_mutex_lock(&lock);
    struct nvrtc_program **at = &all;
    while (*at && *at != program)
        at = &(*at)->next;
    bool known = *at;
    if (known)
        *at = program->next;
    pthread_mutex_unlock(&lock);
    if (!known)
        return NVRTC_ERROR_INVALID_PROGRAM;
    nvrtcResult result = program->compiler->nvrtcDestroyProgram(&program->inner);
    free_program(program);
    *handle = NULL;
    return result;
}

nvrtcResult nvrtc_program_add_expression(nvrtcProgram program, const char *expression)
{
    nvrtcResult result = program->compiler->nvrtcAddNameExpression(program->inner, expression);

    if (result == NVRTC_SUCCESS && !add_text(&program->expressions, expression))
        result = NVRTC_ERROR_OUT_OF_MEMORY;
    return result;
}

/* Makes the program again with another compiler. */
static nvrtcResult make_again(const struct nvrtc_program *program,
                              const struct nvrtc_compiler *compiler, nvrtcProgram *inner)
{
    nvrtcResult result = compiler->nvrtcCreateProgram(
        inner, program->source, program->name, (int)program->headers.count,
        (const char *const *)program->headers.items,
        (const char *const *)program->header_names.items);

    if (result != NVRTC_SUCCESS)
        return result;
    for (size_t i = 0; result == NVRTC_SUCCESS && i < program->expressions.count; i++)
        result = compiler->nvrtcAddNameExpression(*inner, program->expressions.items[i]);
    if (result == NVRTC_SUCCESS && program->callback && compiler->nvrtcSetFlowCallback)
        result = compiler->nvrtcSetFlowCallback(*inner, program->callback, program->payload);
    if (result != NVRTC_SUCCESS)
        compiler->nvrtcDestroyProgram(inner);
    return result;
}

bool nvrtc_program_move(nvrtcProgram program)
{
    const struct nvrtc_compiler *newer = nvrtc_compiler_newer(program->compiler);
    nvrtcProgram inner = NULL;

    if (!newer || make_again(program, newer, &inner) != NVRTC_SUCCESS)
        return false;
    program->compiler->nvrtcDestroyProgram(&program->inner);
    program->compiler = newer;
    program->inner = inner;
    return true;
}

/* SPDX-License-Identifier: MIT */
/* A kernel reads the handle number of a reference from the launch's symbol table. A launch of a
 * module with references therefore has a table of its own, with the numbers at launch time. */
#include "module/references.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

static bool type_of(const struct ptx_variable *variable, enum cup_object_type *type)
{
    if (variable->space != PTX_GLOBAL)
        return false;
    *type =
        variable->type == PTX_SURFREF ? CUP_OBJECT_SURFACE_REFERENCE : CUP_OBJECT_TEXTURE_REFERENCE;
    return variable->type == PTX_TEXREF || variable->type == PTX_SURFREF;
}

CUresult cup_module_references_create(struct CUmod_st *module)
{
    const struct ptx_program *ptx = module->program->ptx;
    enum cup_object_type type;

    for (uint32_t i = 0; i < ptx->variable_count; i++) {
        CUresult result;

        if (!type_of(&ptx->variables[i], &type))
            continue;
        if (!module->references)
            module->references = calloc(ptx->variable_count, sizeof(*module->references));
        if (!module->references)
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for references");
        result = cup_reference_create(type, module->context, true, &module->references[i]);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

void cup_module_references_end(struct CUmod_st *module, enum cup_retire_reason reason)
{
    for (uint32_t i = 0; module->references && i < module->program->ptx->variable_count; i++)
        if (module->references[i])
            cup_object_retire(&module->references[i]->base, reason);
}

void cup_module_references_free(struct CUmod_st *module)
{
    for (uint32_t i = 0; module->references && i < module->program->ptx->variable_count; i++)
        if (module->references[i])
            cup_reference_unref(module->references[i]);
    free(module->references);
}

CUresult cup_module_reference(const struct CUmod_st *module, const char *name,
                              enum cup_object_type type, struct CUtexref_st **reference)
{
    uint32_t variable = cup_program_variable(module->program, name);

    if (variable == UINT32_MAX || !module->references || !module->references[variable] ||
        module->references[variable]->base.type != type)
        return cup_error(CUDA_ERROR_NOT_FOUND, "texture reference %s does not exist", name);
    *reference = module->references[variable];
    return CUDA_SUCCESS;
}

struct bound {
    struct CUmod_st *module;
    void *symbols[];
};

static void release_bound(void *owner)
{
    struct bound *bound = owner;

    cup_module_unref(bound->module);
    free(bound);
}

CUresult cup_module_references_bind(struct CUmod_st *module, struct cup_exec_request *request)
{
    uint32_t count = module->program->ptx->variable_count;
    struct bound *bound;

    if (!module->references)
        return CUDA_SUCCESS;
    bound = malloc(sizeof(*bound) + count * sizeof(bound->symbols[0]));
    if (!bound)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the bindings of references");
    bound->module = module;
    memcpy(bound->symbols, module->image.symbols, count * sizeof(bound->symbols[0]));
    for (uint32_t i = 0; i < count; i++)
        if (module->references[i])
            bound->symbols[i] = (void *)(uintptr_t)cup_reference_number(module->references[i]);
    request->symbols = bound->symbols;
    request->owner = bound;
    request->release = release_bound;
    return CUDA_SUCCESS;
}

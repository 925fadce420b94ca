/* SPDX-License-Identifier: MIT */
/* Loads modules: allocates and initialises their variables.
 *
 * All variables except managed ones are in one device allocation. They start after its base
 * address, so no variable can be freed with cuMemFree(). */
#include "module/module.h"

#include "core/error.h"
#include "memory/heap.h"
#include "memory/managed.h"
#include "module/function.h"
#include "module/references.h"

#include <stdlib.h>
#include <string.h>

static void free_memory(struct CUmod_st *module)
{
    const struct ptx_program *ptx = module->program->ptx;
    struct cup_heap *heap = module->context->device->heap;

    for (uint32_t i = 0; module->image.symbols && i < ptx->variable_count; i++) {
        uint64_t address = (uint64_t)(uintptr_t)module->image.symbols[i];
        if (address == 0 || ptx->variables[i].space != PTX_GLOBAL)
            continue;
        if (!ptx->variables[i].managed)
            cup_heap_free(heap, address);
        else if (!module->program->managed)
            cup_managed_free(address);
    }
    if (module->constants)
        cup_heap_free(heap, module->constants);
}

static void module_finish(struct cup_object *object)
{
    struct CUmod_st *module = (struct CUmod_st *)object;

    cup_context_remove_child(module->context, &module->child);
    if (module->image.codes)
        cup_code_image_finish(&module->image);
    free_memory(module);
    free(module->image.symbols);
    free(module->image.codes);
    free(module->functions);
    cup_module_references_free(module);
    cup_program_unref(module->program);
    cup_context_unref(module->context);
}

void cup_module_register(void)
{
    cup_object_register(CUP_OBJECT_MODULE, sizeof(struct CUmod_st), module_finish);
}

static CUresult allocate(struct CUmod_st *module, uint64_t bytes, uint64_t *address)
{
    return cup_heap_allocate(module->context->device->heap, bytes ? bytes : 1,
                             cup_object_index(&module->context->base), CUP_RANGE_VARIABLE, address);
}

/* All constants are in one bank. */
static CUresult place_constants(struct CUmod_st *module)
{
    const struct ptx_program *ptx = module->program->ptx;
    uint64_t bytes = cup_program_constants(ptx), at = 0;

    if (bytes == 0)
        return CUDA_SUCCESS;
    CUresult result = allocate(module, bytes, &module->constants);
    for (uint32_t i = 0; result == CUDA_SUCCESS && i < ptx->variable_count; i++) {
        if (ptx->variables[i].space != PTX_CONST)
            continue;
        at = cup_program_align(at, &ptx->variables[i]);
        module->image.symbols[i] = (void *)(uintptr_t)(module->constants + at);
        at += ptx->variables[i].size_bytes;
    }
    return result;
}

static CUresult place_variables(struct CUmod_st *module)
{
    const struct ptx_program *ptx = module->program->ptx;
    CUresult result = place_constants(module);

    for (uint32_t i = 0; result == CUDA_SUCCESS && i < ptx->variable_count; i++) {
        const struct ptx_variable *variable = &ptx->variables[i];
        uint64_t address = 0;
        if (variable->space != PTX_GLOBAL)
            continue;
        if (variable->managed && module->program->managed)
            address = module->program->managed[i];
        else if (variable->managed)
            result = cup_managed_allocate_variable(module->context, variable->size_bytes, &address);
        else
            result = allocate(module, variable->size_bytes, &address);
        module->image.symbols[i] = (void *)(uintptr_t)address;
    }
    return result;
}

static void relocate(struct CUmod_st *module, uint8_t *memory, uint64_t size_bytes,
                     const struct ptx_relocation *relocation)
{
    uint64_t value = (uint64_t)relocation->addend;

    if (relocation->is_function)
        value += relocation->index + 1;
    else
        value += (uint64_t)(uintptr_t)module->image.symbols[relocation->index];
    if (relocation->byte != 0xff)
        value = value >> (8 * (relocation->byte % 8)) & 0xff;
    if (relocation->size_bytes <= sizeof value && relocation->at <= size_bytes &&
        relocation->size_bytes <= size_bytes - relocation->at)
        memcpy(memory + relocation->at, &value, relocation->size_bytes);
}

static void initialize_variables(struct CUmod_st *module)
{
    const struct ptx_program *ptx = module->program->ptx;
    bool shares = module->program->managed != NULL,
         first = shares && !atomic_exchange(&module->program->managed_relocated, true);

    for (uint32_t i = 0; i < ptx->variable_count; i++) {
        const struct ptx_variable *variable = &ptx->variables[i];
        uint8_t *memory = module->image.symbols[i];
        bool shared = shares && variable->managed; /* already initialised, except for addresses */
        if (!memory || (shared && !first))
            continue;
        if (!shared && variable->init)
            memcpy(memory, variable->init, variable->size_bytes);
        else if (!shared)
            memset(memory, 0, variable->size_bytes);
        for (uint32_t j = 0; j < variable->relocation_count; j++)
            relocate(module, memory, variable->size_bytes, &variable->relocations[j]);
    }
}

static void module_end(struct cup_object *object, enum cup_retire_reason reason)
{
    cup_module_destroy((struct CUmod_st *)object, reason);
}

static CUresult create_parts(struct CUmod_st *module)
{
    const struct cup_program *program = module->program;
    uint32_t made = 0;
    CUresult result;

    module->image.program = program->ptx;
    module->image.symbols = calloc(program->ptx->variable_count + 1, sizeof(void *));
    module->image.codes = calloc(program->ptx->function_count + 1, sizeof *module->image.codes);
    module->function_count = module->library ? program->kernel_count : program->function_count;
    module->functions = calloc(module->function_count + 1, sizeof(struct CUfunc_st *));
    if (!module->image.symbols || !module->image.codes || !module->functions)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a module");
    result = place_variables(module);
    if (result != CUDA_SUCCESS)
        return result;
    initialize_variables(module);
    result = cup_module_references_create(module);
    while (result == CUDA_SUCCESS && made < module->function_count) {
        result = cup_function_create(module, made, &module->functions[made]);
        made += result == CUDA_SUCCESS;
    }
    while (result != CUDA_SUCCESS && made > 0)
        cup_function_end(module->functions[--made], CUP_RETIRED_DESTROYED);
    return result;
}

CUmoduleLoadingMode cup_module_loading_mode(void)
{
    const char *wanted = secure_getenv("CUDA_MODULE_LOADING");

    return wanted && strcmp(wanted, "EAGER") == 0 ? CU_MODULE_EAGER_LOADING
                                                  : CU_MODULE_LAZY_LOADING;
}

static void compile_all(struct CUmod_st *module)
{
    uint32_t count = module->program->kernel_count;
    struct cup_exec_wanted *wanted = calloc(count + 1, sizeof(*wanted));

    if (!wanted) /* each is then compiled when it is launched */
        return;
    for (uint32_t i = 0; i < count; i++)
        wanted[i] = (struct cup_exec_wanted){.image = &module->image,
                                             .function = module->program->kernels[i]};
    cup_exec_prepare_all(wanted, count);
    free(wanted);
}

CUresult cup_module_create(struct CUctx_st *context, struct cup_program *program,
                           const struct CUlib_st *library, struct CUmod_st **module)
{
    struct CUmod_st *made = (struct CUmod_st *)cup_object_create(CUP_OBJECT_MODULE);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a module");
    cup_context_ref(context);
    made->context = context;
    made->context_id = context->id;
    cup_program_ref(program);
    made->program = program;
    made->library = library;
    CUresult result = create_parts(made);
    if (result != CUDA_SUCCESS) {
        cup_module_unref(made);
        return result;
    }
    if (cup_module_loading_mode() == CU_MODULE_EAGER_LOADING)
        compile_all(made);
    /* From here on the context may end the module, in another thread. */
    if (library)
        cup_object_ref(&made->base);
    cup_context_add_child(context, &made->child, &made->base, module_end);
    cup_object_publish(&made->base);
    *module = made;
    return CUDA_SUCCESS;
}

CUresult cup_module_find(CUmodule handle, struct CUmod_st **module)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_MODULE, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a module", (void *)handle);
    *module = (struct CUmod_st *)object;
    return CUDA_SUCCESS;
}

bool cup_module_destroy(struct CUmod_st *module, enum cup_retire_reason reason)
{
    if (!cup_object_retire(&module->base, reason))
        return false;
    for (uint32_t i = 0; i < module->function_count; i++)
        cup_function_end(module->functions[i], reason);
    cup_module_references_end(module, reason);
    cup_module_unref(module); /* the handle's reference */
    return true;
}

CUresult cup_module_variable(const struct CUmod_st *module, const char *name, CUdeviceptr *address,
                             size_t *bytes)
{
    const struct cup_program *program = module->program;

    if (!name || !*name || (!address && !bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the name or all pointers for results are NULL");
    if (cup_program_kernel(program, name) != UINT32_MAX)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%s is a kernel", name);
    uint32_t variable = cup_program_variable(program, name);
    if (variable == UINT32_MAX)
        return cup_error(CUDA_ERROR_NOT_FOUND, "variable %s does not exist", name);
    if (address)
        *address = (CUdeviceptr)(uintptr_t)module->image.symbols[variable];
    if (bytes)
        *bytes = program->ptx->variables[variable].size_bytes;
    return CUDA_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Libraries and their kernels. A module of a library ends with its context or with the library,
 * whichever is first; the context's id tells whether the module still belongs to that context. A
 * kernel remembers the function that it had last, so that launches in one context neither lock nor
 * search. */
#include "module/library.h"

#include "core/error.h"
#include "core/lock.h"

#include <stdlib.h>

static void destroy_modules(struct CUlib_st *library)
{
    cup_lock_acquire(&library->lock);
    struct cup_library_module *modules = library->modules;
    library->modules = NULL;
    cup_lock_release(&library->lock);
    while (modules) {
        struct cup_library_module *next = modules->next;
        cup_module_destroy(modules->module, CUP_RETIRED_DESTROYED);
        cup_module_unref(modules->module);
        free(modules);
        modules = next;
    }
}

static void library_finish(struct cup_object *object)
{
    struct CUlib_st *library = (struct CUlib_st *)object;

    destroy_modules(
        library); /* modules added by threads that used the library while it was unloaded */
    free(library->kernels);
    cup_lock_finish(&library->lock);
    if (library->program)
        cup_program_unref(library->program);
}

static void kernel_finish(struct cup_object *object)
{
    cup_library_unref(((struct CUkern_st *)object)->library);
}

void cup_library_register(void)
{
    cup_object_register(CUP_OBJECT_LIBRARY, sizeof(struct CUlib_st), library_finish);
}

void cup_kernel_register(void)
{
    cup_object_register(CUP_OBJECT_KERNEL, sizeof(struct CUkern_st), kernel_finish);
}

static CUresult create_kernel(struct CUlib_st *library, uint32_t index, struct CUkern_st **kernel)
{
    struct CUkern_st *made = (struct CUkern_st *)cup_object_create(CUP_OBJECT_KERNEL);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a kernel");
    cup_object_ref(&library->base);
    made->library = library;
    made->kernel = index;
    made->resources = library->program->resources[index];
    cup_object_publish(&made->base);
    *kernel = made;
    return CUDA_SUCCESS;
}

static bool create_settings(struct cup_program *program)
{
    unsigned devices = cup_device_count();

    program->settings =
        calloc((size_t)program->kernel_count * devices + 1, sizeof *program->settings);
    program->device_count = devices;
    for (uint32_t i = 0; program->settings && i < program->kernel_count; i++)
        for (unsigned j = 0; j < devices; j++)
            cup_function_settings_init(&program->settings[i * devices + j],
                                       &program->ptx->functions[program->kernels[i]], NULL);
    return program->settings != NULL;
}

static void destroy_kernels(struct CUlib_st *library)
{
    for (uint32_t i = 0; library->program && i < library->program->kernel_count; i++)
        if (library->kernels[i] &&
            cup_object_retire(&library->kernels[i]->base, CUP_RETIRED_DESTROYED))
            cup_kernel_unref(library->kernels[i]);
}

static CUresult create_kernels(struct CUlib_st *library, struct cup_program *program)
{
    CUresult result = CUDA_SUCCESS;

    cup_program_ref(program);
    library->program = program;
    library->kernels = calloc(program->kernel_count + 1, sizeof(struct CUkern_st *));
    if (!library->kernels || !create_settings(program))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library");
    result = cup_program_share_managed(program);
    for (uint32_t i = 0; result == CUDA_SUCCESS && i < program->kernel_count; i++)
        result = create_kernel(library, i, &library->kernels[i]);
    if (result != CUDA_SUCCESS)
        destroy_kernels(library);
    return result;
}

CUresult cup_library_create(struct cup_program *program, CUresult refused,
                            struct CUlib_st **library)
{
    struct CUlib_st *made = (struct CUlib_st *)cup_object_create(CUP_OBJECT_LIBRARY);
    CUresult result = CUDA_SUCCESS;

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library");
    cup_lock_init(&made->lock, CUP_RANK_LIBRARY_MODULES);
    made->refused = refused;
    if (program)
        result = create_kernels(made, program);
    if (result != CUDA_SUCCESS) {
        cup_library_unref(made);
        return result;
    }
    cup_object_publish(&made->base);
    *library = made;
    return CUDA_SUCCESS;
}

CUresult cup_library_find_usable(CUlibrary handle, struct CUlib_st **library)
{
    CUresult result = cup_library_find(handle, library);

    if (result == CUDA_SUCCESS && !(*library)->program) {
        result = (*library)->refused;
        cup_library_unref(*library);
    }
    return result;
}

CUresult cup_library_find(CUlibrary handle, struct CUlib_st **library)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_LIBRARY, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a library", (void *)handle);
    *library = (struct CUlib_st *)object;
    return CUDA_SUCCESS;
}

CUresult cup_kernel_find(CUkernel handle, struct CUkern_st **kernel)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_KERNEL, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a kernel", (void *)handle);
    *kernel = (struct CUkern_st *)object;
    return CUDA_SUCCESS;
}

bool cup_library_destroy(struct CUlib_st *library)
{
    if (!cup_object_retire(&library->base, CUP_RETIRED_DESTROYED))
        return false;
    destroy_kernels(library);
    destroy_modules(library);
    cup_library_unref(library); /* the handle's reference */
    return true;
}

static bool is_in_context(const struct CUmod_st *module, const struct CUctx_st *context)
{
    return module->context == context && module->context_id == context->id;
}

/* Returns the module of a context, with a reference, or NULL. Moves the modules of dead contexts to
 * `dead`. */
static struct CUmod_st *find_locked(struct CUlib_st *library, struct CUctx_st *context,
                                    struct cup_library_module **dead)
{
    cup_lock_assert_held(&library->lock);
    struct CUmod_st *found = NULL;
    struct cup_library_module **link = &library->modules;

    while (*link) {
        struct cup_library_module *entry = *link;
        struct CUmod_st *live;
        if (cup_module_find(entry->module, &live) != CUDA_SUCCESS) {
            *link = entry->next;
            entry->next = *dead;
            *dead = entry;
            continue;
        }
        if (is_in_context(live, context))
            found = live;
        else
            cup_module_unref(live);
        link = &entry->next;
    }
    return found;
}

/* Returns the module of a context, with a reference. If there is none, adds `entry`, which may be
 * NULL. */
static struct CUmod_st *find_or_add(struct CUlib_st *library, struct CUctx_st *context,
                                    struct cup_library_module *entry)
{
    struct cup_library_module *dead = NULL, *next;

    cup_lock_acquire(&library->lock);
    struct CUmod_st *found = find_locked(library, context, &dead);
    if (!found && entry) {
        entry->next = library->modules;
        library->modules = entry;
        found = entry->module;
        cup_object_ref(&found->base);
    }
    cup_lock_release(&library->lock);
    for (; dead; dead = next) {
        next = dead->next;
        cup_module_unref(dead->module);
        free(dead);
    }
    return found;
}

/* Devices may differ, and a library is for all of them: whether its code runs on one is known when
 * it is needed there. */
static CUresult check_device(const struct CUlib_st *library, const struct cup_device *device)
{
    struct ptx_log log = {0};
    CUresult result = cup_program_check_target(library->program, &device->profile, &log);

    ptx_log_free(&log);
    return result == CUDA_SUCCESS
               ? result
               : cup_error(CUDA_ERROR_NO_BINARY_FOR_GPU, "the library has no code for device %d",
                           device->ordinal);
}

CUresult cup_library_get_module(struct CUlib_st *library, struct CUctx_st *context,
                                struct CUmod_st **module)
{
    struct cup_library_module *entry;
    struct CUmod_st *made;

    *module = find_or_add(library, context, NULL);
    if (*module)
        return CUDA_SUCCESS;
    CUresult result = check_device(library, context->device);
    if (result != CUDA_SUCCESS)
        return result;
    entry = malloc(sizeof *entry);
    if (!entry)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library's module");
    result = cup_module_create(context, library->program, library, &made);
    if (result != CUDA_SUCCESS) {
        free(entry);
        return result;
    }
    /* takes over the caller's reference */
    *entry = (struct cup_library_module){NULL, made};
    *module = find_or_add(library, context, entry);
    if (*module != made) { /* another thread was first */
        cup_module_destroy(made, CUP_RETIRED_DESTROYED);
        cup_module_unref(made);
        free(entry);
    }
    return CUDA_SUCCESS;
}

/* Another thread may unload the library or end the context at any time. The module stays while it
 * is referenced, but its functions end and their slots may be reused. */
static CUresult ref_function(const struct CUmod_st *module, uint32_t kernel,
                             struct CUfunc_st **function)
{
    struct CUfunc_st *found;
    CUresult result = cup_function_find(module->functions[kernel], &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (found->module != module) {
        cup_function_unref(found);
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread unloaded the library");
    }
    *function = found;
    return CUDA_SUCCESS;
}

/* Returns the function that the kernel had last, with a reference, if it is the one of the context;
 * else NULL. Its slot may by now be another function's. */
static struct CUfunc_st *ref_last_function(struct CUkern_st *kernel, const struct CUctx_st *context)
{
    struct CUfunc_st *last = atomic_load_explicit(&kernel->last_function, memory_order_relaxed);
    struct cup_object *object;

    if (!last || cup_object_find(CUP_OBJECT_FUNCTION, last, &object) != CUDA_SUCCESS)
        return NULL;
    if (last->module->library == kernel->library && last->kernel == kernel->kernel &&
        is_in_context(last->module, context))
        return last;
    cup_function_unref(last);
    return NULL;
}

CUresult cup_kernel_function(struct CUkern_st *kernel, struct CUctx_st *context,
                             struct CUfunc_st **function)
{
    struct CUfunc_st *last = ref_last_function(kernel, context);
    struct CUmod_st *module;

    if (last) {
        *function = last;
        return CUDA_SUCCESS;
    }
    CUresult result = cup_library_get_module(kernel->library, context, &module);
    if (result != CUDA_SUCCESS)
        return result;
    result = ref_function(module, kernel->kernel, function);
    if (result == CUDA_SUCCESS)
        atomic_store_explicit(&kernel->last_function, *function, memory_order_relaxed);
    cup_module_unref(module);
    return result;
}

CUresult cup_function_find_any(CUfunction handle, struct CUctx_st *context,
                               struct CUfunc_st **function)
{
    struct CUkern_st *kernel = NULL;

    if (!cup_object_was(CUP_OBJECT_KERNEL, handle))
        return cup_function_find(handle, function);
    CUresult result = cup_kernel_find((CUkernel)handle, &kernel);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_kernel_function(kernel, context, function);
    cup_kernel_unref(kernel);
    return result;
}

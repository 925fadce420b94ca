/* SPDX-License-Identifier: MIT */
/* Functions and their attributes. */
#include "module/function.h"

#include "core/driver_version.h"
#include "core/error.h"
#include "device/profile.h"

#include <stdlib.h>

static void function_finish(struct cup_object *object)
{
    struct CUfunc_st *function = (struct CUfunc_st *)object;

    free(function->legacy.parameters);
    cup_lock_finish(&function->lock);
    cup_module_unref(function->module);
}

void cup_function_register(void)
{
    cup_object_register(CUP_OBJECT_FUNCTION, sizeof(struct CUfunc_st), function_finish);
}

void cup_function_settings_init(struct cup_function_settings *settings,
                                const struct ptx_function *kernel,
                                const struct cup_function_settings *fallback)
{
    settings->fallback = fallback;
    for (unsigned i = 0; i < CUP_SETTING_COUNT; i++) {
        atomic_init(&settings->values[i], 0);
        atomic_init(&settings->is_set[i], false);
    }
    atomic_init(&settings->values[CUP_SETTING_DYNAMIC_SHARED], -1);
    atomic_init(&settings->values[CUP_SETTING_CARVEOUT], CU_SHAREDMEM_CARVEOUT_DEFAULT);
    for (unsigned i = 0; i < 3; i++)
        atomic_init(&settings->values[CUP_SETTING_CLUSTER_X + i], (int)kernel->required_cluster[i]);
}

int cup_setting_get(const struct cup_function_settings *settings, enum cup_setting which)
{
    while (settings->fallback && !atomic_load(&settings->is_set[which]))
        settings = settings->fallback;
    return atomic_load(&settings->values[which]);
}

static CUresult set_value(struct cup_function_settings *settings, enum cup_setting which, int value)
{
    atomic_store(&settings->values[which], value);
    atomic_store(&settings->is_set[which], true);
    return CUDA_SUCCESS;
}

/* Returns the settings of the library's kernel on the module's device. */
static const struct cup_function_settings *find_kernel_settings(const struct CUfunc_st *function)
{
    const struct cup_program *program = function->module->program;
    unsigned device = (unsigned)function->module->context->device->ordinal;

    return program->settings ? &program->settings[function->kernel * program->device_count + device]
                             : NULL;
}

CUresult cup_function_create(struct CUmod_st *module, uint32_t kernel, struct CUfunc_st **function)
{
    struct CUfunc_st *made = (struct CUfunc_st *)cup_object_create(CUP_OBJECT_FUNCTION);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a function");
    cup_object_ref(&module->base);
    made->module = module;
    made->kernel = kernel;
    cup_lock_init(&made->lock, CUP_RANK_FUNCTION);
    made->resources = module->program->resources[kernel];
    cup_function_settings_init(&made->settings, cup_function_ptx(made), find_kernel_settings(made));
    cup_object_publish(&made->base);
    *function = made;
    return CUDA_SUCCESS;
}

void cup_function_end(struct CUfunc_st *function, enum cup_retire_reason reason)
{
    if (cup_object_retire(&function->base, reason))
        cup_function_unref(function); /* the handle's reference */
}

CUresult cup_function_find(CUfunction handle, struct CUfunc_st **function)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_FUNCTION, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a function", (void *)handle);
    *function = (struct CUfunc_st *)object;
    return CUDA_SUCCESS;
}

/* What is left for dynamic shared memory if a block may have as much as the attribute says. */
static int left_of(CUdevice_attribute attribute, const struct cup_profile *profile,
                   const struct cup_code_resources *resources)
{
    int left = (int)cup_profile_value(profile, attribute) - (int)resources->shared_bytes;

    return left > 0 ? left : 0;
}

/* The default limit of dynamic shared memory per block. */
static int default_dynamic_shared(const struct cup_profile *profile,
                                  const struct cup_code_resources *resources)
{
    return left_of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, profile, resources);
}

/* No device here has oversized shared memory, so the modes that permit it permit what a function
 * can opt in to. */
int cup_function_dynamic_shared(const struct CUfunc_st *function)
{
    const struct cup_profile *profile = cup_function_profile(function);
    int mode = cup_setting_get(&function->settings, CUP_SETTING_SHARED_MODE);

    if (mode == CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE)
        return default_dynamic_shared(profile, &function->resources);
    if (mode != CU_SHARED_MEMORY_MODE_DEFAULT)
        return left_of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, profile,
                       &function->resources);
    int bytes = cup_setting_get(&function->settings, CUP_SETTING_DYNAMIC_SHARED);

    return bytes < 0 ? default_dynamic_shared(profile, &function->resources) : bytes;
}

CUresult cup_function_attribute(const struct cup_program *program,
                                const struct cup_profile *profile,
                                const struct ptx_function *kernel,
                                const struct cup_code_resources *resources,
                                const struct cup_function_settings *settings,
                                CUfunction_attribute attribute, int *value)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)resources->max_threads;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)resources->shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)resources->const_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)resources->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)resources->registers;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = (int)program->ptx->target;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = (int)cup_profile_capability(profile);
        break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = cup_setting_get(settings, CUP_SETTING_DYNAMIC_SHARED);
        if (*value < 0)
            *value = default_dynamic_shared(profile, resources);
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = cup_setting_get(settings, CUP_SETTING_CARVEOUT);
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = cup_function_needs_cluster(kernel);
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value =
            cup_setting_get(settings, CUP_SETTING_CLUSTER_X +
                                          (attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH));
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = cup_setting_get(settings, CUP_SETTING_NON_PORTABLE_CLUSTER);
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = cup_setting_get(settings, CUP_SETTING_CLUSTER_POLICY);
        break;
    case CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED:
        *value = 0; /* kernels cannot change the nodes of a graph */
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE:
        *value = cup_setting_get(settings, CUP_SETTING_SHARED_MODE);
        break;
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid function attribute %d", (int)attribute);
    }
    return CUDA_SUCCESS;
}

bool cup_function_policy_is_valid(int policy)
{
    return policy >= CU_CLUSTER_SCHEDULING_POLICY_DEFAULT &&
           policy <= CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY &&
           cup_driver_knows(CUP_ENUM_CLUSTER_POLICY, policy);
}

CUresult cup_function_set_attribute(const struct cup_profile *profile,
                                    const struct ptx_function *kernel,
                                    const struct cup_code_resources *resources,
                                    struct cup_function_settings *settings,
                                    CUfunction_attribute attribute, int value)
{
    uint32_t required;
    int most;

    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        most =
            (int)cup_profile_value(profile, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
            (int)resources->shared_bytes;
        if (value < 0 || value > most)
            return cup_error(
                CUDA_ERROR_INVALID_VALUE,
                "invalid size of dynamic shared memory: %d bytes; 0 to %d are possible", value,
                most);
        return set_value(settings, CUP_SETTING_DYNAMIC_SHARED, value);
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < CU_SHAREDMEM_CARVEOUT_DEFAULT || value > CU_SHAREDMEM_CARVEOUT_MAX_SHARED)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid carveout of %d percent", value);
        return set_value(settings, CUP_SETTING_CARVEOUT, value);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        required = kernel->required_cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        if (value < 0 || (required != 0 && (uint32_t)value != required) ||
            (kernel->max_cluster_rank != 0 && (uint32_t)value > kernel->max_cluster_rank))
            return cup_error(
                CUDA_ERROR_INVALID_VALUE,
                "invalid cluster width %d; the kernel declares %u, and at most %u are possible",
                value, required, kernel->max_cluster_rank);
        return set_value(
            settings,
            CUP_SETTING_CLUSTER_X + (attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), value);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        return set_value(settings, CUP_SETTING_NON_PORTABLE_CLUSTER, value);
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        if (!cup_function_policy_is_valid(value))
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid cluster policy %d", value);
        return set_value(settings, CUP_SETTING_CLUSTER_POLICY, value);
    case CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE:
        if (value < CU_SHARED_MEMORY_MODE_DEFAULT ||
            value > CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid mode %d of shared memory", value);
        return set_value(settings, CUP_SETTING_SHARED_MODE, value);
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "function attribute %d cannot be set",
                         (int)attribute);
    }
}

uint32_t cup_function_parameter_count(const struct ptx_function *kernel)
{
    return kernel->is_kernel ? kernel->parameter_count : 0;
}

CUresult cup_function_parameter(const struct ptx_function *kernel, size_t index, size_t *offset,
                                size_t *size_bytes)
{
    uint32_t count = cup_function_parameter_count(kernel);

    if (index >= count)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "parameter %zu does not exist; the kernel has %u", index, count);
    *offset = kernel->parameters[index].offset;
    if (size_bytes)
        *size_bytes = kernel->parameters[index].size_bytes;
    return CUDA_SUCCESS;
}

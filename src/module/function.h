/* SPDX-License-Identifier: MIT */
/* Functions: kernels of a module, with their attributes for launches, and device functions of a
 * linked image, which have attributes alone. */
#ifndef CUP_MODULE_FUNCTION_H
#define CUP_MODULE_FUNCTION_H

#include "module/module.h"

#include <stdatomic.h>

enum { CUP_PARAMETER_BYTES_MAX = 32764 };

enum cup_setting {
    CUP_SETTING_DYNAMIC_SHARED, /* limit in bytes per block; -1: the default limit */
    CUP_SETTING_CARVEOUT,       /* percent of shared memory; affects occupancy */
    CUP_SETTING_CLUSTER_X,      /* 0: not set */
    CUP_SETTING_CLUSTER_Y,
    CUP_SETTING_CLUSTER_Z,
    CUP_SETTING_NON_PORTABLE_CLUSTER,
    CUP_SETTING_CLUSTER_POLICY, /* stored, no effect */
    CUP_SETTING_SHARED_MODE,    /* CUsharedMemoryMode: which limit of shared memory applies */
    CUP_SETTING_COUNT
};

/* Settings of a function, or of a library's kernel on one device. A function's own setting takes
 * precedence over its kernel's, whichever was set first. */
struct cup_function_settings {
    const struct cup_function_settings *fallback; /* the kernel's settings, or NULL */
    _Atomic(int) values[CUP_SETTING_COUNT];
    _Atomic(bool) is_set[CUP_SETTING_COUNT];
};

int cup_setting_get(const struct cup_function_settings *settings, enum cup_setting which);

/* For the launch API before CUDA 4: the launch under construction. */
struct cup_function_legacy {
    uint32_t block[3];
    uint32_t shared_bytes;
    uint32_t parameter_bytes;
    uint8_t *parameters;
};

struct CUfunc_st {
    struct cup_object base;
    struct CUmod_st *module; /* holds a reference */
    uint32_t kernel;         /* index in the program's kernels and what follows them */
    struct cup_code_resources resources;
    _Atomic(bool) is_refused; /* it cannot be loaded, and a call has returned the error */
    struct cup_function_settings settings;
    struct cup_lock lock;
    struct cup_function_legacy legacy; /* guarded by lock */
};

void cup_function_register(void);

/* Creates a handle with one reference; takes a reference on the module. */
CUresult cup_function_create(struct CUmod_st *module, uint32_t kernel, struct CUfunc_st **function);
void cup_function_end(struct CUfunc_st *function, enum cup_retire_reason reason);

/* Takes a reference. */
CUresult cup_function_find(CUfunction handle, struct CUfunc_st **function);

/* Returns the PTX declaration. */
static inline const struct ptx_function *cup_function_ptx(const struct CUfunc_st *function)
{
    const struct cup_program *program = function->module->program;

    return &program->ptx->functions[program->kernels[function->kernel]];
}

/* Returns the limit of dynamic shared memory per block: the function's setting, otherwise the
 * setting of the library's kernel on that device, otherwise the default. */
int cup_function_dynamic_shared(const struct CUfunc_st *function);

/* Initialises the settings with the kernel's defaults. */
void cup_function_settings_init(struct cup_function_settings *settings,
                                const struct ptx_function *kernel,
                                const struct cup_function_settings *fallback);

/* True if the kernel requires a launch with a cluster. */
static inline bool cup_function_needs_cluster(const struct ptx_function *kernel)
{
    return kernel->explicit_cluster || kernel->required_cluster[0] != 0;
}

static inline const struct cup_profile *cup_function_profile(const struct CUfunc_st *function)
{
    return &function->module->context->device->profile;
}

/* Get and set an attribute of a kernel with these resources and settings. Return INVALID_VALUE if
 * the attribute does not exist, cannot be set, or cannot have this value. */
CUresult cup_function_attribute(const struct cup_program *program,
                                const struct cup_profile *profile,
                                const struct ptx_function *kernel,
                                const struct cup_code_resources *resources,
                                const struct cup_function_settings *settings,
                                CUfunction_attribute attribute, int *value);
CUresult cup_function_set_attribute(const struct cup_profile *profile,
                                    const struct ptx_function *kernel,
                                    const struct cup_code_resources *resources,
                                    struct cup_function_settings *settings,
                                    CUfunction_attribute attribute, int value);

/* Whether a kernel can prefer this CUclusterSchedulingPolicy. */
bool cup_function_policy_is_valid(int policy);

uint32_t cup_function_parameter_count(const struct ptx_function *kernel);

/* Returns the offset of a parameter in the parameter buffer; `size_bytes` may be NULL. */
CUresult cup_function_parameter(const struct ptx_function *kernel, size_t index, size_t *offset,
                                size_t *size_bytes);

static inline void cup_function_unref(struct CUfunc_st *function)
{
    cup_object_unref(&function->base);
}

#endif

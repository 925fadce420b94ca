/* SPDX-License-Identifier: MIT */
/* A function: a kernel of a module, with what was set for its launches. */
#ifndef CUP_MODULE_FUNCTION_H
#define CUP_MODULE_FUNCTION_H

#include "module/module.h"

#include <stdatomic.h>

enum { CUP_PARAMETER_BYTES_MAX = 32764 };

enum cup_setting {
    CUP_SETTING_DYNAMIC_SHARED, /* at most so many bytes per block; -1: what every function may have
                                 */
    CUP_SETTING_CARVEOUT,       /* percent of shared memory; counts for occupancy */
    CUP_SETTING_CLUSTER_X,      /* 0: not set */
    CUP_SETTING_CLUSTER_Y,
    CUP_SETTING_CLUSTER_Z,
    CUP_SETTING_NON_PORTABLE_CLUSTER,
    CUP_SETTING_CLUSTER_POLICY, /* kept and answered */
    CUP_SETTING_COUNT
};

/* What can be set of a function, and of the kernel of a library on one device. What was set for a
 * function wins over what is set for its kernel, before or after. */
struct cup_function_settings {
    const struct cup_function_settings *behind; /* of the kernel; NULL: there is none */
    _Atomic(int) values[CUP_SETTING_COUNT];
    _Atomic(bool) is_set[CUP_SETTING_COUNT];
};

int cup_setting_get(const struct cup_function_settings *settings, enum cup_setting which);

/* For the calls from before CUDA 4: the launch that is being put together. */
struct cup_function_legacy {
    uint32_t block[3];
    uint32_t shared_bytes;
    uint32_t parameter_bytes;
    uint8_t *parameters;
};

struct CUfunc_st {
    struct cup_object base;
    struct CUmod_st *module; /* a reference is held */
    uint32_t kernel;         /* which of the program's kernels */
    struct cup_code_resources resources;
    _Atomic(bool) is_refused; /* it cannot be loaded, and somebody was told */
    struct cup_function_settings settings;
    struct cup_lock lock;
    struct cup_function_legacy legacy; /* guarded by lock */
};

void cup_function_register(void);

/* A handle with its reference; takes one on the module. */
CUresult cup_function_create(struct CUmod_st *module, uint32_t kernel, struct CUfunc_st **function);
void cup_function_end(struct CUfunc_st *function, enum cup_retire_reason reason);

/* Takes a reference. */
CUresult cup_function_find(CUfunction handle, struct CUfunc_st **function);

/* Its declaration. */
static inline const struct ptx_function *cup_function_ptx(const struct CUfunc_st *function)
{
    const struct cup_program *program = function->module->program;

    return &program->ptx->functions[program->kernels[function->kernel]];
}

/* How much dynamic shared memory a block of it may have: as was set for the function, or else for
 * the library's kernel on that device, or else what every function may have. */
int cup_function_dynamic_shared(const struct CUfunc_st *function);

/* What a function is before anything is set. */
void cup_function_settings_init(struct cup_function_settings *settings,
                                const struct ptx_function *kernel,
                                const struct cup_function_settings *behind);

/* Whether a launch must have a cluster: the kernel says so. */
static inline bool cup_function_needs_cluster(const struct ptx_function *kernel)
{
    return kernel->explicit_cluster || kernel->required_cluster[0] != 0;
}

/* The attributes of a kernel with these resources and settings. INVALID_VALUE for what there is
 * not, or cannot be set, or not to that value. */
CUresult cup_function_attribute(const struct cup_program *program,
                                const struct ptx_function *kernel,
                                const struct cup_code_resources *resources,
                                const struct cup_function_settings *settings,
                                CUfunction_attribute attribute, int *value);
CUresult cup_function_set_attribute(const struct ptx_function *kernel,
                                    const struct cup_code_resources *resources,
                                    struct cup_function_settings *settings,
                                    CUfunction_attribute attribute, int value);

/* Where a parameter lies in the buffer of a launch; the size may be left out. */
CUresult cup_function_parameter(const struct ptx_function *kernel, size_t index, size_t *offset,
                                size_t *size_bytes);

static inline void cup_function_unref(struct CUfunc_st *function)
{
    cup_object_unref(&function->base);
}

#endif

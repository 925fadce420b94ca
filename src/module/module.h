/* SPDX-License-Identifier: MIT */
/* Modules: a program loaded in one context. Its variables have memory on the context's device, its
 * kernels have handles. A launch holds a reference on the module, so a kernel can outlive
 * cuModuleUnload(). */
#ifndef CUP_MODULE_MODULE_H
#define CUP_MODULE_MODULE_H

#include "device/context.h"
#include "exec/exec.h"
#include "module/program.h"

struct CUfunc_st;
struct CUlib_st;
struct CUtexref_st;

struct CUmod_st {
    struct cup_object base;
    struct CUctx_st *context; /* holds a reference */
    uint64_t context_id;      /* its lifetime; handles of primary contexts are reused */
    struct cup_context_child child;
    struct cup_program *program; /* holds a reference */
    struct cup_code_image image; /* what src/exec runs */
    uint64_t constants;          /* device address of the constant bank; 0: none */
    /* one per kernel; without a library also one per device function of the program. Each holds the
     * reference of its handle. */
    struct CUfunc_st **functions;
    uint32_t function_count;
    /* indexed by variable, NULL for other variables; NULL: no texture references */
    struct CUtexref_st **references;
    /* whose module this is: cuModuleUnload() does not accept it; compared only. NULL: no library */
    const struct CUlib_st *library;
};

void cup_module_register(void);

/* The mode that CUDA_MODULE_LOADING asks for now. */
CUmoduleLoadingMode cup_module_loading_mode(void);

/* Creates a module with the reference of its handle, and takes a reference on the program. The
 * module of a library has a second reference, owned by the caller, because its handle ends with the
 * context. With CU_MODULE_EAGER_LOADING all kernels are compiled; one that cannot be fails when it
 * is launched. */
CUresult cup_module_create(struct CUctx_st *context, struct cup_program *program,
                           const struct CUlib_st *library, struct CUmod_st **module);

/* Takes a reference. */
CUresult cup_module_find(CUmodule handle, struct CUmod_st **module);

/* Returns address and size of a variable; either output may be NULL. INVALID_VALUE if the name is a
 * kernel's. */
CUresult cup_module_variable(const struct CUmod_st *module, const char *name, CUdeviceptr *address,
                             size_t *bytes);

/* Retires the handle and the handles of the functions. Returns false if another thread did so
 * first. */
bool cup_module_destroy(struct CUmod_st *module, enum cup_retire_reason reason);

static inline void cup_module_unref(struct CUmod_st *module)
{
    cup_object_unref(&module->base);
}

#endif

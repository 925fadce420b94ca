/* SPDX-License-Identifier: MIT */
/* A library: a program that belongs to no context. Each context that uses it gets a module of it,
 * made when it is first asked for there. Its kernels are handles that mean one function in each
 * context. */
#ifndef CUP_MODULE_LIBRARY_H
#define CUP_MODULE_LIBRARY_H

#include "module/function.h"
#include "module/module.h"

struct CUkern_st {
    struct cup_object base;
    struct CUlib_st *library; /* a reference is held */
    uint32_t kernel;
    struct cup_code_resources resources;
};

struct cup_library_module {
    struct cup_library_module *next;
    uint64_t context_id;     /* a primary context's life, not its handle, which comes back */
    struct CUmod_st *module; /* a reference is held */
};

struct CUlib_st {
    struct cup_object base;
    struct cup_program *program; /* NULL: the code was refused */
    CUresult refused;            /* why; said when something of it is first asked for */
    struct CUkern_st **kernels;
    struct cup_lock lock;
    struct cup_library_module *modules; /* guarded by lock */
};

void cup_library_register(void);
void cup_kernel_register(void);

/* Of a program, or of none, with the reason. */
CUresult cup_library_create(struct cup_program *program, CUresult refused,
                            struct CUlib_st **library);
CUresult cup_library_find(CUlibrary handle, struct CUlib_st **library); /* takes a reference */
/* The same, or why its code was refused. */
CUresult cup_library_find_usable(CUlibrary handle, struct CUlib_st **library);
bool cup_library_destroy(struct CUlib_st *library);

CUresult cup_kernel_find(CUkernel handle, struct CUkern_st **kernel); /* takes a reference */

/* The library's module in a context, with a reference. */
CUresult cup_library_get_module(struct CUlib_st *library, struct CUctx_st *context,
                                struct CUmod_st **module);

/* What a kernel is in a context, with a reference on the function. */
CUresult cup_kernel_function(struct CUkern_st *kernel, struct CUctx_st *context,
                             struct CUfunc_st **function);

/* A CUfunction, or a CUkernel in its clothes: the function in the context, with a reference. */
CUresult cup_function_find_any(CUfunction handle, struct CUctx_st *context,
                               struct CUfunc_st **function);

static inline void cup_library_unref(struct CUlib_st *library)
{
    cup_object_unref(&library->base);
}

static inline void cup_kernel_unref(struct CUkern_st *kernel)
{
    cup_object_unref(&kernel->base);
}

#endif

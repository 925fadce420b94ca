/* SPDX-License-Identifier: MIT */
/* Libraries: programs that belong to no context. Each context that uses a library gets a module of
 * it on first use. A kernel handle of a library denotes one function per context. */
#ifndef CUP_MODULE_LIBRARY_H
#define CUP_MODULE_LIBRARY_H

#include "module/function.h"
#include "module/module.h"

struct CUkern_st {
    struct cup_object base;
    struct CUlib_st *library; /* holds a reference */
    uint32_t kernel;
    struct cup_code_resources resources;
    /* found last, for any context; not a reference: to be validated like a handle */
    _Atomic(struct CUfunc_st *) last_function;
};

struct cup_library_module {
    struct cup_library_module *next;
    struct CUmod_st *module; /* holds a reference */
};

struct CUlib_st {
    struct cup_object base;
    struct cup_program *program; /* NULL: the code was rejected */
    CUresult refused;            /* the error; returned on the first use */
    struct CUkern_st **kernels;
    struct cup_lock lock;
    struct cup_library_module *modules; /* guarded by lock */
};

void cup_library_register(void);
void cup_kernel_register(void);

/* Creates a library of a program, or without one and with the error. */
CUresult cup_library_create(struct cup_program *program, CUresult refused,
                            struct CUlib_st **library);
CUresult cup_library_find(CUlibrary handle, struct CUlib_st **library); /* takes a reference */
/* The same, but returns the error if the code was rejected. */
CUresult cup_library_find_usable(CUlibrary handle, struct CUlib_st **library);
bool cup_library_destroy(struct CUlib_st *library);

CUresult cup_kernel_find(CUkernel handle, struct CUkern_st **kernel); /* takes a reference */

/* Returns the library's module in a context, with a reference. */
CUresult cup_library_get_module(struct CUlib_st *library, struct CUctx_st *context,
                                struct CUmod_st **module);

/* Returns the function of a kernel in a context, with a reference. */
CUresult cup_kernel_function(struct CUkern_st *kernel, struct CUctx_st *context,
                             struct CUfunc_st **function);

/* Accepts a CUfunction, or a CUkernel cast to it. Returns the function in the context, with a
 * reference. */
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

/* SPDX-License-Identifier: MIT */
/* A module: a program in one context. Its variables have memory on the context's device, its
 * kernels have handles. A launch holds a reference on the module, so that unloading it while a
 * kernel runs takes nothing away from the kernel. */
#ifndef CUP_MODULE_MODULE_H
#define CUP_MODULE_MODULE_H

#include "device/context.h"
#include "exec/exec.h"
#include "module/program.h"

struct CUfunc_st;
struct CUtexref_st;

struct CUmod_st {
    struct cup_object base;
    struct CUctx_st *context; /* a reference is held */
    struct cup_context_child child;
    struct cup_program *program;  /* a reference is held */
    struct cup_code_image image;  /* what runs */
    uint64_t constants;           /* where those lie, on the device; 0: there are none */
    struct CUfunc_st **functions; /* one for each kernel of the program; the handles' references */
    struct CUtexref_st **references; /* by variable: those that are references; NULL: none is */
    bool of_library;                 /* cuModuleUnload leaves it alone */
};

void cup_module_register(void);

/* Takes a reference of its own on the program. The module's is the handle's; of a library's module
 * there is a second one, which is the maker's, as the handle ends with the context. */
CUresult cup_module_create(struct CUctx_st *context, struct cup_program *program, bool of_library,
                           struct CUmod_st **module);

/* Takes a reference. */
CUresult cup_module_find(CUmodule handle, struct CUmod_st **module);

/* Where a variable is and how large; either may be left out. INVALID_VALUE for the name of a
 * kernel. */
CUresult cup_module_variable(const struct CUmod_st *module, const char *name, CUdeviceptr *address,
                             size_t *bytes);

/* Ends the handle and those of the functions; false when another thread was quicker. */
bool cup_module_destroy(struct CUmod_st *module, enum cup_retire_reason reason);

static inline void cup_module_unref(struct CUmod_st *module)
{
    cup_object_unref(&module->base);
}

#endif

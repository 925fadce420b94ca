/* SPDX-License-Identifier: MIT */
/* A program read and checked, shared by all modules made of it: a library has one in each context.
 */
#ifndef CUP_MODULE_PROGRAM_H
#define CUP_MODULE_PROGRAM_H

#include "core/align.h"
#include "exec/exec.h"
#include "module/source.h"

#include <stdatomic.h>

struct cup_program {
    _Atomic(uint32_t) refs;
    struct ptx_program *ptx;
    uint32_t kernel_count;
    uint32_t *kernels; /* their indices in ptx->functions, in the order of the text */
    struct cup_code_resources *resources;   /* of each kernel */
    struct cup_function_settings *settings; /* of a library: what was set for each kernel, device by
                                               device; NULL otherwise */
    unsigned device_count;
    /* Managed variables of a library: one for all its modules, there before the first. */
    uint64_t *managed;               /* by variable; NULL: each module has its own */
    _Atomic(bool) managed_relocated; /* a module has put the addresses into them */
};

/* Parses the texts and links them when there are several. INVALID_PTX and its like: the log names
 * the line. `whole`: it is to run, so what it calls must be there, and it must fit on the device.
 */
CUresult cup_program_create(const struct cup_source *source, bool whole, struct ptx_log *log,
                            struct cup_program **program);

/* Gives the program's managed variables memory and their first values: for a library. */
CUresult cup_program_share_managed(struct cup_program *program);

/* From an image: cup_source_read, then the above. */
CUresult cup_program_load(const void *image, size_t bytes, struct ptx_log *log,
                          struct cup_program **program);

void cup_program_ref(struct cup_program *program);
void cup_program_unref(struct cup_program *program);

/* Where a variable comes to lie behind what ends at `at`; and how large the bank of all constants
 * is. */
static inline uint64_t cup_program_align(uint64_t at, const struct ptx_variable *variable)
{
    return cup_align_up(at, variable->align);
}
uint64_t cup_program_constants(const struct ptx_program *ptx);

/* Which of the kernels has this name? UINT32_MAX: none. */
uint32_t cup_program_kernel(const struct cup_program *program, const char *name);

/* Which variable in the global or const space? UINT32_MAX: none. */
uint32_t cup_program_variable(const struct cup_program *program, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* Programs: parsed and validated code, shared by all modules created from it. A library has one
 * program and a module per context. */
#ifndef CUP_MODULE_PROGRAM_H
#define CUP_MODULE_PROGRAM_H

#include "core/align.h"
#include "exec/exec.h"
#include "module/source.h"

#include <stdatomic.h>

struct cup_program {
    _Atomic(uint32_t) refs;
    struct ptx_program *ptx;
    unsigned stands_in_for; /* runs on devices from this capability on; 0: as its .target says */
    uint32_t kernel_count;
    uint32_t function_count; /* the kernels and, of a linked image, device functions after them */
    uint32_t *kernels;       /* indices in ptx->functions, in program order */
    struct cup_code_resources *resources; /* one per function */
    /* for a library: settings per device and kernel; otherwise NULL */
    struct cup_function_settings *settings;
    unsigned device_count;
    /* Managed variables of a library: shared by all its modules and allocated before the first. */
    uint64_t *managed;               /* addresses by variable; NULL: each module has its own */
    _Atomic(bool) managed_relocated; /* a module has stored the addresses in their initial values */
};

/* What a program is compiled for. */
struct cup_build {
    const struct cup_profile *profile;
    uint32_t max_registers; /* of a thread, as an option asks for; 0: no limit */
    uint64_t start_ns;
};

/* Parses the texts and links them if there are several. On INVALID_PTX and similar errors the log
 * names the line. `whole`: the program is to be run, so all called functions must be defined and it
 * must fit on the device. */
CUresult cup_program_create(const struct cup_source *source, const struct cup_build *build,
                            bool whole, struct ptx_log *log, struct cup_program **program);

/* Whether the program runs on a device; if not, INVALID_PTX, and the log says why. */
CUresult cup_program_check_target(const struct cup_program *program,
                                  const struct cup_profile *profile, struct ptx_log *log);

/* Appends what ptxas says when it succeeds: warnings about options, and with `verbose` the
 * resources of each kernel. */
void cup_program_describe(const struct cup_program *program, const struct cup_build *build,
                          bool verbose, struct ptx_log *log);

/* Allocates and initialises the managed variables of a library. */
CUresult cup_program_share_managed(struct cup_program *program);

/* cup_source_read() followed by cup_program_create(). */
CUresult cup_program_load(const void *image, size_t bytes, const struct cup_build *build,
                          struct ptx_log *log, struct cup_program **program);

void cup_program_ref(struct cup_program *program);
void cup_program_unref(struct cup_program *program);

/* Returns the aligned offset of a variable that follows offset `at`; and the size of the constant
 * bank. */
static inline uint64_t cup_program_align(uint64_t at, const struct ptx_variable *variable)
{
    return cup_align_up(at, variable->align);
}
uint64_t cup_program_constants(const struct ptx_program *ptx);

/* Returns the index of the kernel with this name, or UINT32_MAX. */
uint32_t cup_program_kernel(const struct cup_program *program, const char *name);

/* The same for kernels and the device functions that a linked image keeps. */
uint32_t cup_program_function(const struct cup_program *program, const char *name);

/* Returns the index of the variable in global or constant space, or UINT32_MAX. */
uint32_t cup_program_variable(const struct cup_program *program, const char *name);

#endif

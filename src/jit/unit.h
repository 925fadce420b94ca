/* SPDX-License-Identifier: MIT */
/* A unit is one compilation: one kernel and the device functions that it reaches, which become one
 * LLVM module. */
#ifndef CUP_JIT_UNIT_H
#define CUP_JIT_UNIT_H

#include "jit/jit.h"
#include "jit/workspace.h"

#include <llvm-c/TargetMachine.h>

enum { JIT_FAKE_USES = 64 };

struct jit_cfg;
struct jit_debug;
struct jit_outlined_entry;

struct jit_unit {
    const struct jit_request *request;
    const struct ptx_program *program;
    uint32_t **origins; /* fma_contraction.c; NULL: the program is that of the request */
    struct ptx_log *log;
    bool failed;
    struct jit_workspace workspace;

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder; /* shared by the bodies, which are emitted one after the other */
    LLVMTargetMachineRef machine;
    bool finding; /* this compilation holds the lock of target.c */
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f32, f64, ptr, nothing;
    LLVMValueRef fake_uses[JIT_FAKE_USES]; /* functions that are called as fake uses: fake_uses.c */
    unsigned fake_use_count;
    bool outlines; /* instructions are calls of outlined operations: the first tier */
    /* Of other tiers, large kernels: accesses and exchanges between lanes are, where they diverge.
     */
    bool outlines_accesses;
    struct {
        struct jit_outlined_entry *entries; /* a hash table */
        uint32_t capacity, count;
        uint32_t own;       /* those that are not in the library */
        bool is_library;    /* the unit makes the library */
    } outlined;             /* of the first tier: outlined_operations.c */
    LLVMValueRef invariant; /* the metadata !invariant.load */
    unsigned invariant_kind;
    bool arm;

    uint32_t checks;     /* of the request, those that concern this kernel */
    uint32_t check_runs; /* slots of struct cup_abi_run that instructions have */
    unsigned width;      /* lanes of a vector */
    bool byte_products;  /* the processor has AVX-512's VBMI and VNNI */
    bool mask_registers; /* the processor has AVX-512 */
    unsigned natural;    /* lanes of a vector that fits the processor's registers */
    bool waiting;        /* warps wait, each on a stack of its own */
    bool clusters;       /* blocks access the others of their cluster: they wait, too */
    bool looped;         /* warps wait at barriers only and need no stacks: barrier_regions.c */
    enum jit_block_shape shape;
    uint32_t local_bytes;       /* of the kernel, per thread */
    uint32_t shared_static;     /* bytes; dynamic shared memory begins there */
    uint64_t *shared_offsets;   /* of the program's variables */
    bool *reached;              /* per function: the kernel reaches it */
    struct jit_cfg *graphs;     /* per function that is reached */
    bool *taken;                /* per function: its address is taken */
    uint64_t *own_local;        /* the kernel's variables: offsets in a lane's local memory */
    uint32_t instruction_count; /* of all functions that are reached */
    /* Emitted in one variant, with its registers in memory: the first tier, and kernels that are
     * too large for two. */
    bool one_variant;
    bool single_lane; /* a vector runs its first lane only: code to step through */
    bool recursive;
    LLVMValueRef *functions; /* device functions, by index */
    LLVMValueRef *thunks;    /* per device function: takes a closure; made when needed */
    LLVMTypeRef *function_types;
    uint64_t **own_shared; /* per function: offsets of its own .shared variables */
    struct cup_abi_kernel_info info;
    uint64_t stack_besides_frames; /* of the stack in `info`: what is not of large frames */
    uint64_t frames_bytes;         /* of large frames, as generated: stack_frames.c */
    struct {
        struct cup_abi_counter *list;
        uint32_t count, capacity;
    } counters;              /* counters.c */
    struct jit_debug *debug; /* dwarf.c; NULL: not for a debugger */
};

/* Reports the first error of a compilation to the log and marks the unit as failed. `instruction`
 * is where it is, or NULL. */
void jit_unit_fail(struct jit_unit *unit, const struct ptx_instruction *instruction,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: MIT */
/* Execution of kernels. src/module prepares images and requests; this folder compiles, launches and
 * runs them. */
#ifndef CUP_EXEC_EXEC_H
#define CUP_EXEC_EXEC_H

#include "ptx/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <cuda.h>

struct CUctx_st;
struct CUstream_st;
struct cup_code;
struct cup_job;

enum { CUP_CODE_SHAPES = 6 }; /* CUP_SHAPE_COUNT of the compiler */

/* A program loaded on a device. src/module creates it and owns the memory. */
struct cup_code_image {
    const struct ptx_program *program;
    void **symbols; /* addresses of the program's variables; see struct cup_abi_launch */
    /* code per function and block shape; zeroed by src/module, filled by cup_code_get(), freed by
     * cup_code_image_finish() */
    _Atomic(struct cup_code *) (*codes)[CUP_CODE_SHAPES];
};

/* Properties of a kernel before compilation, for cuFuncGetAttribute() and occupancy, computed from
 * the program alone: static shared and local memory, constants, and an estimate of the
 * registers. */
struct cup_code_resources {
    uint32_t shared_bytes, local_bytes, const_bytes, registers, max_threads;
    /* Of a block, by the directives alone: max_threads follows from an estimate of registers as
     * well, which may be too high, so it does not forbid a launch. */
    uint32_t allowed_threads;
    bool lacks_query;  /* has a texture query that no current driver supports */
    bool fixes_limits; /* may print, allocate or launch: a launch fixes limits of its context */
};
/* Of each of these kernels. `max_registers` is the compiler's option; 0: none. False: no memory. */
bool cup_code_resources_estimate(const struct ptx_program *program, const uint32_t *kernels,
                                 uint32_t kernel_count, uint32_t max_registers,
                                 struct cup_code_resources *resources);

struct cup_exec_request {
    const struct cup_sm_set *sms; /* the multiprocessors to run on; NULL: all */
    struct cup_code_image *image;
    uint32_t function;
    void *const *symbols; /* NULL: the image's symbols */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_dynamic_bytes;
    const void *params; /* already laid out; the call copies them */
    size_t params_bytes;
    bool cooperative;
    bool fixes_limits;               /* cup_code_resources of the kernel */
    uint32_t registers, local_bytes; /* the same */
    const char *kernel_name;
    void (*release)(void *owner); /* called when the launch has completed, or at once on failure */
    void *owner;                  /* keeps the image alive */
};

/* Finds the code, then submits the launch to the stream. Code that must be compiled is compiled
 * when the stream comes to the launch, or before by an idle worker; with one worker, or where that
 * would be noticed, in the calling thread. A tiny grid on an idle stream runs at once in the
 * calling thread. Errors before the submission are returned; later ones become the sticky error. */
CUresult cup_exec_launch(struct CUstream_st *stream, const struct cup_exec_request *request);

/* Makes a reusable launch: a job that can be run any number of times, one run at a time, until
 * cup_exec_job_destroy(). The context must outlive it. `place` is memory of
 * cup_exec_job_create_bytes() bytes, aligned to 64, which stays the caller's and becomes the job;
 * NULL is answered with CUDA_ERROR_OUT_OF_MEMORY. */
size_t cup_exec_job_create_bytes(size_t params_bytes);
CUresult cup_exec_job_create(struct CUctx_st *context, const struct cup_exec_request *request,
                             void *place, struct cup_job **job);
void cup_exec_job_destroy(struct cup_job *job);

/* Says before a run in which launch of a graph it is, and the handle of its executable graph. */
void cup_exec_job_in_graph(struct cup_job *job, void *graph_launch, uint64_t graph_exec);

/* Compiles in advance, for cuFuncLoad(). */
CUresult cup_exec_prepare(struct cup_code_image *image, uint32_t function);

/* Compiles several kernels in advance, at the same time on idle workers; for graphs and for
 * CU_MODULE_EAGER_LOADING. Failures are found again by what needs the code. */
struct cup_exec_wanted {
    struct cup_code_image *image;
    uint32_t function;
    uint32_t block[3]; /* zeros: not known */
};
void cup_exec_prepare_all(struct cup_exec_wanted *wanted, size_t count);
/* True if there is nothing to compile for a launch with such blocks. */
bool cup_exec_is_prepared(const struct cup_exec_wanted *wanted);

/* Frees the code of an image that no kernel uses any more. */
void cup_code_image_finish(struct cup_code_image *image);

/* Writes pending kernel output to stdout; called at synchronisation, module unload and context
 * end. */
void cup_printf_flush(struct CUctx_st *context);

#endif

/* SPDX-License-Identifier: MIT */
/* Running kernels: src/module asks for code and launches it; what happens then is here. */
#ifndef CUP_EXEC_EXEC_H
#define CUP_EXEC_EXEC_H

#include "abi/kernel.h"
#include "ptx/program.h"

#include <cuda.h>

struct CUctx_st;
struct CUstream_st;
struct cup_code;
struct cup_job;

/* A program loaded on a device: where its variables are. Made by src/module, which owns the memory.
 */
struct cup_code_image {
    const struct ptx_program *program;
    void **symbols; /* per variable of the program; see struct cup_abi_launch */
    _Atomic(struct cup_code *) (
        *codes)[5]; /* per function and block shape: code found so far; zeroed
             by src/module, filled by cup_code_get, freed by cup_code_image_finish */
};

/* What is known of a kernel before it is compiled: for cuFuncGetAttribute and occupancy. Computed
 * from the program alone: static shared and local bytes, parameters, constants, an estimate of
 * registers. */
struct cup_code_resources {
    uint32_t shared_bytes, local_bytes, const_bytes, registers, max_threads;
    bool lacks_query; /* asks of a texture what no driver of today answers */
};
void cup_code_resources_estimate(const struct ptx_program *program, uint32_t function,
                                 struct cup_code_resources *resources);

struct cup_exec_request {
    struct cup_code_image *image;
    uint32_t function;
    void **symbols; /* NULL: the image's */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_dynamic_bytes;
    const void *params; /* already laid out; copied by the call */
    size_t params_bytes;
    bool cooperative;
    const char *kernel_name;
    void (*release)(void *owner); /* called when the launch is over, or at once on failure */
    void *owner;                  /* keeps the image alive */
};

/* Finds or compiles the code, in the calling thread, then enters the launch into the stream (runs
 * it here and now if the stream is idle and the grid is tiny). Errors of compilation are answered
 * here, errors of the kernel become the sticky error. */
CUresult cup_exec_launch(struct CUstream_st *stream, const struct cup_exec_request *request);

/* The same, but that the launch is kept as a job, which may be run any number of times, one after
 * the other, until it is dropped. The context must outlive it. */
CUresult cup_exec_keep(struct CUctx_st *context, const struct cup_exec_request *request,
                       struct cup_job **job);
void cup_exec_drop(struct cup_job *job);

/* Compiles ahead: for CU_MODULE_EAGER_LOADING and cuFuncLoad. */
CUresult cup_exec_prepare(struct cup_code_image *image, uint32_t function);

/* Frees the code of an image; nothing of it runs any more. */
void cup_code_image_finish(struct cup_code_image *image);

/* Writes out what kernels printed so far; at synchronisation, unload and context end. */
void cup_printf_flush(struct CUctx_st *context);

#endif

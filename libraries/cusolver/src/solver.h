/* SPDX-License-Identifier: MIT */
/* What the functions of cuSOLVER share: the handles, operands, and the submission of work to a
 * stream.
 *
 * A function checks its arguments in the order of cuSOLVER, describes its work in a structure of
 * its own, names its operands, and submits a function that computes. Working memory that a program
 * gives is named as operand and not used: LAPACK's comes from the host's allocator. */
#ifndef CUSOLVER_SOLVER_H
#define CUSOLVER_SOLVER_H

#include "lapack_memory.h"
#include "object.h"
#include "typed.h"
#include "work.h"

#include <cusolverDn.h>
#include <stdbool.h>

struct cusolverDnContext {
    struct lib_object base;
    CUstream stream;
    cusolverDeterministicMode_t deterministic_mode;
    cusolverMathMode_t math_mode;
    cudaEmulationStrategy_t emulation_strategy;
};

struct cusolverDnParams {
    struct lib_object base;
    cusolverAlgMode_t algorithms[3]; /* by cusolverDnFunction_t */
};

extern const struct lib_object_type solver_dense_type, solver_params_type;

static inline bool solver_is_dense(cusolverDnHandle_t handle)
{
    return lib_object_is(handle, &solver_dense_type);
}

/* The operands of a call; `count` of them so far. */
struct solver_ranges {
    struct cupipe_range list[16];
    size_t count;
};

enum solver_access { SOLVER_READ = 1, SOLVER_WRITTEN = 2, SOLVER_UPDATED = 3, SOLVER_PARTLY = 4 };

/* Adds a matrix; a vector is one with one column. Sizes of 0 and less add nothing. */
void solver_add(struct solver_ranges *ranges, int access, const void *address, int64_t rows,
                int64_t columns, int64_t ld, size_t bytes);

/* Adds matrices behind an array of `count` pointers in device memory. */
void solver_add_through(struct solver_ranges *ranges, int access, const void *pointers,
                        int64_t count, int64_t rows, int64_t columns, int64_t ld, size_t bytes);

/* Adds `count` integers that are written, if there is an address. */
void solver_add_info(struct solver_ranges *ranges, const int *info, int64_t count);

/* Adds working memory: `count` elements that are written in part. */
void solver_add_work(struct solver_ranges *ranges, const void *address, int64_t count,
                     size_t bytes);

/* Submits work. `name` is the exported function's; `operations` is a guess at its time: about one
 * for each multiplication. */
cusolverStatus_t solver_submit(CUstream stream, const char *name, double operations,
                               const struct solver_ranges *ranges, lib_work *run,
                               const void *arguments, size_t bytes);

/* The same for calls with a result for the host: it waits, and a capture ends. */
cusolverStatus_t solver_submit_wait(CUstream stream, const char *name, double operations,
                                    const struct solver_ranges *ranges, lib_work *run,
                                    void *arguments);

/* What a function answers after its work was submitted with an operand that is NULL: the work fails
 * in the stream, and cuSOLVER notices it in the call where `address` is used first by the host. */
static inline cusolverStatus_t solver_unless_null(cusolverStatus_t status, const void *address,
                                                  cusolverStatus_t otherwise)
{
    return status == CUSOLVER_STATUS_SUCCESS && !address ? otherwise : status;
}

/* Reports an argument by its number, from 1 behind the handle: the stream writes -number to `info`,
 * if there is an address. Returns INVALID_VALUE. */
cusolverStatus_t solver_wrong(CUstream stream, const char *name, int *info, int number);

/* The number of the first check that failed: `numbers` are those of arguments, 0 is the end. */
struct solver_check {
    bool is_right;
    int number;
};

int solver_first_wrong(const struct solver_check *checks);

/* Computes matrix `index` of a batch, with working memory that the matrices of a part share. */
typedef CUresult solver_matrix(const void *arguments, int64_t index, struct lapack_memory *memory);

/* Computes each matrix of a batch; returns an error of one that had any. `operations` are those of
 * one matrix: many small ones run on all cores, large ones one after the other with OpenBLAS'
 * threads. */
CUresult solver_for_batch(int64_t count, double operations, solver_matrix *compute,
                          const void *arguments);

/* True if the 64-bit sizes can be LAPACK's integers. */
static inline bool solver_fits(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return a == (int32_t)a && b == (int32_t)b && c == (int32_t)c && d == (int32_t)d;
}

/* The type of a matrix for a value of cudaDataType. */
bool solver_type(cudaDataType type, enum openblas_type *found);

/* The value of cudaDataType for a type, or for the type of its parts. */
cudaDataType solver_data_type(enum openblas_type type);

/* Letters of LAPACK for values of cuBLAS and cuSOLVER, or 0 for a value that is none. */
static inline char solver_uplo(cublasFillMode_t uplo)
{
    return (unsigned)uplo < 2 ? "LU"[uplo] : 0;
}

static inline char solver_trans(cublasOperation_t op)
{
    return (unsigned)op < 3 ? "NTC"[op] : 0;
}

static inline char solver_side(cublasSideMode_t side)
{
    return (unsigned)side < 2 ? "LR"[side] : 0;
}

static inline char solver_diag(cublasDiagType_t diag)
{
    return (unsigned)diag < 2 ? "NU"[diag] : 0;
}

static inline char solver_job(cusolverEigMode_t job)
{
    return (unsigned)job < 2 ? "NV"[job] : 0;
}

static inline int64_t solver_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t solver_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* True if `ld` can be the leading dimension of a matrix with `rows` rows. */
static inline bool solver_is_ld(int64_t ld, int64_t rows)
{
    return ld >= solver_max(1, rows);
}

/* Writes a size in elements as an int: bufferSize functions. */
cusolverStatus_t solver_size(int *result, int64_t elements);

/* Writes sizes in bytes for the 64-bit interface; nothing is wanted on the host. */
cusolverStatus_t solver_size_bytes(size_t *device, size_t *host, int64_t elements,
                                   enum openblas_type type);

#endif

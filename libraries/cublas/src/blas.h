/* SPDX-License-Identifier: MIT */
/* What the functions of cuBLAS share: the handle, scalars of both pointer modes, the description of
 * work, and its submission to the handle's stream.
 *
 * A function checks its arguments in the order of cuBLAS, fills a struct blas_job, names its
 * operands, and submits a function that computes. */
#ifndef CUBLAS_BLAS_H
#define CUBLAS_BLAS_H

#include "object.h"
#include "openblas.h"
#include "work.h"

#include <cublas_api.h>
#include <stdbool.h>

struct cublasContext {
    struct lib_object base;
    CUstream stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics_mode;
    cublasMath_t math_mode;
    int sm_count_target;
    void *workspace; /* accepted and not used: what work needs it allocates */
    size_t workspace_bytes;
    cublasEmulationStrategy_t emulation_strategy;
    cudaEmulationSpecialValuesSupport special_values;
    cudaEmulationMantissaControl mantissa_control;
    int mantissa_bits_most, mantissa_bit_offset;
    int *mantissa_bit_count;
    bool takes_host_memory; /* of cublasXt: operands are any memory, and not named to the driver */
};

extern const struct lib_object_type blas_handle_type;

static inline bool blas_is_handle(cublasHandle_t handle)
{
    return lib_object_is(handle, &blas_handle_type);
}

/* The four types of the functions that have a letter for it. */
enum blas_type {
    BLAS_S = OPENBLAS_S,
    BLAS_D = OPENBLAS_D,
    BLAS_C = OPENBLAS_C,
    BLAS_Z = OPENBLAS_Z
};

static inline size_t blas_bytes(enum blas_type type)
{
    return (size_t)4 << ((type == BLAS_D) + (type == BLAS_C) + 2 * (type == BLAS_Z));
}

static inline bool blas_is_complex(enum blas_type type)
{
    return type == BLAS_C || type == BLAS_Z;
}

/* The type of the parts of a complex number; otherwise the type itself. */
static inline enum blas_type blas_real(enum blas_type type)
{
    return type == BLAS_C ? BLAS_S : type == BLAS_Z ? BLAS_D : type;
}

static inline cudaDataType_t blas_data_type(enum blas_type type)
{
    return type == BLAS_S   ? CUDA_R_32F
           : type == BLAS_D ? CUDA_R_64F
           : type == BLAS_C ? CUDA_C_32F
                            : CUDA_C_64F;
}

/* A number 1 of the type. */
const void *blas_one(enum blas_type type);

/* A scalar argument: its value, which was read when the function was called, or the address in
 * device memory where it is read when the work runs. */
struct blas_scalar {
    const void *device;
    double bytes[2];
};

/* The scalar at `pointer`, of at most 16 bytes, as the pointer mode has it; NULL: zeros. */
struct blas_scalar blas_scalar(cublasHandle_t handle, const void *pointer, size_t bytes);

static inline const void *blas_scalar_address(const struct blas_scalar *scalar)
{
    return scalar->device ? scalar->device : scalar->bytes;
}

/* True if the scalar is known to be zero; false for one in device memory. */
bool blas_scalar_is_zero(const struct blas_scalar *scalar, size_t bytes);

/* A scalar of the type as complex number, when the work runs. */
void blas_scalar_value(const struct blas_scalar *scalar, enum blas_type type, double value[2]);

/* The value as a scalar of the type, for a job that is made of another. */
struct blas_scalar blas_scalar_of(enum blas_type type, const double value[2]);

/* A matrix with its leading dimension, or a vector with its increment. */
struct blas_operand {
    void *address;
    int64_t step;
};

/* Work of the levels 2 and 3. Letters are those of BLAS. */
struct blas_job {
    enum blas_type type;
    char side, uplo, transa, transb, diag;
    bool hermitian; /* the matrix is Hermitian, or the second vector is conjugated */
    int64_t m, n, k, kl, ku;
    struct blas_scalar alpha, beta;
    struct blas_operand a, b, c;
};

/* The operands of a call; `count` of them so far. */
struct blas_ranges {
    struct cupipe_range list[12];
    size_t count;
};

void blas_add(struct blas_ranges *ranges, struct cupipe_range range);

/* Tells whether a factor is in host memory and has that value. A product with a factor 0 that is
 * added to once its result changes nothing: the call succeeds then whatever its operands are. */
bool blas_host_factor_is(cublasHandle_t handle, enum blas_type type, const void *pointer,
                         double value);

/* Operands: a scalar in device memory, a vector, the columns of a matrix, a triangle of one. */
void blas_add_scalar(struct blas_ranges *ranges, const struct blas_scalar *scalar, size_t bytes);
/* An operand that the work does not touch if the factor is 0, and which may be NULL then. A factor
 * in device memory is not known yet: the work itself must fail if it is not 0 and the operand is
 * NULL. */
void blas_add_scaled(struct blas_ranges *ranges, struct cupipe_range range,
                     const struct blas_scalar *factor, size_t factor_bytes);
/* The bytes of `count` times `length` elements, or BLAS_EXTENT_MOST, which no memory has. */
#define BLAS_EXTENT_MOST ((size_t)1 << 62)
size_t blas_extent(int64_t count, int64_t length, size_t bytes);
struct cupipe_range blas_vector(const void *address, int64_t n, int64_t increment, size_t bytes);
struct cupipe_range blas_matrix(const void *address, int64_t rows, int64_t columns, int64_t ld,
                                size_t bytes);

/* The same memory as written operand. */
static inline struct cupipe_range blas_written(struct cupipe_range range)
{
    range.written = 1;
    return range;
}

/* Adds an operand that is written, and read unless `beta` is zero; partly, if beta is not known. */
void blas_add_updated(struct blas_ranges *ranges, struct cupipe_range range,
                      const struct blas_scalar *beta, size_t beta_bytes);

/* Submits work to the handle's stream. `name` is the exported function's; `operations` is a
 * guess at its time, in eighths of a nanosecond: about one for each multiplication. */
cublasStatus_t blas_submit(cublasHandle_t handle, const char *name, uint64_t operations,
                           const struct blas_ranges *ranges, lib_work *run, const void *arguments,
                           size_t bytes);

/* The same; in the pointer mode of the host it waits, because the work writes to host memory. */
cublasStatus_t blas_submit_result(cublasHandle_t handle, const char *name, uint64_t operations,
                                  const struct blas_ranges *ranges, lib_work *run, void *arguments,
                                  size_t bytes);

/* Submits a call that is described already. */
cublasStatus_t blas_submit_call(const struct lib_call *call, lib_work *run, const void *arguments,
                                size_t bytes);

/* Submits work and waits for it in both pointer modes. */
cublasStatus_t blas_submit_wait(cublasHandle_t handle, const char *name, uint64_t operations,
                                const struct blas_ranges *ranges, lib_work *run, void *arguments);

/* Reports an argument by its number as BLAS does, on standard output, and returns INVALID_VALUE. */
cublasStatus_t blas_illegal(const char *routine, int parameter);

/* Letters of BLAS for cuBLAS' values, or 0 for a value that is none. */
static inline char blas_trans(cublasOperation_t op)
{
    return (unsigned)op < 3 ? "NTC"[op] : 0;
}

static inline char blas_uplo(cublasFillMode_t uplo)
{
    return (unsigned)uplo < 2 ? "LU"[uplo] : 0;
}

static inline char blas_side(cublasSideMode_t side)
{
    return (unsigned)side < 2 ? "LR"[side] : 0;
}

static inline char blas_diag(cublasDiagType_t diag)
{
    return (unsigned)diag < 2 ? "NU"[diag] : 0;
}

static inline int64_t blas_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t blas_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The address of element `index`. */
static inline void *blas_at(const void *address, int64_t index, size_t bytes)
{
    return (char *)address + index * (int64_t)bytes;
}

/* Turns the log on if the environment wants it. */
void blas_log_begin(void);

/* Writes a line to the log, if it is on; `format` begins with the name of the function. */
void blas_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

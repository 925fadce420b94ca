/* SPDX-License-Identifier: MIT */
/* Arrays of the types of cuBLAS beside the same values as complex doubles, with which the plain
 * loops of the tests compute. Values are multiples of 1/8 and small, so that every type has them.
 */
#ifndef MATRICES_H
#define MATRICES_H

#include "test.h"

#include <complex.h>
#include <cublas_v2.h>
#include <math.h>

enum type { S, D, C, Z, TYPES };

struct array {
    enum type type;
    size_t count;
    double complex *values;
    CUdeviceptr memory;
};

static inline bool is_complex(enum type type)
{
    return type == C || type == Z;
}

static inline size_t bytes_of(enum type type)
{
    return type == S ? 4 : type == Z ? 16 : 8;
}

static inline double epsilon_of(enum type type)
{
    return type == S || type == C ? 1e-5 : 1e-13;
}

/* The same numbers each time: a test has no other source of them. */
static inline unsigned next_number(void)
{
    static unsigned state = 12345;

    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static inline int number_from(int low, int high)
{
    return low + (int)(next_number() % (unsigned)(high - low + 1));
}

static inline double complex random_value(enum type type)
{
    double re = number_from(-16, 16) / 8.0, im = is_complex(type) ? number_from(-16, 16) / 8.0 : 0;

    return re + im * I;
}

static inline void pack(enum type type, void *to, size_t index, double complex value)
{
    if (type == S)
        ((float *)to)[index] = (float)creal(value);
    else if (type == D)
        ((double *)to)[index] = creal(value);
    else if (type == C)
        ((float complex *)to)[index] = (float complex)value;
    else
        ((double complex *)to)[index] = value;
}

static inline double complex unpack(enum type type, const void *from, size_t index)
{
    if (type == S)
        return ((const float *)from)[index];
    if (type == D)
        return ((const double *)from)[index];
    if (type == C)
        return ((const float complex *)from)[index];
    return ((const double complex *)from)[index];
}

static inline void array_upload(const struct array *array)
{
    void *packed = calloc(array->count, bytes_of(array->type));

    for (size_t i = 0; i < array->count; i++)
        pack(array->type, packed, i, array->values[i]);
    check_success(cuMemcpyHtoD(array->memory, packed, array->count * bytes_of(array->type)));
    free(packed);
}

static inline struct array array_new(enum type type, size_t count)
{
    struct array array = {.type = type, .count = count ? count : 1};

    array.values = calloc(array.count, sizeof(*array.values));
    for (size_t i = 0; i < array.count; i++)
        array.values[i] = random_value(type);
    check_success(cuMemAlloc(&array.memory, array.count * bytes_of(type)));
    array_upload(&array);
    return array;
}

static inline void *array_address(const struct array *array)
{
    return (void *)(uintptr_t)array->memory;
}

static inline void array_free(struct array *array)
{
    check_success(cuMemFree(array->memory));
    free(array->values);
}

/* The memory of the device has the values of the array, within `scale` times the type's precision.
 */
static inline void array_check(const struct array *array, double scale)
{
    void *packed = calloc(array->count, bytes_of(array->type));

    check_success(cuMemcpyDtoH(packed, array->memory, array->count * bytes_of(array->type)));
    for (size_t i = 0; i < array->count; i++)
        check(cabs(unpack(array->type, packed, i) - array->values[i]) <=
              epsilon_of(array->type) * scale);
    free(packed);
}

/* Element (row, column) of op(matrix). */
static inline double complex element(const struct array *array, cublasOperation_t op, size_t ld,
                                     size_t row, size_t column)
{
    double complex value = array->values[op == CUBLAS_OP_N ? row + column * ld : column + row * ld];

    return op == CUBLAS_OP_C ? conj(value) : value;
}

static inline cublasHandle_t new_handle(void)
{
    cublasHandle_t handle = NULL;

    with_context();
    check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    return handle;
}

#define check_blas(call) check((call) == CUBLAS_STATUS_SUCCESS)

#endif

/* SPDX-License-Identifier: MIT */
/* A transform to test: random values in a layout, the plan, and a comparison with sums in double
 * precision that follow the definition. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include "test.h"

#include <complex.h>
#include <cufft.h>
#include <cufftXt.h>
#include <math.h>

#define check_fft(call, expected)                                                                  \
    do {                                                                                           \
        cufftResult fft_got = (call), fft_wanted = (expected);                                     \
        if (fft_got != fft_wanted)                                                                 \
            test_fail(__FILE__, __LINE__, "%s\n  answers %d\n  and not %d", #call, fft_got,        \
                      fft_wanted);                                                                 \
    } while (0)

struct side {
    int embed[3], stride, distance;
};

struct transform {
    cufftType type;
    int rank, n[3], batch;
    bool embedded; /* false: dense, and the sides follow from the lengths */
    bool in_place;
    int direction; /* of C2C and Z2Z */
    struct side in, out;
};

static uint64_t random_state = 88172645463325252u;

static inline double random_value(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-52 - 1;
}

static inline int random_between(int low, int high)
{
    return low + (int)((random_value() + 1) / 2 * (high - low + 1));
}

static inline bool is_double(cufftType type)
{
    return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}

static inline bool starts_real(cufftType type)
{
    return type == CUFFT_R2C || type == CUFFT_D2Z;
}

static inline bool ends_real(cufftType type)
{
    return type == CUFFT_C2R || type == CUFFT_Z2D;
}

/* The elements of a row on one side. */
static inline int row_length(const struct transform *t, bool output)
{
    int n = t->n[t->rank - 1];

    return (output ? starts_real(t->type) : ends_real(t->type)) ? n / 2 + 1 : n;
}

/* Describes dense arrays as embedded ones. */
static inline void set_dense(struct transform *t)
{
    struct side *sides[] = {&t->in, &t->out};

    for (int s = 0; s < 2; s++) {
        bool real = s ? ends_real(t->type) : starts_real(t->type);
        int count = 1;

        for (int i = 0; i < t->rank; i++) {
            int length = i < t->rank - 1 ? t->n[i] : row_length(t, s);

            if (i == t->rank - 1 && real && t->in_place)
                length = 2 * (length / 2 + 1);
            sides[s]->embed[i] = length;
            count *= length;
        }
        sides[s]->stride = 1;
        sides[s]->distance = count;
    }
}

static inline size_t place(const struct side *side, int rank, const int *index, int batch)
{
    size_t at = 0;

    for (int i = 0; i < rank; i++)
        at = at * (size_t)side->embed[i] + (size_t)index[i];
    return (size_t)batch * (size_t)side->distance + at * (size_t)side->stride;
}

static inline size_t elements(const struct transform *t)
{
    size_t count = 1;

    for (int i = 0; i < t->rank; i++)
        count *= (size_t)t->n[i];
    return count;
}

static inline void split_index(const struct transform *t, size_t flat, int *index)
{
    for (int i = t->rank - 1; i >= 0; i--) {
        index[i] = (int)(flat % (size_t)t->n[i]);
        flat /= (size_t)t->n[i];
    }
}

/* The transform of a dense array by its definition, one axis after the other. */
static inline void define(const struct transform *t, double complex *values, int sign)
{
    size_t stride = 1, count = elements(t);

    for (int axis = t->rank - 1; axis >= 0; axis--) {
        int n = t->n[axis];
        double complex *roots = malloc((size_t)n * sizeof(*roots));
        double complex *line = malloc((size_t)n * sizeof(*line));

        for (int k = 0; k < n; k++)
            roots[k] = cexp(sign * 2 * I * acos(-1.0) * k / n);
        for (size_t start = 0; start < count; start++) {
            if (start / stride % (size_t)n != 0)
                continue;
            for (int k = 0; k < n; k++) {
                line[k] = 0;
                for (int j = 0; j < n; j++)
                    line[k] += values[start + (size_t)j * stride] *
                               roots[(size_t)j * (size_t)k % (size_t)n];
            }
            for (int k = 0; k < n; k++)
                values[start + (size_t)k * stride] = line[k];
        }
        free(line);
        free(roots);
        stride *= (size_t)n;
    }
}

/* Values of one batch: input[] as the program passes it, expected[] as the definition has it. */
static inline void make_values(const struct transform *t, double complex *input,
                               double complex *expected)
{
    size_t count = elements(t);

    for (size_t i = 0; i < count; i++)
        input[i] =
            random_value() + (starts_real(t->type) || ends_real(t->type) ? 0 : I * random_value());
    memcpy(expected, input, count * sizeof(*input));
    if (ends_real(t->type)) { /* the input is the spectrum of a real array */
        define(t, input, -1);
        for (size_t i = 0; i < count; i++)
            expected[i] *= (double)count;
    } else {
        define(t, expected, starts_real(t->type) ? -1 : t->direction);
    }
}

static inline void store_value(void *array, bool doubles, bool real, size_t at,
                               double complex value)
{
    if (doubles && real)
        ((double *)array)[at] = creal(value);
    else if (doubles)
        ((double complex *)array)[at] = value;
    else if (real)
        ((float *)array)[at] = (float)creal(value);
    else
        ((float complex *)array)[at] = (float complex)value;
}

static inline double complex load_value(const void *array, bool doubles, bool real, size_t at)
{
    if (doubles)
        return real ? ((const double *)array)[at] : ((const double complex *)array)[at];
    return real ? ((const float *)array)[at] : ((const float complex *)array)[at];
}

static inline size_t array_bytes(const struct transform *t, bool output)
{
    const struct side *side = output ? &t->out : &t->in;
    bool real = output ? ends_real(t->type) : starts_real(t->type);
    size_t count = (size_t)side->stride;

    for (int i = 0; i < t->rank; i++)
        count *= (size_t)side->embed[i];
    count += (size_t)(t->batch - 1) * (size_t)side->distance;
    return count * (is_double(t->type) ? 8 : 4) * (real ? 1 : 2);
}

static inline cufftHandle make_plan(struct transform *t)
{
    cufftHandle plan;

    if (t->embedded)
        check_fft(cufftPlanMany(&plan, t->rank, t->n, t->in.embed, t->in.stride, t->in.distance,
                                t->out.embed, t->out.stride, t->out.distance, t->type, t->batch),
                  CUFFT_SUCCESS);
    else
        check_fft(cufftPlanMany(&plan, t->rank, t->n, NULL, 1, 0, NULL, 1, 0, t->type, t->batch),
                  CUFFT_SUCCESS);
    return plan;
}

static inline cufftResult execute(const struct transform *t, cufftHandle plan, CUdeviceptr in,
                                  CUdeviceptr out)
{
    switch (t->type) {
    case CUFFT_C2C:
        return cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, t->direction);
    case CUFFT_R2C:
        return cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out);
    case CUFFT_C2R:
        return cufftExecC2R(plan, (cufftComplex *)in, (cufftReal *)out);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out,
                            t->direction);
    case CUFFT_D2Z:
        return cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out);
    default:
        return cufftExecZ2D(plan, (cufftDoubleComplex *)in, (cufftDoubleReal *)out);
    }
}

/* Arrays of a transform on the host: what goes in, and what must come out. */
struct arrays {
    void *in;
    double complex *expected; /* dense, all batches */
    size_t in_bytes, out_bytes;
};

static inline struct arrays make_arrays(const struct transform *t)
{
    struct arrays a = {.in_bytes = array_bytes(t, false), .out_bytes = array_bytes(t, true)};
    size_t count = elements(t);
    double complex *input = malloc(count * sizeof(*input));

    a.in = calloc(1, a.in_bytes);
    a.expected = malloc(count * (size_t)t->batch * sizeof(*a.expected));
    for (int b = 0; b < t->batch; b++) {
        make_values(t, input, a.expected + (size_t)b * count);
        for (size_t i = 0; i < count; i++) {
            int index[3] = {0};

            split_index(t, i, index);
            if (index[t->rank - 1] < row_length(t, false))
                store_value(a.in, is_double(t->type), starts_real(t->type),
                            place(&t->in, t->rank, index, b), input[i]);
        }
    }
    free(input);
    return a;
}

static inline void compare(const struct transform *t, const struct arrays *a, const void *out)
{
    size_t count = elements(t);
    double scale = 0, worst = 0, tolerance = is_double(t->type) ? 4e-15 : 2e-6;

    for (size_t i = 0; i < count * (size_t)t->batch; i++)
        scale = fmax(scale, cabs(a->expected[i]));
    for (size_t i = 0; i < count * (size_t)t->batch; i++) {
        int index[3] = {0};

        split_index(t, i % count, index);
        if (index[t->rank - 1] < row_length(t, true)) {
            double complex got = load_value(out, is_double(t->type), ends_real(t->type),
                                            place(&t->out, t->rank, index, (int)(i / count)));

            worst = fmax(worst, cabs(got - a->expected[i]));
            if (isnan(cabs(got)))
                worst = INFINITY;
        }
    }
    if (worst > tolerance * scale * (1 + log2((double)count)))
        test_fail(__FILE__, __LINE__,
                  "type %#x rank %d n %d %d %d batch %d in place %d: off by %g of %g", t->type,
                  t->rank, t->n[0], t->n[1], t->n[2], t->batch, t->in_place, worst, scale);
}

/* The output keeps this where nothing belongs to it. */
enum { UNTOUCHED = 0xa5 };

/* Checks that the gaps of an embedded output are as they were. */
static inline void check_gaps(const struct transform *t, const void *out, size_t bytes)
{
    size_t size = (is_double(t->type) ? 8 : 4) * (ends_real(t->type) ? 1 : 2);
    size_t count = elements(t);
    char *touched = calloc(1, bytes / size);

    for (size_t i = 0; i < count * (size_t)t->batch; i++) {
        int index[3] = {0};

        split_index(t, i % count, index);
        if (index[t->rank - 1] < row_length(t, true))
            touched[place(&t->out, t->rank, index, (int)(i / count))] = 1;
    }
    for (size_t i = 0; i < bytes; i++)
        check(touched[i / size] || ((const unsigned char *)out)[i] == UNTOUCHED);
    free(touched);
}

static inline void check_unchanged(CUdeviceptr memory, const void *wanted, size_t bytes)
{
    void *kept = malloc(bytes);

    check_success(cuMemcpyDtoH(kept, memory, bytes));
    check(memcmp(kept, wanted, bytes) == 0);
    free(kept);
}

/* NVIDIA's library uses the input of a transform from complex to real in several dimensions. */
static inline bool keeps_input(const struct transform *t)
{
    return t->rank == 1 || (t->type != CUFFT_C2R && t->type != CUFFT_Z2D);
}

/* Plans, executes and compares. Out of place, the input and the gaps of the output stay. */
static inline void try_transform(struct transform *t)
{
    struct arrays a;
    CUdeviceptr in, out;
    cufftHandle plan;
    void *result;

    if (!t->embedded)
        set_dense(t);
    a = make_arrays(t);
    result = malloc(a.out_bytes);
    check_success(cuMemAlloc(&in, a.in_bytes > a.out_bytes ? a.in_bytes : a.out_bytes));
    check_success(cuMemAlloc(&out, a.out_bytes));
    check_success(cuMemcpyHtoD(in, a.in, a.in_bytes));
    check_success(cuMemsetD8(out, UNTOUCHED, a.out_bytes));
    plan = make_plan(t);
    check_fft(execute(t, plan, in, t->in_place ? in : out), CUFFT_SUCCESS);
    check_success(cuMemcpyDtoH(result, t->in_place ? in : out, a.out_bytes));
    compare(t, &a, result);
    if (!t->in_place) {
        if (keeps_input(t))
            check_unchanged(in, a.in, a.in_bytes);
        check_gaps(t, result, a.out_bytes);
    }
    check_fft(cufftDestroy(plan), CUFFT_SUCCESS);
    check_success(cuMemFree(in));
    check_success(cuMemFree(out));
    free(result);
    free(a.in);
    free(a.expected);
}

static const cufftType all_types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R,
                                      CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};

#endif

/* SPDX-License-Identifier: MIT */
/* Rotations of Givens: rotm applies a modified one, rotg and rotmg construct them. Those that
 * construct work on single numbers, which lie where the pointer mode says: on the host they are
 * computed at once. */
#include "level1.h"

#include <math.h>

/* The flag of the rotation that changes nothing. */
enum { IDENTITY = -2 };

struct rotm {
    int64_t n;
    struct blas_vector x, y;
    const void *device_parameters; /* NULL: parameters has them */
    cudaDataType_t type;
    double parameters[5];
};

struct construction {
    struct blas_number numbers[5];
};

static CUresult run_rotm(void *arguments)
{
    const struct rotm *job = arguments;
    const int64_t first_x = job->x.step < 0 ? (1 - job->n) * job->x.step : 0,
                  first_y = job->y.step < 0 ? (1 - job->n) * job->y.step : 0;
    double p[5], h11, h21, h12, h22;

    for (int i = 0; i < 5; i++)
        p[i] = job->device_parameters ? blas_load(job->type, job->device_parameters, i).re
                                      : job->parameters[i];
    if (p[0] == IDENTITY)
        return CUDA_SUCCESS;
    if (!job->x.address || !job->y.address)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    h11 = p[0] == 0 ? 1 : p[1];
    h21 = p[0] == 1 ? -1 : p[2];
    h12 = p[0] == 1 ? 1 : p[3];
    h22 = p[0] == 0 ? 1 : p[4];
    for (int64_t i = 0; i < job->n; i++) {
        int64_t x = first_x + i * job->x.step, y = first_y + i * job->y.step;
        double w = blas_load(job->x.type, job->x.address, x).re,
               z = blas_load(job->y.type, job->y.address, y).re;

        blas_store(job->x.type, job->x.address, x, (struct blas_complex){h11 * w + h12 * z, 0});
        blas_store(job->y.type, job->y.address, y, (struct blas_complex){h21 * w + h22 * z, 0});
    }
    return CUDA_SUCCESS;
}

cublasStatus_t blas_rotm(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_vector y, struct blas_number parameters)
{
    const size_t bytes = blas_element_bytes(x.type);
    const struct cupipe_range range_x = blas_vector(x.address, n, x.step, bytes),
                              range_y = blas_vector(y.address, n, y.step, bytes);
    struct rotm job = {.n = n, .x = x, .y = y, .type = parameters.type};
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!parameters.address)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        job.device_parameters = parameters.address;
        blas_add(&ranges,
                 lib_partly(lib_read(parameters.address, 5 * blas_element_bytes(parameters.type))));
    } else {
        for (int i = 0; i < 5; i++)
            job.parameters[i] = blas_load(parameters.type, parameters.address, i).re;
        if (job.parameters[0] == IDENTITY)
            return CUBLAS_STATUS_SUCCESS;
    }
    /* The flag in device memory may be that of the identity, which wants no vectors. */
    if (!job.device_parameters || (x.address && y.address)) {
        blas_add(&ranges, range_x);
        blas_add(&ranges, range_y);
        blas_add(&ranges, blas_written(range_x));
        blas_add(&ranges, blas_written(range_y));
    }
    return blas_submit(handle, name, (uint64_t)n * 4, &ranges, run_rotm, &job, sizeof(job));
}

static double get(const struct blas_number *number)
{
    return blas_load(number->type, number->address, 0).re;
}

static void put(const struct blas_number *number, int64_t index, double value)
{
    blas_store(number->type, number->address, index, (struct blas_complex){value, 0});
}

/* The length of a complex number over 1, and the rotation that makes b vanish. */
static void construct_complex(const struct blas_number numbers[4])
{
    struct blas_complex a = blas_load(numbers[0].type, numbers[0].address, 0),
                        b = blas_load(numbers[1].type, numbers[1].address, 0);
    double length_a = hypot(a.re, a.im), norm = hypot(length_a, hypot(b.re, b.im));
    struct blas_complex direction, s;

    if (length_a == 0) {
        put(&numbers[2], 0, 0);
        blas_store(numbers[3].type, numbers[3].address, 0, (struct blas_complex){1, 0});
        blas_store(numbers[0].type, numbers[0].address, 0, b);
        return;
    }
    direction = (struct blas_complex){a.re / length_a, a.im / length_a};
    s = blas_multiply(direction, blas_conjugate(b));
    put(&numbers[2], 0, length_a / norm);
    blas_store(numbers[3].type, numbers[3].address, 0,
               (struct blas_complex){s.re / norm, s.im / norm});
    blas_store(numbers[0].type, numbers[0].address, 0,
               (struct blas_complex){direction.re * norm, direction.im * norm});
}

static void construct_real(const struct blas_number numbers[4])
{
    double a = get(&numbers[0]), b = get(&numbers[1]), r = hypot(a, b), c = 1, s = 0, z = 0;

    if (r != 0) {
        r = copysign(r, fabs(a) > fabs(b) ? a : b);
        c = a / r;
        s = b / r;
        z = fabs(a) > fabs(b) ? s : c != 0 ? 1 / c : 1;
    }
    put(&numbers[0], 0, r);
    put(&numbers[1], 0, z);
    put(&numbers[2], 0, c);
    put(&numbers[3], 0, s);
}

static CUresult run_rotg(void *arguments)
{
    const struct construction *job = arguments;

    if (blas_element_is_complex(job->numbers[0].type))
        construct_complex(job->numbers);
    else
        construct_real(job->numbers);
    return CUDA_SUCCESS;
}

/* Keeps d and the rows of the matrix in the range where they neither overflow nor vanish. */
static void rescale(double *d, double *x, double *first, double *second)
{
    const double gamma = 4096, gamma_squared = gamma * gamma;

    while (*d != 0 && fabs(*d) <= 1 / gamma_squared) {
        *d *= gamma_squared;
        if (x)
            *x /= gamma;
        *first /= gamma;
        *second /= gamma;
    }
    while (fabs(*d) >= gamma_squared && isfinite(*d)) {
        *d /= gamma_squared;
        if (x)
            *x *= gamma;
        *first *= gamma;
        *second *= gamma;
    }
}

/* True if rescale() would change d. */
static bool needs_scale(double d)
{
    const double limit = 4096.0 * 4096.0;

    return d != 0 && (fabs(d) <= 1 / limit || fabs(d) >= limit) && isfinite(d);
}

struct modified {
    double d1, d2, x1, flag, h11, h21, h12, h22;
};

static void clear(struct modified *m)
{
    *m = (struct modified){.flag = -1};
}

/* Chooses the form of the matrix by the larger of the two weighted components. */
static void construct_modified(struct modified *m, double y1)
{
    double p2 = m->d2 * y1, p1 = m->d1 * m->x1, q2 = p2 * y1, q1 = p1 * m->x1, u;

    if (m->d1 < 0) {
        clear(m);
        return;
    }
    if (p2 == 0) {
        m->flag = -2;
        return;
    }
    if (fabs(q1) > fabs(q2)) {
        m->h21 = -y1 / m->x1;
        m->h12 = p2 / p1;
        u = 1 - m->h12 * m->h21;
        if (u <= 0) {
            clear(m);
            return;
        }
        m->flag = 0;
        m->h11 = m->h22 = 1;
        m->d1 /= u;
        m->d2 /= u;
        m->x1 *= u;
    } else if (q2 < 0) {
        clear(m);
        return;
    } else {
        double old = m->d1;

        m->flag = 1;
        m->h11 = p1 / p2;
        m->h22 = m->x1 / y1;
        m->h12 = 1, m->h21 = -1;
        u = 1 + m->h11 * m->h22;
        m->d1 = m->d2 / u;
        m->d2 = old / u;
        m->x1 = y1 * u;
    }
    if (needs_scale(m->d1) || needs_scale(m->d2)) {
        m->flag = -1;
        rescale(&m->d1, &m->x1, &m->h11, &m->h12);
        rescale(&m->d2, NULL, &m->h21, &m->h22);
    }
}

static CUresult run_rotmg(void *arguments)
{
    const struct construction *job = arguments;
    const struct blas_number *numbers = job->numbers;
    struct modified m = {.d1 = get(&numbers[0]), .d2 = get(&numbers[1]), .x1 = get(&numbers[2])};

    construct_modified(&m, get(&numbers[3]));
    put(&numbers[4], 0, m.flag);
    if (m.flag != -2) {
        put(&numbers[0], 0, m.d1);
        put(&numbers[1], 0, m.d2);
        put(&numbers[2], 0, m.x1);
    }
    /* Elements that the flag implies are not written. */
    if (m.flag == -1 || m.flag == 1) {
        put(&numbers[4], 1, m.h11);
        put(&numbers[4], 4, m.h22);
    }
    if (m.flag == -1 || m.flag == 0) {
        put(&numbers[4], 2, m.h21);
        put(&numbers[4], 3, m.h12);
    }
    return CUDA_SUCCESS;
}

static cublasStatus_t construct(cublasHandle_t handle, const char *name, struct construction *job,
                                int count, int elements_of_last, lib_work *run)
{
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    for (int i = 0; i < count; i++)
        if (!job->numbers[i].address)
            return CUBLAS_STATUS_INVALID_VALUE;
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST) {
        run(job);
        return CUBLAS_STATUS_SUCCESS;
    }
    for (int i = 0; i < count; i++) {
        size_t bytes = blas_element_bytes(job->numbers[i].type) *
                       (size_t)(i == count - 1 ? elements_of_last : 1);

        blas_add(&ranges, lib_partly(lib_written(job->numbers[i].address, bytes)));
    }
    return blas_submit(handle, name, 1, &ranges, run, job, sizeof(*job));
}

cublasStatus_t blas_rotg(cublasHandle_t handle, const char *name, struct blas_number a,
                         struct blas_number b, struct blas_number c, struct blas_number s)
{
    struct construction job = {.numbers = {a, b, c, s}};

    return construct(handle, name, &job, 4, 1, run_rotg);
}

cublasStatus_t blas_rotmg(cublasHandle_t handle, const char *name, struct blas_number d1,
                          struct blas_number d2, struct blas_number x1, struct blas_number y1,
                          struct blas_number parameters)
{
    struct construction job = {.numbers = {d1, d2, x1, y1, parameters}};

    return construct(handle, name, &job, 5, 5, run_rotmg);
}

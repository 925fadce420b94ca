/* SPDX-License-Identifier: MIT */
/* The functions of one precision. A file defines NAME(name), REAL, COMPLEX, PLAN, DIM, DIM64 and
 * PRECISION and includes this header; it is included by one file for each precision. */
#include "plan.h"

#include <cufftw.h>
#include <stdlib.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static struct fftw_request complex_request(const void *in, void *out, int sign)
{
    return (struct fftw_request){FFT_COMPLEX, PRECISION, sign, in, out};
}

static struct fftw_request r2c_request(const void *in, void *out)
{
    return (struct fftw_request){FFT_REAL_TO_COMPLEX, PRECISION, FFTW_FORWARD, in, out};
}

static struct fftw_request c2r_request(const void *in, void *out)
{
    return (struct fftw_request){FFT_COMPLEX_TO_REAL, PRECISION, FFTW_BACKWARD, in, out};
}

PLAN NAME(plan_dft_1d)(int n, COMPLEX *in, COMPLEX *out, int sign, unsigned flags)
{
    struct fftw_request request = complex_request(in, out, sign);

    (void)flags;
    return fftw_make_dense(&request, 1, &n);
}

PLAN NAME(plan_dft_2d)(int n0, int n1, COMPLEX *in, COMPLEX *out, int sign, unsigned flags)
{
    const int n[] = {n0, n1};
    struct fftw_request request = complex_request(in, out, sign);

    (void)flags;
    return fftw_make_dense(&request, 2, n);
}

PLAN NAME(plan_dft_3d)(int n0, int n1, int n2, COMPLEX *in, COMPLEX *out, int sign, unsigned flags)
{
    const int n[] = {n0, n1, n2};
    struct fftw_request request = complex_request(in, out, sign);

    (void)flags;
    return fftw_make_dense(&request, 3, n);
}

PLAN NAME(plan_dft)(int rank, const int *n, COMPLEX *in, COMPLEX *out, int sign, unsigned flags)
{
    struct fftw_request request = complex_request(in, out, sign);

    (void)flags;
    return fftw_make_dense(&request, rank, n);
}

PLAN NAME(plan_many_dft)(int rank, const int *n, int batch, COMPLEX *in, const int *inembed,
                         int istride, int idist, COMPLEX *out, const int *onembed, int ostride,
                         int odist, int sign, unsigned flags)
{
    struct fftw_request request = complex_request(in, out, sign);
    const struct fftw_layout from = {inembed, istride, idist}, to = {onembed, ostride, odist};

    (void)flags;
    return fftw_make_many(&request, rank, n, batch, &from, &to);
}

PLAN NAME(plan_guru_dft)(int rank, const DIM *dims, int batch_rank, const DIM *batch_dims,
                         COMPLEX *in, COMPLEX *out, int sign, unsigned flags)
{
    struct fftw_request request = complex_request(in, out, sign);

    (void)flags;
    return fftw_make_guru(&request, rank, dims, batch_rank, batch_dims, 0);
}

PLAN NAME(plan_guru64_dft)(int rank, const DIM64 *dims, int batch_rank, const DIM64 *batch_dims,
                           COMPLEX *in, COMPLEX *out, int sign, unsigned flags)
{
    struct fftw_request request = complex_request(in, out, sign);

    (void)flags;
    return fftw_make_guru(&request, rank, dims, batch_rank, batch_dims, 1);
}

void NAME(execute_dft)(const PLAN plan, COMPLEX *idata, COMPLEX *odata)
{
    fftw_run(TEXT(NAME(execute_dft)), plan, idata, odata);
}

PLAN NAME(plan_dft_r2c_1d)(int n, REAL *in, COMPLEX *out, unsigned flags)
{
    struct fftw_request request = r2c_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, 1, &n);
}

PLAN NAME(plan_dft_r2c_2d)(int n0, int n1, REAL *in, COMPLEX *out, unsigned flags)
{
    const int n[] = {n0, n1};
    struct fftw_request request = r2c_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, 2, n);
}

PLAN NAME(plan_dft_r2c_3d)(int n0, int n1, int n2, REAL *in, COMPLEX *out, unsigned flags)
{
    const int n[] = {n0, n1, n2};
    struct fftw_request request = r2c_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, 3, n);
}

PLAN NAME(plan_dft_r2c)(int rank, const int *n, REAL *in, COMPLEX *out, unsigned flags)
{
    struct fftw_request request = r2c_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, rank, n);
}

PLAN NAME(plan_many_dft_r2c)(int rank, const int *n, int batch, REAL *in, const int *inembed,
                             int istride, int idist, COMPLEX *out, const int *onembed, int ostride,
                             int odist, unsigned flags)
{
    struct fftw_request request = r2c_request(in, out);
    const struct fftw_layout from = {inembed, istride, idist}, to = {onembed, ostride, odist};

    (void)flags;
    return fftw_make_many(&request, rank, n, batch, &from, &to);
}

PLAN NAME(plan_guru_dft_r2c)(int rank, const DIM *dims, int batch_rank, const DIM *batch_dims,
                             REAL *in, COMPLEX *out, unsigned flags)
{
    struct fftw_request request = r2c_request(in, out);

    (void)flags;
    return fftw_make_guru(&request, rank, dims, batch_rank, batch_dims, 0);
}

PLAN NAME(plan_guru64_dft_r2c)(int rank, const DIM64 *dims, int batch_rank, const DIM64 *batch_dims,
                               REAL *in, COMPLEX *out, unsigned flags)
{
    struct fftw_request request = r2c_request(in, out);

    (void)flags;
    return fftw_make_guru(&request, rank, dims, batch_rank, batch_dims, 1);
}

void NAME(execute_dft_r2c)(const PLAN plan, REAL *idata, COMPLEX *odata)
{
    fftw_run(TEXT(NAME(execute_dft_r2c)), plan, idata, odata);
}

PLAN NAME(plan_dft_c2r_1d)(int n, COMPLEX *in, REAL *out, unsigned flags)
{
    struct fftw_request request = c2r_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, 1, &n);
}

PLAN NAME(plan_dft_c2r_2d)(int n0, int n1, COMPLEX *in, REAL *out, unsigned flags)
{
    const int n[] = {n0, n1};
    struct fftw_request request = c2r_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, 2, n);
}

PLAN NAME(plan_dft_c2r_3d)(int n0, int n1, int n2, COMPLEX *in, REAL *out, unsigned flags)
{
    const int n[] = {n0, n1, n2};
    struct fftw_request request = c2r_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, 3, n);
}

PLAN NAME(plan_dft_c2r)(int rank, const int *n, COMPLEX *in, REAL *out, unsigned flags)
{
    struct fftw_request request = c2r_request(in, out);

    (void)flags;
    return fftw_make_dense(&request, rank, n);
}

PLAN NAME(plan_many_dft_c2r)(int rank, const int *n, int batch, COMPLEX *in, const int *inembed,
                             int istride, int idist, REAL *out, const int *onembed, int ostride,
                             int odist, unsigned flags)
{
    struct fftw_request request = c2r_request(in, out);
    const struct fftw_layout from = {inembed, istride, idist}, to = {onembed, ostride, odist};

    (void)flags;
    return fftw_make_many(&request, rank, n, batch, &from, &to);
}

PLAN NAME(plan_guru_dft_c2r)(int rank, const DIM *dims, int batch_rank, const DIM *batch_dims,
                             COMPLEX *in, REAL *out, unsigned flags)
{
    struct fftw_request request = c2r_request(in, out);

    (void)flags;
    return fftw_make_guru(&request, rank, dims, batch_rank, batch_dims, 0);
}

PLAN NAME(plan_guru64_dft_c2r)(int rank, const DIM64 *dims, int batch_rank, const DIM64 *batch_dims,
                               COMPLEX *in, REAL *out, unsigned flags)
{
    struct fftw_request request = c2r_request(in, out);

    (void)flags;
    return fftw_make_guru(&request, rank, dims, batch_rank, batch_dims, 1);
}

void NAME(execute_dft_c2r)(const PLAN plan, COMPLEX *idata, REAL *odata)
{
    fftw_run(TEXT(NAME(execute_dft_c2r)), plan, idata, odata);
}

void NAME(execute)(const fftw_plan plan)
{
    fftw_run(TEXT(NAME(execute)), plan, NULL, NULL);
}

void *NAME(malloc)(size_t n)
{
    return malloc(n ? n : 1);
}

void NAME(free)(void *pointer)
{
    free(pointer);
}

/* There is no wisdom: nothing is measured. */
void NAME(export_wisdom_to_file)(FILE *output_file)
{
    (void)output_file;
}

int NAME(import_wisdom_from_file)(FILE *input_file)
{
    (void)input_file;
    return 0;
}

void NAME(print_plan)(const PLAN plan)
{
    fftw_describe(plan);
}

void NAME(set_timelimit)(double seconds)
{
    (void)seconds;
}

/* Nothing is measured: NVIDIA's library, too, answers 1 for every plan. */
double NAME(cost)(const fftw_plan plan)
{
    (void)plan;
    return 1;
}

void NAME(flops)(const fftw_plan plan, double *add, double *mul, double *fma)
{
    (void)plan;
    if (add && mul && fma)
        *add = *mul = *fma = 1;
}

void NAME(destroy_plan)(PLAN plan)
{
    fftw_release(plan);
}

void NAME(cleanup)(void)
{
}

/* SPDX-License-Identifier: MIT */
/* FFTW's functions: the ways to make plans, on memory of the host and of the device. */
#include "test.h"

#include <complex.h>
#include <cufftw.h>
#include <math.h>

enum { MOST = 512 };

static double complex input[MOST], expected[MOST], output[MOST];

static void fill(double complex *values, int count, bool real)
{
    unsigned state = 12345;

    for (int i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        values[i] = (double)(state >> 8) / (1 << 23) - 1;
        state = state * 1664525 + 1013904223;
        if (!real)
            values[i] += I * ((double)(state >> 8) / (1 << 23) - 1);
    }
}

/* One line of n elements by the definition. */
static void define(const double complex *from, double complex *to, int n, int stride, int sign)
{
    for (int k = 0; k < n; k++) {
        to[k * stride] = 0;
        for (int j = 0; j < n; j++)
            to[k * stride] +=
                from[j * stride] * cexp(sign * 2 * I * acos(-1.0) * (double)(j * k % n) / n);
    }
}

static void check_close(const double complex *got, const double complex *wanted, int count,
                        double tolerance)
{
    for (int i = 0; i < count; i++)
        check(cabs(got[i] - wanted[i]) < tolerance * count);
}

TEST(one_dimension)
{
    fftw_plan plan = fftw_plan_dft_1d(60, input, output, FFTW_FORWARD, FFTW_ESTIMATE);

    check(plan != NULL);
    fill(input, 60, false);
    define(input, expected, 60, 1, -1);
    fftw_execute(plan);
    check_close(output, expected, 60, 1e-13);
    fftw_execute_dft(plan, input, input);
    check_close(input, expected, 60, 1e-13);
    fftw_destroy_plan(plan);
    fftw_execute(plan); /* no plan any more */
}

TEST(single_precision)
{
    float complex in[16], out[16];
    fftwf_plan plan = fftwf_plan_dft_1d(16, in, out, FFTW_BACKWARD, FFTW_MEASURE);

    fill(input, 16, false);
    for (int i = 0; i < 16; i++)
        in[i] = (float complex)input[i];
    define(input, expected, 16, 1, 1);
    fftwf_execute(plan);
    for (int i = 0; i < 16; i++)
        output[i] = out[i];
    check_close(output, expected, 16, 1e-6);
    fftwf_destroy_plan(plan);
}

TEST(real_arrays_there_and_back)
{
    double real[30], back[30];
    fftw_plan forward = fftw_plan_dft_r2c_1d(30, real, output, FFTW_ESTIMATE);
    fftw_plan inverse = fftw_plan_dft_c2r_1d(30, output, back, FFTW_ESTIMATE);

    fill(input, 30, true);
    for (int i = 0; i < 30; i++)
        real[i] = creal(input[i]);
    define(input, expected, 30, 1, -1);
    fftw_execute(forward);
    check_close(output, expected, 16, 1e-13);
    fftw_execute(inverse);
    for (int i = 0; i < 30; i++)
        check(fabs(back[i] - 30 * real[i]) < 1e-12);
    fftw_destroy_plan(forward);
    fftw_destroy_plan(inverse);
}

TEST(two_dimensions_in_place)
{
    double array[6][8]; /* rows of 7, padded */
    fftw_plan plan = fftw_plan_dft_r2c_2d(6, 7, &array[0][0], (fftw_complex *)array, FFTW_ESTIMATE);

    fill(input, 42, true);
    for (int i = 0; i < 42; i++)
        array[i / 7][i % 7] = creal(input[i]);
    for (int i = 0; i < 6; i++)
        define(input + 7 * i, output + 7 * i, 7, 1, -1);
    for (int i = 0; i < 7; i++)
        define(output + i, expected + i, 6, 7, -1);
    fftw_execute(plan);
    for (int i = 0; i < 6; i++)
        check_close((double complex *)array[i], expected + 7 * i, 4, 1e-12);
    fftw_destroy_plan(plan);
}

/* Columns of a matrix, by the advanced and by the guru interface. */
TEST(strided_batches)
{
    const int n[] = {12};
    const fftw_iodim dim = {12, 5, 1}, batch = {5, 1, 12};
    const fftw_iodim64 dim64 = {12, 5, 1}, batch64 = {5, 1, 12};
    fftw_plan plans[] = {
        fftw_plan_many_dft(1, n, 5, input, NULL, 5, 1, output, NULL, 1, 12, FFTW_FORWARD, 0),
        fftw_plan_guru_dft(1, &dim, 1, &batch, input, output, FFTW_FORWARD, 0),
        fftw_plan_guru64_dft(1, &dim64, 1, &batch64, input, output, FFTW_FORWARD, 0),
    };

    fill(input, 60, false);
    for (int i = 0; i < 5; i++) {
        double complex column[60];

        define(input + i, column, 12, 5, -1);
        for (int k = 0; k < 12; k++)
            expected[12 * i + k] = column[5 * k];
    }
    for (int i = 0; i < 3; i++) {
        check(plans[i] != NULL);
        memset(output, 0, sizeof(output));
        fftw_execute(plans[i]);
        check_close(output, expected, 60, 1e-13);
        fftw_destroy_plan(plans[i]);
    }
}

TEST(memory_of_the_device)
{
    CUdeviceptr memory;
    fftw_plan plan;

    with_context();
    check_success(cuMemAlloc(&memory, 60 * sizeof(*input)));
    plan = fftw_plan_dft_1d(60, (fftw_complex *)memory, (fftw_complex *)memory, FFTW_FORWARD, 0);
    fill(input, 60, false);
    define(input, expected, 60, 1, -1);
    check_success(cuMemcpyHtoD(memory, input, 60 * sizeof(*input)));
    fftw_execute(plan);
    check_success(cuMemcpyDtoH(output, memory, 60 * sizeof(*input)));
    check_close(output, expected, 60, 1e-13);
    fftw_destroy_plan(plan);
}

TEST(what_cannot_be_planned)
{
    const int n[] = {4, 4, 4, 4}, none[] = {0};
    const fftw_iodim dim = {8, 1, 1};
    fftw_plan plan;

    with_context();
    only_cupipe(); /* NVIDIA's reads through missing arguments */
    check(!fftw_plan_dft_1d(0, input, output, FFTW_FORWARD, 0));
    check(!fftw_plan_dft(4, n, input, output, FFTW_FORWARD, 0));
    check(!fftw_plan_dft(0, n, input, output, FFTW_FORWARD, 0));
    check(!fftw_plan_dft(1, NULL, input, output, FFTW_FORWARD, 0));
    check(!fftw_plan_dft(1, none, input, output, FFTW_FORWARD, 0));
    check(!fftw_plan_guru_dft(0, &dim, 1, &dim, input, output, FFTW_FORWARD, 0));
    check(!fftw_plan_guru_dft(1, &dim, 1, NULL, input, output, FFTW_FORWARD, 0));
    /* Another sign gives a plan that does nothing. */
    plan = fftw_plan_dft_1d(8, input, output, 5, 0);
    check(plan != NULL);
    output[0] = 7;
    fftw_execute(plan);
    check(output[0] == 7);
    fftw_destroy_plan(plan);
    fftw_destroy_plan(NULL);
    fftw_execute(NULL);
    fftw_free(NULL);
    fftw_cleanup();
}

/* SPDX-License-Identifier: MIT */
/*
 * FFTW's interface to the same transforms, for arrays in the memory of the host or of the device:
 * the functions of FFTW 3 that NVIDIA's cufftw has. Calls return when their work is done.
 */
#ifndef _CUFFTW_H_
#define _CUFFTW_H_

#include "cufft.h"

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FFTW_FORWARD -1
#define FFTW_INVERSE 1
#define FFTW_BACKWARD 1

/* Ways to plan: all plans are made alike. */
#define FFTW_ESTIMATE 0x01
#define FFTW_MEASURE 0x02
#define FFTW_PATIENT 0x03
#define FFTW_EXHAUSTIVE 0x04
#define FFTW_WISDOM_ONLY 0x05

/* Restrictions: the input of a transform out of place is always preserved. */
#define FFTW_DESTROY_INPUT 0x08
#define FFTW_PRESERVE_INPUT 0x0C
#define FFTW_UNALIGNED 0x10

#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex)
typedef double _Complex fftw_complex;
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif

typedef void *fftw_plan;
typedef void *fftwf_plan;

/* A dimension: its length, and the strides of input and output. */
typedef struct {
    int n;
    int is;
    int os;
} fftw_iodim;
typedef fftw_iodim fftwf_iodim;

typedef struct {
    ptrdiff_t n;
    ptrdiff_t is;
    ptrdiff_t os;
} fftw_iodim64;
typedef fftw_iodim64 fftwf_iodim64;

/* Double precision. */
fftw_plan CUFFTAPI fftw_plan_dft_1d(int n, fftw_complex *in, fftw_complex *out, int sign,
                                    unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_2d(int n0, int n1, fftw_complex *in, fftw_complex *out, int sign,
                                    unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_3d(int n0, int n1, int n2, fftw_complex *in, fftw_complex *out,
                                    int sign, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft(int rank, const int *n, fftw_complex *in, fftw_complex *out,
                                 int sign, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_r2c_1d(int n, double *in, fftw_complex *out, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_r2c_2d(int n0, int n1, double *in, fftw_complex *out,
                                        unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_r2c_3d(int n0, int n1, int n2, double *in, fftw_complex *out,
                                        unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_r2c(int rank, const int *n, double *in, fftw_complex *out,
                                     unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_c2r_1d(int n, fftw_complex *in, double *out, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_c2r_2d(int n0, int n1, fftw_complex *in, double *out,
                                        unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_c2r_3d(int n0, int n1, int n2, fftw_complex *in, double *out,
                                        unsigned flags);
fftw_plan CUFFTAPI fftw_plan_dft_c2r(int rank, const int *n, fftw_complex *in, double *out,
                                     unsigned flags);
fftw_plan CUFFTAPI fftw_plan_many_dft(int rank, const int *n, int batch, fftw_complex *in,
                                      const int *inembed, int istride, int idist, fftw_complex *out,
                                      const int *onembed, int ostride, int odist, int sign,
                                      unsigned flags);
fftw_plan CUFFTAPI fftw_plan_many_dft_r2c(int rank, const int *n, int batch, double *in,
                                          const int *inembed, int istride, int idist,
                                          fftw_complex *out, const int *onembed, int ostride,
                                          int odist, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_many_dft_c2r(int rank, const int *n, int batch, fftw_complex *in,
                                          const int *inembed, int istride, int idist, double *out,
                                          const int *onembed, int ostride, int odist,
                                          unsigned flags);
fftw_plan CUFFTAPI fftw_plan_guru_dft(int rank, const fftw_iodim *dims, int batch_rank,
                                      const fftw_iodim *batch_dims, fftw_complex *in,
                                      fftw_complex *out, int sign, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_guru_dft_r2c(int rank, const fftw_iodim *dims, int batch_rank,
                                          const fftw_iodim *batch_dims, double *in,
                                          fftw_complex *out, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_guru_dft_c2r(int rank, const fftw_iodim *dims, int batch_rank,
                                          const fftw_iodim *batch_dims, fftw_complex *in,
                                          double *out, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_guru64_dft(int rank, const fftw_iodim64 *dims, int batch_rank,
                                        const fftw_iodim64 *batch_dims, fftw_complex *in,
                                        fftw_complex *out, int sign, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_guru64_dft_r2c(int rank, const fftw_iodim64 *dims, int batch_rank,
                                            const fftw_iodim64 *batch_dims, double *in,
                                            fftw_complex *out, unsigned flags);
fftw_plan CUFFTAPI fftw_plan_guru64_dft_c2r(int rank, const fftw_iodim64 *dims, int batch_rank,
                                            const fftw_iodim64 *batch_dims, fftw_complex *in,
                                            double *out, unsigned flags);
void CUFFTAPI fftw_execute(const fftw_plan plan);
void CUFFTAPI fftw_execute_dft(const fftw_plan plan, fftw_complex *idata, fftw_complex *odata);
void CUFFTAPI fftw_execute_dft_r2c(const fftw_plan plan, double *idata, fftw_complex *odata);
void CUFFTAPI fftw_execute_dft_c2r(const fftw_plan plan, fftw_complex *idata, double *odata);
void CUFFTAPI *fftw_malloc(size_t n);
void CUFFTAPI fftw_free(void *pointer);
void CUFFTAPI fftw_export_wisdom_to_file(FILE *output_file);
int CUFFTAPI fftw_import_wisdom_from_file(FILE *input_file);
void CUFFTAPI fftw_print_plan(const fftw_plan plan);
void CUFFTAPI fftw_set_timelimit(double seconds);
double CUFFTAPI fftw_cost(const fftw_plan plan);
void CUFFTAPI fftw_flops(const fftw_plan plan, double *add, double *mul, double *fma);
void CUFFTAPI fftw_destroy_plan(fftw_plan plan);
void CUFFTAPI fftw_cleanup(void);

/* Single precision. */
fftwf_plan CUFFTAPI fftwf_plan_dft_1d(int n, fftwf_complex *in, fftwf_complex *out, int sign,
                                      unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_2d(int n0, int n1, fftwf_complex *in, fftwf_complex *out,
                                      int sign, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_3d(int n0, int n1, int n2, fftwf_complex *in, fftwf_complex *out,
                                      int sign, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft(int rank, const int *n, fftwf_complex *in, fftwf_complex *out,
                                   int sign, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_r2c_1d(int n, float *in, fftwf_complex *out, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_r2c_2d(int n0, int n1, float *in, fftwf_complex *out,
                                          unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_r2c_3d(int n0, int n1, int n2, float *in, fftwf_complex *out,
                                          unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_r2c(int rank, const int *n, float *in, fftwf_complex *out,
                                       unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_c2r_1d(int n, fftwf_complex *in, float *out, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_c2r_2d(int n0, int n1, fftwf_complex *in, float *out,
                                          unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_c2r_3d(int n0, int n1, int n2, fftwf_complex *in, float *out,
                                          unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_dft_c2r(int rank, const int *n, fftwf_complex *in, float *out,
                                       unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_many_dft(int rank, const int *n, int batch, fftwf_complex *in,
                                        const int *inembed, int istride, int idist,
                                        fftwf_complex *out, const int *onembed, int ostride,
                                        int odist, int sign, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_many_dft_r2c(int rank, const int *n, int batch, float *in,
                                            const int *inembed, int istride, int idist,
                                            fftwf_complex *out, const int *onembed, int ostride,
                                            int odist, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_many_dft_c2r(int rank, const int *n, int batch, fftwf_complex *in,
                                            const int *inembed, int istride, int idist, float *out,
                                            const int *onembed, int ostride, int odist,
                                            unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_guru_dft(int rank, const fftwf_iodim *dims, int batch_rank,
                                        const fftwf_iodim *batch_dims, fftwf_complex *in,
                                        fftwf_complex *out, int sign, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_guru_dft_r2c(int rank, const fftwf_iodim *dims, int batch_rank,
                                            const fftwf_iodim *batch_dims, float *in,
                                            fftwf_complex *out, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_guru_dft_c2r(int rank, const fftwf_iodim *dims, int batch_rank,
                                            const fftwf_iodim *batch_dims, fftwf_complex *in,
                                            float *out, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_guru64_dft(int rank, const fftwf_iodim64 *dims, int batch_rank,
                                          const fftwf_iodim64 *batch_dims, fftwf_complex *in,
                                          fftwf_complex *out, int sign, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_guru64_dft_r2c(int rank, const fftwf_iodim64 *dims, int batch_rank,
                                              const fftwf_iodim64 *batch_dims, float *in,
                                              fftwf_complex *out, unsigned flags);
fftwf_plan CUFFTAPI fftwf_plan_guru64_dft_c2r(int rank, const fftwf_iodim64 *dims, int batch_rank,
                                              const fftwf_iodim64 *batch_dims, fftwf_complex *in,
                                              float *out, unsigned flags);
void CUFFTAPI fftwf_execute(const fftw_plan plan);
void CUFFTAPI fftwf_execute_dft(const fftwf_plan plan, fftwf_complex *idata, fftwf_complex *odata);
void CUFFTAPI fftwf_execute_dft_r2c(const fftwf_plan plan, float *idata, fftwf_complex *odata);
void CUFFTAPI fftwf_execute_dft_c2r(const fftwf_plan plan, fftwf_complex *idata, float *odata);
void CUFFTAPI *fftwf_malloc(size_t n);
void CUFFTAPI fftwf_free(void *pointer);
void CUFFTAPI fftwf_export_wisdom_to_file(FILE *output_file);
int CUFFTAPI fftwf_import_wisdom_from_file(FILE *input_file);
void CUFFTAPI fftwf_print_plan(const fftwf_plan plan);
void CUFFTAPI fftwf_set_timelimit(double seconds);
double CUFFTAPI fftwf_cost(const fftw_plan plan);
void CUFFTAPI fftwf_flops(const fftw_plan plan, double *add, double *mul, double *fma);
void CUFFTAPI fftwf_destroy_plan(fftwf_plan plan);
void CUFFTAPI fftwf_cleanup(void);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* Plans: what a call asks for, the checks of it, and the table of handles. */
#ifndef CUFFT_PLAN_H
#define CUFFT_PLAN_H

#include "engine.h"

#include <cuda.h>
#include <cufft.h>
#include <cufftXt.h>

enum { FFT_MAX_RANK = 3, FFT_MAX_GPUS = 16 };

/* A plan as the functions of the API describe it; numbers are int, or long long if `wide`. */
struct fft_many {
    bool type_known; /* false: the rest says nothing about the type */
    enum fft_kind kind;
    enum fft_precision precision;
    bool wide;
    int rank;
    const void *n;
    const void *in_embed;
    long long in_stride, in_distance;
    const void *out_embed;
    long long out_stride, out_distance;
    long long batch;
};

/* One side of a checked request. */
struct fft_side {
    long long embed[FFT_MAX_RANK], stride, distance;
};

struct fft_request {
    enum fft_kind kind;
    enum fft_precision precision;
    int rank;
    long long n[FFT_MAX_RANK]; /* at least 1 each */
    bool embedded;             /* false: dense arrays, and the sides are unused */
    struct fft_side in, out;
    long long batch;
    bool empty; /* accepted, but nothing is computed */
};

struct fft_plan {
    bool made;
    struct fft_request request;
    size_t work_bytes;
    bool allocates;       /* the plan has a work area of its own; true unless set */
    CUdeviceptr own_area; /* 0: none */
    void *area;           /* the program's; NULL: none */
    CUstream stream;
    long long patient_jit;
    int gpu_count; /* 0: the current device */
    int gpus[FFT_MAX_GPUS];
};

/* Sets the type of a request. */
void fft_set_type(struct fft_many *many, cufftType type);
void fft_set_data_types(struct fft_many *many, cudaDataType in, cudaDataType out,
                        cudaDataType execution);

/* Checks a request, the type excepted, in the order in which NVIDIA's library complains. */
cufftResult fft_check(const struct fft_many *many, struct fft_request *request);

/* The bytes of the work area. */
size_t fft_work_bytes(const struct fft_request *request);

/* The transform of a request; `in_place` matters to dense real arrays. The pointers are NULL. */
void fft_describe(const struct fft_request *request, bool in_place, bool forward,
                  struct fft_transform *transform);

/* The number of elements that are transformed, all batches together. */
double fft_elements(const struct fft_request *request);

/* Handles: small numbers from 1. */
cufftResult fft_handle_create(cufftHandle *handle);
struct fft_plan *fft_handle_find(cufftHandle handle); /* NULL: there is none */
cufftResult fft_handle_destroy(cufftHandle handle);

/* Makes a plan of a request. Without memory for the work area: CUFFT_INTERNAL_ERROR. */
cufftResult fft_make(struct fft_plan *plan, const struct fft_request *request);

#endif

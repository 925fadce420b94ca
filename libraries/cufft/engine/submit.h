/* SPDX-License-Identifier: MIT */
/* A transform as work of a stream. */
#ifndef CUFFT_SUBMIT_H
#define CUFFT_SUBMIT_H

#include "engine.h"

#include <cuda.h>

/* Submits a transform, whose pointers are set, under the name of the function of the API. */
CUresult fft_submit(const char *name, CUstream stream, const struct fft_transform *transform);

/* The same for arrays of which one may be memory of the host: waits for the transform. */
CUresult fft_submit_and_wait(const char *name, const struct fft_transform *transform);

/* True if the device can reach the address. */
bool fft_device_reaches(const void *address);

#endif

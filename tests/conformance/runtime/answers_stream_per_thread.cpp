/* SPDX-License-Identifier: MIT */
/* Section 5 again with the per-thread default stream. */
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#endif
#include "answers_stream.cpp"

/* SPDX-License-Identifier: MIT */
/* The functions of the profilers take one structure each. Its first member is its size, as the
 * program knows it: one that is smaller than this library's is of an older version, which CUDA 13
 * does not have. */
#ifndef CUPTI_PARAMS_H
#define CUPTI_PARAMS_H

#define PROFILER_PARAMS_GIVEN(params, type) ((params) && (params)->structSize >= type##_STRUCT_SIZE)
#define SAMPLING_PARAMS_GIVEN(params, type) ((params) && (params)->size >= type##Size)

#endif

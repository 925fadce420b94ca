/* SPDX-License-Identifier: MIT */
/*
 * The driver API's switches for an attached profiler.
 */
#ifndef cuda_profiler_H
#define cuda_profiler_H

#include <cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Output of the former profiler. */
typedef enum CUoutput_mode_enum {
    CU_OUT_KEY_VALUE_PAIR = 0,
    CU_OUT_CSV            = 1
} CUoutput_mode;

CUresult CUDAAPI cuProfilerInitialize(const char *configFile, const char *outputFile,
        CUoutput_mode outputMode);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

#ifdef __cplusplus
}
#endif

#endif

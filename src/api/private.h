/* SPDX-License-Identifier: MIT */
/* Exported functions that no public header declares: NVIDIA's debugger and EGL call them. Their
 * arguments are known only as far as they matter here. scripts/entrypoints.py reads this file. */
#ifndef CUP_API_PRIVATE_H
#define CUP_API_PRIVATE_H

#include <cuda.h>

CUresult CUDAAPI cuEGLApiInit(void *first, void *second, void *third, void *fourth, void *fifth,
                              void *sixth);
CUresult CUDAAPI cuMemGetAttribute(void *first, void *second, void *third);
CUresult CUDAAPI cuMemGetAttribute_v2(void *first, void *second, void *third);

/* The results of these are numbers of the debugger's interface (api/debugger.c). */
CUresult CUDAAPI cudbgApiAttach(void);
CUresult CUDAAPI cudbgApiDetach(void);
CUresult CUDAAPI cudbgApiInit(unsigned int flags);
CUresult CUDAAPI cudbgGetAPI(unsigned int major, unsigned int minor, unsigned int revision,
                             const void **api);
CUresult CUDAAPI cudbgGetAPIVersion(unsigned int *major, unsigned int *minor,
                                    unsigned int *revision);
CUresult CUDAAPI cudbgMain(void);
CUresult CUDAAPI cudbgReportDriverApiError(void);
CUresult CUDAAPI cudbgReportDriverInternalError(void);

#endif

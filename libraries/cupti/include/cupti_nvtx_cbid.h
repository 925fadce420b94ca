/* SPDX-License-Identifier: MIT */
/* The callback ids of NVTX's functions. */
#ifndef CUPTI_NVTX_CBID_H
#define CUPTI_NVTX_CBID_H

typedef enum {
    CUPTI_CBID_NVTX_INVALID = 0,
#define CUPTI_CALLBACK(number, name) CUPTI_CBID_NVTX_##name = number,
#include "cupti_nvtx_cbid.def"
#undef CUPTI_CALLBACK
    CUPTI_CBID_NVTX_SIZE,
    CUPTI_CBID_NVTX_FORCE_INT = 0x7fffffff
} CUpti_nvtx_api_trace_cbid;

#endif

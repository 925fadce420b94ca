/* SPDX-License-Identifier: MIT */
/* The callback ids of the runtime's functions. */
#ifndef CUPTI_RUNTIME_CBID_H
#define CUPTI_RUNTIME_CBID_H

typedef enum CUpti_runtime_api_trace_cbid_enum {
    CUPTI_RUNTIME_TRACE_CBID_INVALID = 0,
#define CUPTI_CALLBACK(number, name) CUPTI_RUNTIME_TRACE_CBID_##name = number,
#include "cupti_runtime_cbid.def"
#undef CUPTI_CALLBACK
    CUPTI_RUNTIME_TRACE_CBID_SIZE,
    CUPTI_RUNTIME_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_runtime_api_trace_cbid;

#endif

/* SPDX-License-Identifier: MIT */
/* The callback ids of the driver's functions. */
#ifndef CUPTI_DRIVER_CBID_H
#define CUPTI_DRIVER_CBID_H

typedef enum CUpti_driver_api_trace_cbid_enum {
    CUPTI_DRIVER_TRACE_CBID_INVALID = 0,
#define CUPTI_CALLBACK(number, name) CUPTI_DRIVER_TRACE_CBID_##name = number,
#include "cupti_driver_cbid.def"
#undef CUPTI_CALLBACK
    CUPTI_DRIVER_TRACE_CBID_SIZE,
    CUPTI_DRIVER_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_driver_api_trace_cbid;

#endif

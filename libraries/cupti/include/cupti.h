/* SPDX-License-Identifier: MIT */
/* CUPTI: what profilers ask of CUDA. Activities tell what has happened, callbacks are called while
 * it happens. */
#ifndef CUPTI_H
#define CUPTI_H

#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_nvtx_cbid.h>
#include <cupti_result.h>
#include <cupti_runtime_cbid.h>
#include <cupti_version.h>

#endif

/* SPDX-License-Identifier: MIT */
#ifndef CUPTI_VERSION_H
#define CUPTI_VERSION_H

#include <cupti_result.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUPTI_API_VERSION 130001

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t *version);

#ifdef __cplusplus
}
#endif

#endif

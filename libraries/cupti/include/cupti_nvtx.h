/* SPDX-License-Identifier: MIT */
/* The functions by which NVTX, and injections of tools, reach CUPTI. NVIDIA's headers leave them to
 * the tools to declare. */
#ifndef CUPTI_NVTX_H
#define CUPTI_NVTX_H

#include <cupti_result.h>

#ifdef __cplusplus
extern "C" {
#endif

int InitializeInjectionNvtx2(const void *get_table);
int InitializeInjectionNvtxExtension(const void *extension);
CUptiResult CUPTIAPI cuptiNvtxInitialize2(void *pfnGetExportTable);
CUptiResult CUPTIAPI cuptiNvtxExtensionInitialize(void *moduleInfo);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* Memory for signals. */
#ifndef NPPS_SUPPORT_FUNCTIONS_H
#define NPPS_SUPPORT_FUNCTIONS_H

#include "nppdefs.h"

#ifdef __cplusplus
extern "C" {
#endif

Npp16s *nppsMalloc_16s(size_t size);
Npp16sc *nppsMalloc_16sc(size_t size);
Npp16u *nppsMalloc_16u(size_t size);
Npp32f *nppsMalloc_32f(size_t size);
Npp32fc *nppsMalloc_32fc(size_t size);
Npp32s *nppsMalloc_32s(size_t size);
Npp32sc *nppsMalloc_32sc(size_t size);
Npp32u *nppsMalloc_32u(size_t size);
Npp64f *nppsMalloc_64f(size_t size);
Npp64fc *nppsMalloc_64fc(size_t size);
Npp64s *nppsMalloc_64s(size_t size);
Npp64sc *nppsMalloc_64sc(size_t size);
Npp8s *nppsMalloc_8s(size_t size);
Npp8u *nppsMalloc_8u(size_t size);
void nppsFree(void *data);

#ifdef __cplusplus
}
#endif

#endif

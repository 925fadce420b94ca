/* SPDX-License-Identifier: MIT */
/* Memory for images: rows begin at addresses that the device reads fast. */
#ifndef NPPI_SUPPORT_FUNCTIONS_H
#define NPPI_SUPPORT_FUNCTIONS_H

#include "nppdefs.h"

#ifdef __cplusplus
extern "C" {
#endif

Npp16s *nppiMalloc_16s_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp16s *nppiMalloc_16s_C2(int width_pixels, int height_pixels, int *step_bytes);
Npp16s *nppiMalloc_16s_C4(int width_pixels, int height_pixels, int *step_bytes);
Npp16sc *nppiMalloc_16sc_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp16sc *nppiMalloc_16sc_C2(int width_pixels, int height_pixels, int *step_bytes);
Npp16sc *nppiMalloc_16sc_C3(int width_pixels, int height_pixels, int *step_bytes);
Npp16sc *nppiMalloc_16sc_C4(int width_pixels, int height_pixels, int *step_bytes);
Npp16u *nppiMalloc_16u_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp16u *nppiMalloc_16u_C2(int width_pixels, int height_pixels, int *step_bytes);
Npp16u *nppiMalloc_16u_C3(int width_pixels, int height_pixels, int *step_bytes);
Npp16u *nppiMalloc_16u_C4(int width_pixels, int height_pixels, int *step_bytes);
Npp32f *nppiMalloc_32f_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp32f *nppiMalloc_32f_C2(int width_pixels, int height_pixels, int *step_bytes);
Npp32f *nppiMalloc_32f_C3(int width_pixels, int height_pixels, int *step_bytes);
Npp32f *nppiMalloc_32f_C4(int width_pixels, int height_pixels, int *step_bytes);
Npp32fc *nppiMalloc_32fc_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp32fc *nppiMalloc_32fc_C2(int width_pixels, int height_pixels, int *step_bytes);
Npp32fc *nppiMalloc_32fc_C3(int width_pixels, int height_pixels, int *step_bytes);
Npp32fc *nppiMalloc_32fc_C4(int width_pixels, int height_pixels, int *step_bytes);
Npp32s *nppiMalloc_32s_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp32s *nppiMalloc_32s_C3(int width_pixels, int height_pixels, int *step_bytes);
Npp32s *nppiMalloc_32s_C4(int width_pixels, int height_pixels, int *step_bytes);
Npp32sc *nppiMalloc_32sc_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp32sc *nppiMalloc_32sc_C2(int width_pixels, int height_pixels, int *step_bytes);
Npp32sc *nppiMalloc_32sc_C3(int width_pixels, int height_pixels, int *step_bytes);
Npp32sc *nppiMalloc_32sc_C4(int width_pixels, int height_pixels, int *step_bytes);
Npp8u *nppiMalloc_8u_C1(int width_pixels, int height_pixels, int *step_bytes);
Npp8u *nppiMalloc_8u_C2(int width_pixels, int height_pixels, int *step_bytes);
Npp8u *nppiMalloc_8u_C3(int width_pixels, int height_pixels, int *step_bytes);
Npp8u *nppiMalloc_8u_C4(int width_pixels, int height_pixels, int *step_bytes);
void nppiFree(void *data);

#ifdef __cplusplus
}
#endif

#endif

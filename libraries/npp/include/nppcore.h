/* SPDX-License-Identifier: MIT */
/* What all of NPP shares: its version, and the stream of functions without a context. */
#ifndef NPPCORE_H
#define NPPCORE_H

#include "nppdefs.h"

#ifdef __cplusplus
extern "C" {
#endif

const NppLibraryVersion *nppGetLibVersion(void);

/* Of CUDA 12. */
NppStatus nppGetStreamContext(NppStreamContext *context);
cudaStream_t nppGetStream(void);
NppStatus nppSetStream(cudaStream_t stream);
unsigned int nppGetStreamNumSMs(void);
unsigned int nppGetStreamMaxThreadsPerSM(void);
int nppGetGpuNumSMs(void);
int nppGetMaxThreadsPerBlock(void);
int nppGetMaxThreadsPerSM(void);
int nppGetGpuDeviceProperties(int *max_threads_per_sm, int *max_threads_per_block, int *sm_count);
const char *nppGetGpuName(void);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* The tool that CUDA_INJECTION64_PATH names: a profiler that is loaded into the program. */
#ifndef CUP_API_INJECTION_H
#define CUP_API_INJECTION_H

/* Loads the tool, if there is one, and lets it start. The driver is ready, and the caller holds no
 * lock, because the tool calls CUDA. */
void cup_api_injection_start(void);

#endif

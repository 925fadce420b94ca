/* SPDX-License-Identifier: MIT */
/* What the groups about stream capture share. */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include "graphs.h"

extern const char *const mode_names[3];
void launch_kernel(CUstream stream, int kernel, CUdeviceptr p, unsigned n, unsigned v);
/* Undoes what a case left behind: ends the captures of all streams. */
void captures_end(void);
/* Allocates and frees memory, which some captures do not allow. */
CUresult allocate(void *unused);

#endif

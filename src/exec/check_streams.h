/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams: what kernels touch. */
#ifndef CUP_EXEC_CHECK_STREAMS_H
#define CUP_EXEC_CHECK_STREAMS_H

#include "exec/check.h"

void cup_kcheck_streams_access(const struct cup_kcheck_access *access);
void cup_kcheck_streams_sync(const struct cup_kcheck_sync *sync);

#endif

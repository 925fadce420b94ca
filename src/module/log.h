/* SPDX-License-Identifier: MIT */
/* Messages for the JIT log that the application receives. */
#ifndef CUP_MODULE_LOG_H
#define CUP_MODULE_LOG_H

#include "core/log.h"
#include "ptx/program.h"

#define CUP_MODULE_WAY_OUT                                                                         \
    "build with PTX too, for instance nvcc -gencode arch=compute_90,code=compute_90, or use "      \
    "cupipe's ptxas, libnvJitLink and libnvrtc (docs/CUBINS.md)"

void cup_module_log(struct ptx_log *log, const char *format, ...) CUP_PRINTF(2, 3);

/* The same for an image without code that can run here. The first one of a process also goes to the
 * library's log as an error, because most programs show only the error number. */
void cup_module_log_no_binary(struct ptx_log *log, const char *format, ...) CUP_PRINTF(2, 3);

#endif

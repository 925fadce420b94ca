/* SPDX-License-Identifier: MIT */
/* Adding a line to the log that a compile hands back to the program. */
#ifndef CUP_MODULE_LOG_H
#define CUP_MODULE_LOG_H

#include "core/log.h"
#include "ptx/program.h"

#define CUP_MODULE_WAY_OUT                                                                         \
    "build with PTX too, for instance nvcc -gencode arch=compute_90,code=compute_90"

void cup_module_log(struct ptx_log *log, const char *format, ...) CUP_PRINTF(2, 3);

/* The same, for an image with nothing in it that can run here. The first one of a process goes to
 * the library's own log, too, as an error: most programs show the number of the error alone. */
void cup_module_log_no_binary(struct ptx_log *log, const char *format, ...) CUP_PRINTF(2, 3);

#endif

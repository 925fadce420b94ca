/* SPDX-License-Identifier: MIT */
/* Adding a line to the log that a compile hands back to the program. */
#ifndef CUP_MODULE_LOG_H
#define CUP_MODULE_LOG_H

#include "core/log.h"
#include "ptx/program.h"

void cup_module_log(struct ptx_log *log, const char *format, ...) CUP_PRINTF(2, 3);

#endif

/* SPDX-License-Identifier: MIT */
/* The exit statuses of cupipe-smi: those that nvidia-smi documents. */
#ifndef SMI_H
#define SMI_H

enum {
    SMI_NO_NVML = 1,
    SMI_WRONG_USE = 2,
    SMI_NOT_FOUND = 6, /* there is no such device */
    SMI_UNKNOWN_OPTION = 255,
};

#endif

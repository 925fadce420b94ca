/* SPDX-License-Identifier: MIT */
/* The exit statuses of cupipe-smi, which are those that nvidia-smi documents, and its names for
 * versions. */
#ifndef SMI_H
#define SMI_H

enum {
    SMI_NO_NVML = 1,
    SMI_WRONG_USE = 2,
    SMI_NOT_FOUND = 6, /* there is no such device */
    SMI_UNKNOWN_OPTION = 255,
};

/* The CUDA version since which nvidia-smi calls the versions of driver and CUDA "KMD" and "CUDA
 * UMD"; cupipe-smi then writes both names. */
enum { SMI_TWO_NAMES_SINCE = 13030 };

#endif

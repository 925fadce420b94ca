/* SPDX-License-Identifier: MIT */
/* The folder of the kernel cache: its path, the check of its permissions, and its size limit. */
#ifndef CUP_EXEC_CODE_CACHE_FOLDER_H
#define CUP_EXEC_CODE_CACHE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

#define CUP_CACHE_TEMPORARY ".new-"

enum { CUP_CACHE_TRIM_INTERVAL = 16 }; /* a process checks the size about once per so many writes */

/* The path of the folder, whether it exists or not; NULL: there is none. It stays valid. */
const char *cup_cache_folder_path(void);

/* Whether kernels may be found there. */
bool cup_cache_has_folder(void);

/* Opens the folder and creates it if `create` is set. Returns -1 if there is no usable folder. */
int cup_cache_open_folder(bool create);

/* True if the folder or file belongs to this user and nobody else can write to it. */
bool cup_cache_trusted(const struct stat *status);

/* Removes the least recently used files if the folder is too large, and stale temporary files. */
void cup_cache_trim(int folder);

#endif

/* SPDX-License-Identifier: MIT */
/* The folder of the kernel cache: its path, the check of its permissions, and its size limit. */
#ifndef CUP_EXEC_CODE_CACHE_FOLDER_H
#define CUP_EXEC_CODE_CACHE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

#define CUP_CACHE_TEMPORARY ".new-"

enum { CUP_CACHE_TRIM_INTERVAL = 16 }; /* a process checks the size about once per so many writes */

/* Compiled kernels are kept in one folder of the user. Where that cannot be written (a read-only
 * home, no home), new ones go to a folder among temporary files, the other folder. */
enum cup_cache_use {
    CUP_CACHE_READ,       /* the user's folder */
    CUP_CACHE_READ_OTHER, /* the other folder */
    CUP_CACHE_WRITE,      /* the first of them that can be written, made if need be */
};

/* The path of the folder that CUP_CACHE_WRITE opened last; before that, of the user's folder,
 * whether it exists or not. NULL: there is none. It stays valid. */
const char *cup_cache_folder_path(void);

/* Whether kernels may be found in one of them. */
bool cup_cache_has_folder(void);

/* Opens a folder. Returns -1 if there is none that may be used. The first time that new kernels
 * cannot go where the user expects them, one line on stderr says why and where they go. */
int cup_cache_open_folder(enum cup_cache_use use);

/* True if the folder or file belongs to this user and nobody else can write to it. */
bool cup_cache_trusted(const struct stat *status);

/* Removes the least recently used files if the folder is too large, and stale temporary files. */
void cup_cache_trim(int folder);

#endif

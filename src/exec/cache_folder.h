/* SPDX-License-Identifier: MIT */
/* The folder of compiled kernels: where it is, whether it can be trusted, and that it stays small.
 */
#ifndef CUP_EXEC_CACHE_FOLDER_H
#define CUP_EXEC_CACHE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

#define CUP_CACHE_TEMPORARY ".new-"

enum { CUP_CACHE_TRIM_INTERVAL = 16 }; /* writes of a process between two looks at the size */

/* A descriptor of the folder, made if asked for; -1: there is none to be used. */
int cup_cache_open_folder(bool create);

/* Does it belong to this user, and can nobody else write to it? */
bool cup_cache_trusted(const struct stat *status);

/* Removes what has not been used for longest when there is too much, and what was never finished.
 */
void cup_cache_trim(int folder);

#endif

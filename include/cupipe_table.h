/* SPDX-License-Identifier: MIT */
/* The way to the driver's private tables, for all who use one: libraries of cupipe, the module for
 * PyTorch, programs. A table is laid out as in the build that the driver is of. So who was built
 * with other declarations of it gets none, and can say why. */
#ifndef CUPIPE_TABLE_H
#define CUPIPE_TABLE_H

#include <cuda.h>
#include <cupipe.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Why there is no table. Empty: the driver is not cupipe's. */
struct cupipe_refusal {
    char text[1024];
};

typedef CUresult(CUDAAPI *cupipe_get_export_table)(const void **table, const CUuuid *id);

/* The file of the program or library that a function is in; needs _GNU_SOURCE. */
static inline const char *cupipe_file_of(uintptr_t function)
{
    Dl_info where;

    return dladdr((void *)function, &where) && where.dli_fname ? where.dli_fname : "a program";
}

/* The table of `bytes` with this id, of the driver whose cuGetExportTable `get` is. It stays valid as
 * long as the driver is loaded. NULL: there is none. */
static inline const void *cupipe_find_table(cupipe_get_export_table get, const CUuuid *id,
                                            size_t bytes, struct cupipe_refusal *why)
{
    const struct cupipe_table_head *head;
    const void *found = NULL;

    why->text[0] = '\0';
    if (get(&found, id) != CUDA_SUCCESS || !found)
        return NULL;
    head = (const struct cupipe_table_head *)found;
    if (head->bytes == bytes && strcmp(head->interface, CUPIPE_INTERFACE) == 0)
        return found;
    snprintf(why->text, sizeof(why->text),
             "%.400s is not of the same build of cupipe as the driver %.400s, which is of cupipe %.20s "
             "(interface " CUPIPE_INTERFACE " of %zu bytes, not %.20s of %zu): install both from one "
             "package",
             cupipe_file_of((uintptr_t)&cupipe_find_table), cupipe_file_of((uintptr_t)get),
             head->version, bytes, head->interface, head->bytes);
    return NULL;
}

#endif

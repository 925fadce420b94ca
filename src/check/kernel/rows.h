/* SPDX-License-Identifier: MIT */
/* Accesses that compiled code tells of once for a whole loop (struct cup_abi_rows). */
#ifndef CUP_CHECK_KERNEL_ROWS_H
#define CUP_CHECK_KERNEL_ROWS_H

#include "abi/check.h"

struct cup_abi_block;
struct cup_kcheck_access;

/* The accesses of a warp. No index wraps in it: `rows` has an even step throughout, which is 0 if
 * there is one iteration. */
struct cup_kcheck_rows {
    struct cup_abi_block *block;
    uint32_t warp, mask;
    const struct cup_abi_rows *rows;
};

/* Calls the function for each part of the rows in which no index wraps. */
void cup_kcheck_rows_split(const struct cup_kcheck_rows *rows,
                           void (*each)(const struct cup_kcheck_rows *part));

/* Calls the function for each iteration, in order, as if it had reported its access by itself. */
void cup_kcheck_rows_expand(const struct cup_kcheck_rows *rows,
                            void (*each)(const struct cup_kcheck_access *access));

#endif

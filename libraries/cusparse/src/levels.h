/* SPDX-License-Identifier: MIT */
/* The levels of a triangular system: the rows of a level need only rows of levels before it, so
 * they are solved at once. The analysis makes them; solves share them. */
#ifndef CUSPARSE_LEVELS_H
#define CUSPARSE_LEVELS_H

#include "typed/typed.h"

/* Rows that follow each other in the order of levels: one wide level, or several narrow ones, which
 * one thread solves. */
struct sparse_level_group {
    int64_t begin, end; /* in `order` */
    bool wide;
};

struct sparse_levels;

/* No levels yet, with one owner; NULL without memory. */
struct sparse_levels *sparse_levels_create(void);
struct sparse_levels *sparse_levels_reference(struct sparse_levels *levels);
void sparse_levels_release(struct sparse_levels *levels); /* NULL is ignored */

/* Makes the levels of a matrix in place of those there are. There are none if the system is
 * transposed, if no level is wide, or if there is one processor. */
CUresult sparse_levels_make(struct sparse_levels *levels, const struct cusparseSpMatDescr *matrix,
                            const struct sparse_view *view, const struct sparse_triangle *triangle);

/* The groups and the order of rows, if the levels are of this system; else 0. */
int64_t sparse_levels_of(const struct sparse_levels *levels,
                         const struct cusparseSpMatDescr *matrix,
                         const struct sparse_triangle *triangle,
                         const struct sparse_level_group **groups, const int64_t **order);

#endif

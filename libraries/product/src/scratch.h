/* SPDX-License-Identifier: MIT */
/* Memory for packed panels and sums. Each thread keeps the last block that it gave back, since
 * large blocks fresh from the system cost more than the product that needs them. */
#ifndef PRODUCT_SCRATCH_H
#define PRODUCT_SCRATCH_H

#include <stddef.h>

/* Returns `bytes` aligned to a page, not zeroed, or NULL. */
void *scratch_take(size_t bytes);

/* Gives it back; NULL is ignored. */
void scratch_give(void *memory);

#endif

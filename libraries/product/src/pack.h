/* SPDX-License-Identifier: MIT */
/* Packing of an operand into panels (isa.h). */
#ifndef PRODUCT_PACK_H
#define PRODUCT_PACK_H

#include "types.h"

/* What f32 elements lose before they are multiplied. */
enum product_rounding { ROUND_NOT, ROUND_TF32, ROUND_BF16, ROUND_F16 };

struct packing {
    const struct product_isa *isa;
    enum product_form form;
    enum product_rounding rounding;
    cudaDataType_t type;
    bool left;    /* a panel of the left operand */
    size_t width; /* rows or columns of a panel */
    size_t k;
    const void *source;
    size_t count;          /* rows or columns of the source */
    int64_t across, along; /* elements between rows or columns, and along k; one of them is 1 */
    size_t panels;
    const struct product_scales *scales; /* NULL: blocks have no factors */
    int64_t first_line; /* the row or column of the matrix that is the first here */
    /* Set by packing_finish(). */
    size_t units; /* of k */
    size_t unit_elements;
    size_t chunks;
    size_t panel_bytes;
    void *packed;
};

/* Computes what follows from the form, the width and k. */
void packing_finish(struct packing *packing);

/* Packs a part; parts are independent. */
size_t packing_parts(const struct packing *packing);
void packing_run(void *packing, size_t part);

/* Where a panel has a unit of k, which is a multiple of 16. */
static inline const void *packed_at(const struct packing *packing, size_t panel, size_t unit)
{
    return (const char *)packing->packed + panel * packing->panel_bytes + unit * packing->width * 4;
}

#endif

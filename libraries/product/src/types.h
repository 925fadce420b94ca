/* SPDX-License-Identifier: MIT */
/* Element types: their sizes, and lines of elements to and from f32. */
#ifndef PRODUCT_TYPES_H
#define PRODUCT_TYPES_H

#include "isa.h"
#include "product/product.h"

/* Converts `count` elements that lie `stride` elements apart. */
void product_to_f32(const struct product_isa *isa, float *out, cudaDataType_t type, const void *in,
                    int64_t stride, size_t count);

/* Converts and rounds to nearest even. s8 and fp8 are saturated. */
void product_from_f32(const struct product_isa *isa, void *out, cudaDataType_t type,
                      const float *in, int64_t stride, size_t count);

bool product_type_is_complex(cudaDataType_t type);

/* The real type of a complex one's parts; a real type is its own. */
cudaDataType_t product_real_type(cudaDataType_t type);

static inline const void *product_at(const void *base, int64_t elements, size_t bytes)
{
    return (const char *)base + elements * (int64_t)bytes;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Arrays: handles are the driver's; channel descriptors become the driver's formats and back. */
#ifndef RT_ARRAY_H
#define RT_ARRAY_H

#include "driver.h"
#include "driver_types.h"

#include <stdint.h>

static inline CUarray rt_array_handle(cudaArray_const_t array)
{
    return (CUarray)(uintptr_t)array;
}

static inline CUmipmappedArray rt_mipmap_handle(cudaMipmappedArray_const_t mipmap)
{
    return (CUmipmappedArray)(uintptr_t)mipmap;
}

/* Returns cudaErrorInvalidChannelDescriptor if the driver has no such format. */
cudaError_t rt_array_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
                            unsigned *channels);
struct cudaChannelFormatDesc rt_array_channels(CUarray_format format, unsigned channels);

size_t rt_array_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);

#endif

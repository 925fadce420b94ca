/* SPDX-License-Identifier: MIT */
/* Channel descriptors and the driver's array formats: one table, read in both directions. */
#include "array.h"

struct format {
    enum cudaChannelFormatKind kind;
    CUarray_format driver;
    int bits[4]; /* of special formats; plain ones have equal channels of bits[0] */
    unsigned channels;
    size_t bytes; /* of an element; 0: the bits of the channels */
};

/* Plain formats: 1, 2 or 4 channels of the same width. */
static const struct format plain[] = {
    {cudaChannelFormatKindSigned, CU_AD_FORMAT_SIGNED_INT8, {8}, 0, 0},
    {cudaChannelFormatKindSigned, CU_AD_FORMAT_SIGNED_INT16, {16}, 0, 0},
    {cudaChannelFormatKindSigned, CU_AD_FORMAT_SIGNED_INT32, {32}, 0, 0},
    {cudaChannelFormatKindUnsigned, CU_AD_FORMAT_UNSIGNED_INT8, {8}, 0, 0},
    {cudaChannelFormatKindUnsigned, CU_AD_FORMAT_UNSIGNED_INT16, {16}, 0, 0},
    {cudaChannelFormatKindUnsigned, CU_AD_FORMAT_UNSIGNED_INT32, {32}, 0, 0},
    {cudaChannelFormatKindFloat, CU_AD_FORMAT_HALF, {16}, 0, 0},
    {cudaChannelFormatKindFloat, CU_AD_FORMAT_FLOAT, {32}, 0, 0},
};

/* Three channels in two or three planes. */
#define PLANES(kind, format, width)                                                                \
    {                                                                                              \
        cudaChannelFormatKindUnsigned##kind, CU_AD_FORMAT_##format, {width, width, width, 0}, 3,   \
            (width) / 8                                                                            \
    }

/* Formats that a kind names as a whole. */
static const struct format special[] = {
    {cudaChannelFormatKindNV12, CU_AD_FORMAT_NV12, {8, 8, 8, 0}, 3, 1},
    {cudaChannelFormatKindUnsignedNormalized8X1, CU_AD_FORMAT_UNORM_INT8X1, {8}, 1, 0},
    {cudaChannelFormatKindUnsignedNormalized8X2, CU_AD_FORMAT_UNORM_INT8X2, {8, 8}, 2, 0},
    {cudaChannelFormatKindUnsignedNormalized8X4, CU_AD_FORMAT_UNORM_INT8X4, {8, 8, 8, 8}, 4, 0},
    {cudaChannelFormatKindUnsignedNormalized16X1, CU_AD_FORMAT_UNORM_INT16X1, {16}, 1, 0},
    {cudaChannelFormatKindUnsignedNormalized16X2, CU_AD_FORMAT_UNORM_INT16X2, {16, 16}, 2, 0},
    {cudaChannelFormatKindUnsignedNormalized16X4,
     CU_AD_FORMAT_UNORM_INT16X4,
     {16, 16, 16, 16},
     4,
     0},
    {cudaChannelFormatKindSignedNormalized8X1, CU_AD_FORMAT_SNORM_INT8X1, {8}, 1, 0},
    {cudaChannelFormatKindSignedNormalized8X2, CU_AD_FORMAT_SNORM_INT8X2, {8, 8}, 2, 0},
    {cudaChannelFormatKindSignedNormalized8X4, CU_AD_FORMAT_SNORM_INT8X4, {8, 8, 8, 8}, 4, 0},
    {cudaChannelFormatKindSignedNormalized16X1, CU_AD_FORMAT_SNORM_INT16X1, {16}, 1, 0},
    {cudaChannelFormatKindSignedNormalized16X2, CU_AD_FORMAT_SNORM_INT16X2, {16, 16}, 2, 0},
    {cudaChannelFormatKindSignedNormalized16X4, CU_AD_FORMAT_SNORM_INT16X4, {16, 16, 16, 16}, 4, 0},
    {cudaChannelFormatKindUnsignedBlockCompressed1, CU_AD_FORMAT_BC1_UNORM, {8, 8, 8, 8}, 4, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed1SRGB,
     CU_AD_FORMAT_BC1_UNORM_SRGB,
     {8, 8, 8, 8},
     4,
     8},
    {cudaChannelFormatKindUnsignedBlockCompressed2, CU_AD_FORMAT_BC2_UNORM, {8, 8, 8, 8}, 4, 16},
    {cudaChannelFormatKindUnsignedBlockCompressed2SRGB,
     CU_AD_FORMAT_BC2_UNORM_SRGB,
     {8, 8, 8, 8},
     4,
     16},
    {cudaChannelFormatKindUnsignedBlockCompressed3, CU_AD_FORMAT_BC3_UNORM, {8, 8, 8, 8}, 4, 16},
    {cudaChannelFormatKindUnsignedBlockCompressed3SRGB,
     CU_AD_FORMAT_BC3_UNORM_SRGB,
     {8, 8, 8, 8},
     4,
     16},
    {cudaChannelFormatKindUnsignedBlockCompressed4, CU_AD_FORMAT_BC4_UNORM, {8}, 1, 8},
    {cudaChannelFormatKindSignedBlockCompressed4, CU_AD_FORMAT_BC4_SNORM, {8}, 1, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed5, CU_AD_FORMAT_BC5_UNORM, {8, 8}, 2, 16},
    {cudaChannelFormatKindSignedBlockCompressed5, CU_AD_FORMAT_BC5_SNORM, {8, 8}, 2, 16},
    {cudaChannelFormatKindUnsignedBlockCompressed6H, CU_AD_FORMAT_BC6H_UF16, {16, 16, 16}, 3, 16},
    {cudaChannelFormatKindSignedBlockCompressed6H, CU_AD_FORMAT_BC6H_SF16, {16, 16, 16}, 3, 16},
    {cudaChannelFormatKindUnsignedBlockCompressed7, CU_AD_FORMAT_BC7_UNORM, {8, 8, 8, 8}, 4, 16},
    {cudaChannelFormatKindUnsignedBlockCompressed7SRGB,
     CU_AD_FORMAT_BC7_UNORM_SRGB,
     {8, 8, 8, 8},
     4,
     16},
    {cudaChannelFormatKindUnsignedNormalized1010102,
     CU_AD_FORMAT_UNORM_INT_101010_2,
     {10, 10, 10, 2},
     4,
     0},
    {cudaChannelFormatKindUnsigned8Packed422, CU_AD_FORMAT_UINT8_PACKED_422, {8, 8, 8, 8}, 4, 0},
    {cudaChannelFormatKindUnsigned8Packed444, CU_AD_FORMAT_UINT8_PACKED_444, {8, 8, 8, 8}, 4, 0},
    PLANES(8SemiPlanar420, UINT8_SEMIPLANAR_420, 8),
    PLANES(16SemiPlanar420, UINT16_SEMIPLANAR_420, 16),
    PLANES(8SemiPlanar422, UINT8_SEMIPLANAR_422, 8),
    PLANES(16SemiPlanar422, UINT16_SEMIPLANAR_422, 16),
    PLANES(8SemiPlanar444, UINT8_SEMIPLANAR_444, 8),
    PLANES(16SemiPlanar444, UINT16_SEMIPLANAR_444, 16),
    PLANES(8Planar420, UINT8_PLANAR_420, 8),
    PLANES(16Planar420, UINT16_PLANAR_420, 16),
    PLANES(8Planar422, UINT8_PLANAR_422, 8),
    PLANES(16Planar422, UINT16_PLANAR_422, 16),
    PLANES(8Planar444, UINT8_PLANAR_444, 8),
    PLANES(16Planar444, UINT16_PLANAR_444, 16),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* How many leading channels have `bits`; 0 if the rest is not empty. */
static unsigned count_channels(const struct cudaChannelFormatDesc *desc, int bits)
{
    const int given[] = {desc->x, desc->y, desc->z, desc->w};
    unsigned channels = 0;

    while (channels < 4 && given[channels] == bits)
        channels++;
    for (unsigned i = channels; i < 4; i++)
        if (given[i] != 0)
            return 0;
    return channels;
}

cudaError_t rt_array_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
                            unsigned *channels)
{
    for (size_t i = 0; i < COUNT(plain); i++) {
        if (plain[i].kind != desc->f || plain[i].bits[0] != desc->x)
            continue;
        *channels = count_channels(desc, desc->x);
        *format = plain[i].driver;
        return *channels == 1 || *channels == 2 || *channels == 4
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    }
    for (size_t i = 0; i < COUNT(special); i++) {
        const int *bits = special[i].bits;

        if (special[i].kind != desc->f)
            continue;
        *channels = special[i].channels;
        *format = special[i].driver;
        return bits[0] == desc->x && bits[1] == desc->y && bits[2] == desc->z && bits[3] == desc->w
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    }
    return cudaErrorInvalidChannelDescriptor;
}

struct cudaChannelFormatDesc rt_array_channels(CUarray_format format, unsigned channels)
{
    for (size_t i = 0; i < COUNT(plain); i++) {
        int bits = plain[i].bits[0];

        if (plain[i].driver == format)
            return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0,
                                                  channels > 2 ? bits : 0, channels > 3 ? bits : 0,
                                                  plain[i].kind};
    }
    for (size_t i = 0; i < COUNT(special); i++) {
        const int *bits = special[i].bits;

        if (special[i].driver == format)
            return (struct cudaChannelFormatDesc){bits[0], bits[1], bits[2], bits[3],
                                                  special[i].kind};
    }
    return (struct cudaChannelFormatDesc){0, 0, 0, 0, cudaChannelFormatKindNone};
}

size_t rt_array_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    struct cudaChannelFormatDesc desc =
        rt_array_channels(descriptor->Format, descriptor->NumChannels);

    for (size_t i = 0; i < COUNT(special); i++)
        if (special[i].driver == descriptor->Format && special[i].bytes)
            return special[i].bytes;
    return (size_t)(desc.x + desc.y + desc.z + desc.w) / 8;
}

/* SPDX-License-Identifier: MIT */
/*
 * cudaCreateChannelDesc<T>(): the format of texels of a C++ type, or of a format that has no C++
 * type. Types that texels cannot have give cudaChannelFormatKindNone.
 */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#if defined(__cplusplus)

#include "cuda_runtime_api.h"

template <class T> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

template <cudaChannelFormatKind kind>
__inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf1(void)
{
    return cudaCreateChannelDescHalf();
}

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#define CUDART_CHANNELS(key, x, y, z, w, kind)                                                     \
    template <> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<key>(void)         \
    {                                                                                              \
        return cudaCreateChannelDesc(x, y, z, w, kind);                                            \
    }

/* A scalar type and its vectors of 1, 2 and 4. */
#define CUDART_CHANNELS_OF(type, vector, bits, kind)                                               \
    CUDART_CHANNELS(type, bits, 0, 0, 0, kind)                                                     \
    CUDART_CHANNELS(vector##1, bits, 0, 0, 0, kind)                                                \
    CUDART_CHANNELS(vector##2, bits, bits, 0, 0, kind)                                             \
    CUDART_CHANNELS(vector##4, bits, bits, bits, bits, kind)

CUDART_CHANNELS(char, 8, 0, 0, 0,
                char(-1) < 0 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned)
CUDART_CHANNELS_OF(signed char, char, 8, cudaChannelFormatKindSigned)
CUDART_CHANNELS_OF(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
CUDART_CHANNELS_OF(short, short, 16, cudaChannelFormatKindSigned)
CUDART_CHANNELS_OF(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
CUDART_CHANNELS_OF(int, int, 32, cudaChannelFormatKindSigned)
CUDART_CHANNELS_OF(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
CUDART_CHANNELS_OF(float, float, 32, cudaChannelFormatKindFloat)

/* A format without a C++ type is its own kind. */
#define CUDART_CHANNELS_KIND(name, x, y, z, w)                                                     \
    CUDART_CHANNELS(cudaChannelFormatKind##name, x, y, z, w, cudaChannelFormatKind##name)

CUDART_CHANNELS_KIND(SignedNormalized8X1, 8, 0, 0, 0)
CUDART_CHANNELS_KIND(SignedNormalized8X2, 8, 8, 0, 0)
CUDART_CHANNELS_KIND(SignedNormalized8X4, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedNormalized8X1, 8, 0, 0, 0)
CUDART_CHANNELS_KIND(UnsignedNormalized8X2, 8, 8, 0, 0)
CUDART_CHANNELS_KIND(UnsignedNormalized8X4, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(SignedNormalized16X1, 16, 0, 0, 0)
CUDART_CHANNELS_KIND(SignedNormalized16X2, 16, 16, 0, 0)
CUDART_CHANNELS_KIND(SignedNormalized16X4, 16, 16, 16, 16)
CUDART_CHANNELS_KIND(UnsignedNormalized16X1, 16, 0, 0, 0)
CUDART_CHANNELS_KIND(UnsignedNormalized16X2, 16, 16, 0, 0)
CUDART_CHANNELS_KIND(UnsignedNormalized16X4, 16, 16, 16, 16)
CUDART_CHANNELS_KIND(UnsignedNormalized1010102, 10, 10, 10, 2)
CUDART_CHANNELS_KIND(NV12, 8, 8, 8, 0)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed1, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed1SRGB, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed2, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed2SRGB, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed3, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed3SRGB, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed4, 8, 0, 0, 0)
CUDART_CHANNELS_KIND(SignedBlockCompressed4, 8, 0, 0, 0)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed5, 8, 8, 0, 0)
CUDART_CHANNELS_KIND(SignedBlockCompressed5, 8, 8, 0, 0)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed6H, 16, 16, 16, 0)
CUDART_CHANNELS_KIND(SignedBlockCompressed6H, 16, 16, 16, 0)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed7, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(UnsignedBlockCompressed7SRGB, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(Unsigned8Packed422, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(Unsigned8Packed444, 8, 8, 8, 8)
CUDART_CHANNELS_KIND(Unsigned8SemiPlanar420, 8, 8, 8, 0)
CUDART_CHANNELS_KIND(Unsigned16SemiPlanar420, 16, 16, 16, 0)
CUDART_CHANNELS_KIND(Unsigned8SemiPlanar422, 8, 8, 8, 0)
CUDART_CHANNELS_KIND(Unsigned16SemiPlanar422, 16, 16, 16, 0)
CUDART_CHANNELS_KIND(Unsigned8SemiPlanar444, 8, 8, 8, 0)
CUDART_CHANNELS_KIND(Unsigned16SemiPlanar444, 16, 16, 16, 0)
CUDART_CHANNELS_KIND(Unsigned8Planar420, 8, 8, 8, 0)
CUDART_CHANNELS_KIND(Unsigned16Planar420, 16, 16, 16, 0)
CUDART_CHANNELS_KIND(Unsigned8Planar422, 8, 8, 8, 0)
CUDART_CHANNELS_KIND(Unsigned16Planar422, 16, 16, 16, 0)
CUDART_CHANNELS_KIND(Unsigned8Planar444, 8, 8, 8, 0)
CUDART_CHANNELS_KIND(Unsigned16Planar444, 16, 16, 16, 0)

#undef CUDART_CHANNELS_KIND
#undef CUDART_CHANNELS_OF
#undef CUDART_CHANNELS

#endif
#endif

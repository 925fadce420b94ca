/* SPDX-License-Identifier: MIT */
/* The table of formats. The properties were recorded from NVIDIA's driver, except for the formats
 * of CUDA 13.1, which have those of the recorded format with the same layout. */
#include "image/format.h"

#include "core/driver_version.h"

#include <stddef.h>

#define CHANNELS(n) (1 << (n))
#define ANY_CHANNELS (CHANNELS(1) | CHANNELS(2) | CHANNELS(4))

/* Any number of channels, `bytes` each. */
#define PLAIN(bytes)                                                                               \
    {                                                                                              \
        .channel_mask = ANY_CHANNELS, .channel_bytes = (bytes), .block = 1, .pair = 1              \
    }

/* Exactly `channels` channels, `bytes` together. */
#define FIXED(channels, bytes)                                                                     \
    {                                                                                              \
        .channel_mask = CHANNELS(channels), .element_bytes = (bytes), .block = 1, .pair = 1        \
    }

/* Block-compressed: blocks of 4 x 4 pixels, `bytes` each. */
#define BLOCKS(channels, bytes)                                                                    \
    {                                                                                              \
        .channel_mask = CHANNELS(channels), .element_bytes = (bytes), .block = 4, .pair = 1,       \
        .limits = CUP_FORMAT_NO_1D | CUP_FORMAT_NO_SURFACE                                         \
    }

/* Video in one plane. */
#define PACKED(channels, bytes, pixels)                                                            \
    {                                                                                              \
        .channel_mask = CHANNELS(channels), .element_bytes = (bytes), .block = 1,                  \
        .pair = (pixels), .limits = CUP_FORMAT_NO_1D | CUP_FORMAT_VIDEO                            \
    }

/* Video in several planes; the first is luma. */
#define PLANES(count, ...)                                                                         \
    {                                                                                              \
        .channel_mask = CHANNELS(3), .block = 1, .pair = 1,                                        \
        .limits = CUP_FORMAT_NO_1D | CUP_FORMAT_VIDEO, .plane_count = (count), .planes = {         \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#define U8 CU_AD_FORMAT_UNSIGNED_INT8
#define U16 CU_AD_FORMAT_UNSIGNED_INT16
#define LUMA(format)                                                                               \
    {                                                                                              \
        (format), 1, 0, 0                                                                          \
    }
#define CHROMA(format, x_shift, y_shift)                                                           \
    {                                                                                              \
        (format), 2, (x_shift), (y_shift)                                                          \
    }
#define SEMI_PLANAR(format, x_shift, y_shift)                                                      \
    PLANES(2, LUMA(format), CHROMA(format, x_shift, y_shift))
#define CHROMA_HALF(format, x_shift, y_shift)                                                      \
    {                                                                                              \
        (format), 1, (x_shift), (y_shift)                                                          \
    }
#define PLANAR(format, x_shift, y_shift)                                                           \
    PLANES(3, LUMA(format), CHROMA_HALF(format, x_shift, y_shift),                                 \
           CHROMA_HALF(format, x_shift, y_shift))

enum { FORMAT_COUNT = 256 };

static const struct cup_format formats[FORMAT_COUNT] = {
    [CU_AD_FORMAT_UNSIGNED_INT8] = PLAIN(1),
    [CU_AD_FORMAT_UNSIGNED_INT16] = PLAIN(2),
    [CU_AD_FORMAT_UNSIGNED_INT32] = PLAIN(4),
    [CU_AD_FORMAT_SIGNED_INT8] = PLAIN(1),
    [CU_AD_FORMAT_SIGNED_INT16] = PLAIN(2),
    [CU_AD_FORMAT_SIGNED_INT32] = PLAIN(4),
    [CU_AD_FORMAT_HALF] = PLAIN(2),
    [CU_AD_FORMAT_FLOAT] = PLAIN(4),
    [CU_AD_FORMAT_UNORM_INT_101010_2] = FIXED(4, 4),
    [CU_AD_FORMAT_UNORM_INT8X1] = FIXED(1, 1),
    [CU_AD_FORMAT_UNORM_INT8X2] = FIXED(2, 2),
    [CU_AD_FORMAT_UNORM_INT8X4] = FIXED(4, 4),
    [CU_AD_FORMAT_UNORM_INT16X1] = FIXED(1, 2),
    [CU_AD_FORMAT_UNORM_INT16X2] = FIXED(2, 4),
    [CU_AD_FORMAT_UNORM_INT16X4] = FIXED(4, 8),
    [CU_AD_FORMAT_SNORM_INT8X1] = FIXED(1, 1),
    [CU_AD_FORMAT_SNORM_INT8X2] = FIXED(2, 2),
    [CU_AD_FORMAT_SNORM_INT8X4] = FIXED(4, 4),
    [CU_AD_FORMAT_SNORM_INT16X1] = FIXED(1, 2),
    [CU_AD_FORMAT_SNORM_INT16X2] = FIXED(2, 4),
    [CU_AD_FORMAT_SNORM_INT16X4] = FIXED(4, 8),
    [CU_AD_FORMAT_BC1_UNORM] = BLOCKS(4, 8),
    [CU_AD_FORMAT_BC1_UNORM_SRGB] = BLOCKS(4, 8),
    [CU_AD_FORMAT_BC2_UNORM] = BLOCKS(4, 16),
    [CU_AD_FORMAT_BC2_UNORM_SRGB] = BLOCKS(4, 16),
    [CU_AD_FORMAT_BC3_UNORM] = BLOCKS(4, 16),
    [CU_AD_FORMAT_BC3_UNORM_SRGB] = BLOCKS(4, 16),
    [CU_AD_FORMAT_BC4_UNORM] = BLOCKS(1, 8),
    [CU_AD_FORMAT_BC4_SNORM] = BLOCKS(1, 8),
    [CU_AD_FORMAT_BC5_UNORM] = BLOCKS(2, 16),
    [CU_AD_FORMAT_BC5_SNORM] = BLOCKS(2, 16),
    [CU_AD_FORMAT_BC6H_UF16] = BLOCKS(3, 16),
    [CU_AD_FORMAT_BC6H_SF16] = BLOCKS(3, 16),
    [CU_AD_FORMAT_BC7_UNORM] = BLOCKS(4, 16),
    [CU_AD_FORMAT_BC7_UNORM_SRGB] = BLOCKS(4, 16),
    [CU_AD_FORMAT_NV12] = SEMI_PLANAR(U8, 1, 1),
    [CU_AD_FORMAT_P010] = SEMI_PLANAR(U16, 1, 1),
    [CU_AD_FORMAT_P016] = SEMI_PLANAR(U16, 1, 1),
    [CU_AD_FORMAT_NV16] = SEMI_PLANAR(U8, 1, 0),
    [CU_AD_FORMAT_P210] = SEMI_PLANAR(U16, 1, 0),
    [CU_AD_FORMAT_P216] = SEMI_PLANAR(U16, 1, 0),
    [CU_AD_FORMAT_YUV444_8bit_SemiPlanar] = SEMI_PLANAR(U8, 0, 0),
    [CU_AD_FORMAT_YUV444_16bit_SemiPlanar] = SEMI_PLANAR(U16, 0, 0),
    [CU_AD_FORMAT_Y444_PLANAR8] = PLANAR(U8, 0, 0),
    [CU_AD_FORMAT_Y444_PLANAR10] = PLANAR(U16, 0, 0),
    [CU_AD_FORMAT_YUY2] = PACKED(4, 4, 2),
    [CU_AD_FORMAT_Y210] = PACKED(2, 4, 1),
    [CU_AD_FORMAT_Y216] = PACKED(2, 4, 1),
    [CU_AD_FORMAT_AYUV] = PACKED(4, 4, 1),
    [CU_AD_FORMAT_Y410] = PACKED(1, 4, 1),
    [CU_AD_FORMAT_Y416] = PACKED(4, 8, 1),
    /* newer than the recorded driver: like the format above with the same layout */
    [CU_AD_FORMAT_UINT8_PACKED_422] = PACKED(4, 4, 2),
    [CU_AD_FORMAT_UINT8_PACKED_444] = PACKED(4, 4, 1),
    [CU_AD_FORMAT_UINT8_SEMIPLANAR_420] = SEMI_PLANAR(U8, 1, 1),
    [CU_AD_FORMAT_UINT16_SEMIPLANAR_420] = SEMI_PLANAR(U16, 1, 1),
    [CU_AD_FORMAT_UINT8_SEMIPLANAR_422] = SEMI_PLANAR(U8, 1, 0),
    [CU_AD_FORMAT_UINT16_SEMIPLANAR_422] = SEMI_PLANAR(U16, 1, 0),
    [CU_AD_FORMAT_UINT8_SEMIPLANAR_444] = SEMI_PLANAR(U8, 0, 0),
    [CU_AD_FORMAT_UINT16_SEMIPLANAR_444] = SEMI_PLANAR(U16, 0, 0),
    [CU_AD_FORMAT_UINT8_PLANAR_420] = PLANAR(U8, 1, 1),
    [CU_AD_FORMAT_UINT16_PLANAR_420] = PLANAR(U16, 1, 1),
    [CU_AD_FORMAT_UINT8_PLANAR_422] = PLANAR(U8, 1, 0),
    [CU_AD_FORMAT_UINT16_PLANAR_422] = PLANAR(U16, 1, 0),
    [CU_AD_FORMAT_UINT8_PLANAR_444] = PLANAR(U8, 0, 0),
    [CU_AD_FORMAT_UINT16_PLANAR_444] = PLANAR(U16, 0, 0),
};

const struct cup_format *cup_format_find(CUarray_format id)
{
    unsigned number = (unsigned)id % FORMAT_COUNT;

    return formats[number].channel_mask && cup_driver_knows(CUP_ENUM_ARRAY_FORMAT, number)
               ? &formats[number]
               : NULL;
}

unsigned cup_format_element_bytes(const struct cup_format *format, unsigned channels)
{
    if (format->plane_count) {
        const struct cup_plane *first = &format->planes[0];
        return cup_format_element_bytes(cup_format_find(first->format), first->channels);
    }
    return format->channel_bytes ? format->channel_bytes * channels : format->element_bytes;
}

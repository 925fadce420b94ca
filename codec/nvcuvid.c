/* SPDX-License-Identifier: MIT */
/* libnvcuvid.so.1, the video decoder: it is there, and decodes nothing. GStreamer and FFmpeg refuse
 * to use CUDA at all where the library is missing; where it answers that a codec is not supported,
 * they choose another decoder. */
#include <cuda.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* What cuvidGetDecoderCaps() is asked, and from is_supported on its answer. */
struct decoder_caps {
    unsigned codec;
    unsigned chroma_format;
    unsigned bit_depth_minus_8;
    unsigned reserved1[3];
    unsigned char is_supported;
    unsigned char decoders;
    unsigned short output_formats;
    unsigned max_width, max_height, max_macroblocks;
    unsigned short min_width, min_height;
    unsigned char is_histogram_supported;
    unsigned char counter_bits;
    unsigned short max_histogram_bins;
    unsigned reserved3[10];
};

_Static_assert(sizeof(struct decoder_caps) == 88, "the layout of the public API");

EXPORT CUresult cuvidGetDecoderCaps(struct decoder_caps *caps);

EXPORT CUresult cuvidGetDecoderCaps(struct decoder_caps *caps)
{
    if (!caps)
        return CUDA_ERROR_INVALID_VALUE;
    memset(&caps->is_supported, 0, sizeof(*caps) - offsetof(struct decoder_caps, is_supported));
    return CUDA_SUCCESS;
}

/* Everything else needs a decoder, a parser or a source, which nothing creates. Callers pass what
 * they like; no argument is read. */
#define NOT_SUPPORTED(function)                                                                    \
    EXPORT CUresult function(void);                                                                \
    EXPORT CUresult function(void)                                                                 \
    {                                                                                              \
        return CUDA_ERROR_NOT_SUPPORTED;                                                           \
    }

NOT_SUPPORTED(cuvidCreateDecoder)
NOT_SUPPORTED(cuvidDestroyDecoder)
NOT_SUPPORTED(cuvidDecodePicture)
NOT_SUPPORTED(cuvidGetDecodeStatus)
NOT_SUPPORTED(cuvidReconfigureDecoder)
NOT_SUPPORTED(cuvidMapVideoFrame)
NOT_SUPPORTED(cuvidMapVideoFrame64)
NOT_SUPPORTED(cuvidUnmapVideoFrame)
NOT_SUPPORTED(cuvidUnmapVideoFrame64)
NOT_SUPPORTED(cuvidCtxLockCreate)
NOT_SUPPORTED(cuvidCtxLockDestroy)
NOT_SUPPORTED(cuvidCtxLock)
NOT_SUPPORTED(cuvidCtxUnlock)
NOT_SUPPORTED(cuvidCreateVideoParser)
NOT_SUPPORTED(cuvidParseVideoData)
NOT_SUPPORTED(cuvidDestroyVideoParser)
NOT_SUPPORTED(cuvidCreateVideoSource)
NOT_SUPPORTED(cuvidCreateVideoSourceW)
NOT_SUPPORTED(cuvidDestroyVideoSource)
NOT_SUPPORTED(cuvidSetVideoSourceState)
NOT_SUPPORTED(cuvidGetSourceVideoFormat)
NOT_SUPPORTED(cuvidGetSourceAudioFormat)

/* Its result is a state: -1 is the one of an error. */
EXPORT int cuvidGetVideoSourceState(void *source);

EXPORT int cuvidGetVideoSourceState(void *source)
{
    (void)source;
    return -1;
}

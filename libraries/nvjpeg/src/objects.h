/* SPDX-License-Identifier: MIT */
/* nvJPEG's objects. */
#ifndef NVJPEG_OBJECTS_H
#define NVJPEG_OBJECTS_H

#include "bitstream.h"
#include "image.h"

#include <common/object.h>
#include <cuda.h>
#include <pthread.h>

/* The allocators of either version; all NULL: the driver's. */
struct jpeg_allocator {
    int (*device_malloc)(void **, size_t);
    int (*pinned_malloc)(void **, size_t, unsigned);
    int (*free)(void *);
    int (*malloc2)(void *, void **, size_t, cudaStream_t);
    int (*free2)(void *, void *, size_t, cudaStream_t);
    void *context;
};

struct nvjpegHandle {
    struct lib_object base;
    nvjpegBackend_t backend;
    unsigned flags;
    size_t device_padding, pinned_padding;
    struct jpeg_allocator device, pinned;
};

struct jpeg_buffer {
    struct lib_object base;
    struct jpeg_allocator allocator;
    bool pinned;
    void *memory;
    size_t bytes;
    CUstream stream; /* of the allocation */
};

struct nvjpegBufferPinned {
    struct jpeg_buffer buffer;
};

struct nvjpegBufferDevice {
    struct jpeg_buffer buffer;
};

struct nvjpegJpegStream {
    struct lib_object base;
    struct jpeg_info info;
    bool parsed;               /* the frame is known */
    const unsigned char *data; /* the program's, or `copy` */
    size_t bytes;
    unsigned char *copy;
    unsigned char *tables; /* of files that have none; owned */
    size_t table_bytes;
};

struct nvjpegDecodeParams {
    struct lib_object base;
    struct jpeg_request request;
};

struct nvjpegJpegDecoder {
    struct lib_object base;
    nvjpegBackend_t backend;
};

struct nvjpegJpegState {
    struct lib_object base;
    bool upsamples_smoothly;
    int batch_size; /* 0: no batch was initialized */
    nvjpegOutputFormat_t batch_format;
    unsigned char *tables; /* of the files of a batch that have none; owned */
    size_t table_bytes;
    bool lacks_buffer;        /* a decoder's state to which no device buffer is attached yet */
    struct jpeg_image *image; /* between the phases of a decode */
    struct jpeg_request request;
};

struct nvjpegEncoderParams {
    struct lib_object base;
    int quality, optimized;
    unsigned restart_interval;
    nvjpegJpegEncoding_t encoding;
    nvjpegChromaSubsampling_t subsampling;
    bool has_quantization, has_huffman; /* of another file, of luma and chroma */
    struct jpeg_quantization quantization[2];
    struct jpeg_huffman huffman[2][2];
    unsigned char *metadata; /* segments to put behind the start of the image */
    size_t metadata_bytes;
};

struct nvjpegEncoderState {
    struct lib_object base;
    pthread_mutex_t lock;
    unsigned char *data; /* of the last image; guarded by lock */
    size_t bytes;
};

extern const struct lib_object_type jpeg_handle_type, jpeg_stream_type, jpeg_params_type,
    jpeg_decoder_type, jpeg_state_type, jpeg_pinned_type, jpeg_device_type, jpeg_encoder_type,
    jpeg_encoder_params_type;

/* Keeps a copy of a file that has tables alone; data NULL: forgets them. */
nvjpegStatus_t jpeg_take_tables(const unsigned char *data, size_t bytes, unsigned char **tables,
                                size_t *table_bytes);

/* The status for an error of the driver. */
nvjpegStatus_t jpeg_status_of(CUresult result);

#endif

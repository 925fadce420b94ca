/* SPDX-License-Identifier: MIT */
/* libjpeg-turbo by its TurboJPEG interface, loaded at the first call. Only the planes of components
 * cross it: cupipe converts colours and samples chroma itself, as NVIDIA's library does. */
#ifndef NVJPEG_TURBOJPEG_H
#define NVJPEG_TURBOJPEG_H

/* Values of TurboJPEG's interface. */
enum { TURBO_444, TURBO_422, TURBO_420, TURBO_GRAY, TURBO_440, TURBO_411 };
enum { TURBO_PIXEL_RGB = 0, TURBO_PIXEL_GRAY = 6, TURBO_PIXEL_CMYK = 11 };
enum { TURBO_COLOR_RGB, TURBO_COLOR_YCBCR, TURBO_COLOR_GRAY, TURBO_COLOR_CMYK, TURBO_COLOR_YCCK };
enum { TURBO_ACCURATE_DCT = 4096, TURBO_PROGRESSIVE = 16384 };

typedef void *turbo_handle;

struct turbo_functions {
    turbo_handle (*init_compress)(void);
    turbo_handle (*init_decompress)(void);
    int (*destroy)(turbo_handle handle);
    int (*decompress_header)(turbo_handle handle, const unsigned char *data, unsigned long bytes,
                             int *width, int *height, int *sampling, int *color);
    int (*decompress_planes)(turbo_handle handle, const unsigned char *data, unsigned long bytes,
                             unsigned char **planes, int width, int *strides, int height,
                             int flags);
    int (*decompress)(turbo_handle handle, const unsigned char *data, unsigned long bytes,
                      unsigned char *pixels, int width, int pitch, int height, int format,
                      int flags);
    int (*compress_planes)(turbo_handle handle, const unsigned char **planes, int width,
                           const int *strides, int height, int sampling, unsigned char **data,
                           unsigned long *bytes, int quality, int flags);
    int (*error_code)(turbo_handle handle); /* 0: the last error was a warning */
    void (*free)(unsigned char *data);
};

/* NULL if there is no libjpeg-turbo: a message on standard error said so. Thread-safe. */
const struct turbo_functions *turbo(void);

#endif

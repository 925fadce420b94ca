/* SPDX-License-Identifier: MIT */
/* One row per format. As in NVIDIA's driver, images with three channels have four in CUDA, as they
 * have in device memory, and signed normalised, packed, depth and compressed formats are not
 * supported. */
#include "interop/gl_format.h"

#include "interop/gl.h"

#include <stddef.h>

#define U8 CU_AD_FORMAT_UNSIGNED_INT8
#define U16 CU_AD_FORMAT_UNSIGNED_INT16
#define U32 CU_AD_FORMAT_UNSIGNED_INT32
#define S8 CU_AD_FORMAT_SIGNED_INT8
#define S16 CU_AD_FORMAT_SIGNED_INT16
#define S32 CU_AD_FORMAT_SIGNED_INT32
#define F16 CU_AD_FORMAT_HALF
#define F32 CU_AD_FORMAT_FLOAT

static const struct cup_gl_format formats[] = {
    /* Normalised. */
    {0x8229, U8, 1, 1, GL_RED, GL_UNSIGNED_BYTE},           /* R8 */
    {0x822A, U16, 1, 2, GL_RED, GL_UNSIGNED_SHORT},         /* R16 */
    {0x822B, U8, 2, 1, GL_RG, GL_UNSIGNED_BYTE},            /* RG8 */
    {0x822C, U16, 2, 2, GL_RG, GL_UNSIGNED_SHORT},          /* RG16 */
    {0x8051, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},          /* RGB8 */
    {0x8053, U16, 4, 2, GL_RGBA, GL_UNSIGNED_SHORT},        /* RGB12 */
    {0x8054, U16, 4, 2, GL_RGBA, GL_UNSIGNED_SHORT},        /* RGB16 */
    {0x8055, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},          /* RGBA2 */
    {0x8056, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},          /* RGBA4 */
    {0x8058, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},          /* RGBA8 */
    {0x805A, U16, 4, 2, GL_RGBA, GL_UNSIGNED_SHORT},        /* RGBA12 */
    {0x805B, U16, 4, 2, GL_RGBA, GL_UNSIGNED_SHORT},        /* RGBA16 */
    {0x93A1, U8, 4, 1, GL_BGRA, GL_UNSIGNED_BYTE},          /* BGRA8 of OpenGL ES */
    {0x8C41, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},          /* SRGB8 */
    {0x8C43, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},          /* SRGB8_ALPHA8 */
    {0x8D48, U8, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE}, /* STENCIL_INDEX8 */
    /* Unsized. */
    {GL_RED, U8, 1, 1, GL_RED, GL_UNSIGNED_BYTE},
    {GL_RG, U8, 2, 1, GL_RG, GL_UNSIGNED_BYTE},
    {GL_RGB, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},
    {GL_RGBA, U8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE},
    {GL_BGRA, U8, 4, 1, GL_BGRA, GL_UNSIGNED_BYTE},
    {GL_ALPHA, U8, 1, 1, GL_ALPHA, GL_UNSIGNED_BYTE},
    {GL_LUMINANCE, U8, 1, 1, GL_LUMINANCE, GL_UNSIGNED_BYTE},
    {GL_LUMINANCE_ALPHA, U8, 2, 1, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE},
    {0x8049, U8, 1, 1, GL_RED, GL_UNSIGNED_BYTE}, /* INTENSITY */
    /* Floating-point. */
    {0x822D, F16, 1, 2, GL_RED, GL_HALF_FLOAT},  /* R16F */
    {0x822E, F32, 1, 4, GL_RED, GL_FLOAT},       /* R32F */
    {0x822F, F16, 2, 2, GL_RG, GL_HALF_FLOAT},   /* RG16F */
    {0x8230, F32, 2, 4, GL_RG, GL_FLOAT},        /* RG32F */
    {0x881A, F16, 4, 2, GL_RGBA, GL_HALF_FLOAT}, /* RGBA16F */
    {0x8814, F32, 4, 4, GL_RGBA, GL_FLOAT},      /* RGBA32F */
    {0x8815, F32, 4, 4, GL_RGBA, GL_FLOAT},      /* RGB32F */
    /* Integer. */
    {0x8232, U8, 1, 1, GL_RED_INTEGER, GL_UNSIGNED_BYTE},    /* R8UI */
    {0x8231, S8, 1, 1, GL_RED_INTEGER, GL_BYTE},             /* R8I */
    {0x8234, U16, 1, 2, GL_RED_INTEGER, GL_UNSIGNED_SHORT},  /* R16UI */
    {0x8233, S16, 1, 2, GL_RED_INTEGER, GL_SHORT},           /* R16I */
    {0x8236, U32, 1, 4, GL_RED_INTEGER, GL_UNSIGNED_INT},    /* R32UI */
    {0x8235, S32, 1, 4, GL_RED_INTEGER, GL_INT},             /* R32I */
    {0x8238, U8, 2, 1, GL_RG_INTEGER, GL_UNSIGNED_BYTE},     /* RG8UI */
    {0x8237, S8, 2, 1, GL_RG_INTEGER, GL_BYTE},              /* RG8I */
    {0x823A, U16, 2, 2, GL_RG_INTEGER, GL_UNSIGNED_SHORT},   /* RG16UI */
    {0x8239, S16, 2, 2, GL_RG_INTEGER, GL_SHORT},            /* RG16I */
    {0x823C, U32, 2, 4, GL_RG_INTEGER, GL_UNSIGNED_INT},     /* RG32UI */
    {0x823B, S32, 2, 4, GL_RG_INTEGER, GL_INT},              /* RG32I */
    {0x8D7C, U8, 4, 1, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE},   /* RGBA8UI */
    {0x8D8E, S8, 4, 1, GL_RGBA_INTEGER, GL_BYTE},            /* RGBA8I */
    {0x8D76, U16, 4, 2, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT}, /* RGBA16UI */
    {0x8D88, S16, 4, 2, GL_RGBA_INTEGER, GL_SHORT},          /* RGBA16I */
    {0x8D70, U32, 4, 4, GL_RGBA_INTEGER, GL_UNSIGNED_INT},   /* RGBA32UI */
    {0x8D82, S32, 4, 4, GL_RGBA_INTEGER, GL_INT},            /* RGBA32I */
    {0x8D7D, U8, 4, 1, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE},   /* RGB8UI */
    {0x8D8F, S8, 4, 1, GL_RGBA_INTEGER, GL_BYTE},            /* RGB8I */
    {0x8D77, U16, 4, 2, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT}, /* RGB16UI */
    {0x8D89, S16, 4, 2, GL_RGBA_INTEGER, GL_SHORT},          /* RGB16I */
    {0x8D71, U32, 4, 4, GL_RGBA_INTEGER, GL_UNSIGNED_INT},   /* RGB32UI */
    {0x8D83, S32, 4, 4, GL_RGBA_INTEGER, GL_INT},            /* RGB32I */
    /* Compatibility profile. */
    {0x803C, U8, 1, 1, GL_ALPHA, GL_UNSIGNED_BYTE},             /* ALPHA8 */
    {0x803E, U16, 1, 2, GL_ALPHA, GL_UNSIGNED_SHORT},           /* ALPHA16 */
    {0x881C, F16, 1, 2, GL_ALPHA, GL_HALF_FLOAT},               /* ALPHA16F */
    {0x8816, F32, 1, 4, GL_ALPHA, GL_FLOAT},                    /* ALPHA32F */
    {0x8040, U8, 1, 1, GL_LUMINANCE, GL_UNSIGNED_BYTE},         /* LUMINANCE8 */
    {0x8042, U16, 1, 2, GL_LUMINANCE, GL_UNSIGNED_SHORT},       /* LUMINANCE16 */
    {0x881E, F16, 1, 2, GL_LUMINANCE, GL_HALF_FLOAT},           /* LUMINANCE16F */
    {0x8818, F32, 1, 4, GL_LUMINANCE, GL_FLOAT},                /* LUMINANCE32F */
    {0x8045, U8, 2, 1, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE},   /* LUMINANCE8_ALPHA8 */
    {0x8048, U16, 2, 2, GL_LUMINANCE_ALPHA, GL_UNSIGNED_SHORT}, /* LUMINANCE16_ALPHA16 */
    {0x881F, F16, 2, 2, GL_LUMINANCE_ALPHA, GL_HALF_FLOAT},     /* LUMINANCE_ALPHA16F */
    {0x8819, F32, 2, 4, GL_LUMINANCE_ALPHA, GL_FLOAT},          /* LUMINANCE_ALPHA32F */
    {0x804B, U8, 1, 1, GL_RED, GL_UNSIGNED_BYTE},               /* INTENSITY8 */
    {0x804D, U16, 1, 2, GL_RED, GL_UNSIGNED_SHORT},             /* INTENSITY16 */
    {0x881D, F16, 1, 2, GL_RED, GL_HALF_FLOAT},                 /* INTENSITY16F */
    {0x8817, F32, 1, 4, GL_RED, GL_FLOAT},                      /* INTENSITY32F */
    {0x8D7E, U8, 1, 1, GL_ALPHA_INTEGER, GL_UNSIGNED_BYTE},     /* ALPHA8UI */
    {0x8D80, U8, 1, 1, GL_LUMINANCE_INTEGER, GL_UNSIGNED_BYTE}, /* LUMINANCE8UI */
};

const struct cup_gl_format *cup_gl_format_find(unsigned internal)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].internal == internal)
            return &formats[i];
    }
    return NULL;
}

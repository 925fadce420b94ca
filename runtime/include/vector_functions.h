/* SPDX-License-Identifier: MIT */
/*
 * make_char1() to make_double4(): a vector from its components.
 */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define CUDART_MAKE_1(vector, type)                                                                \
    static __inline__ __host__ __device__ vector make_##vector(type x)                             \
    {                                                                                              \
        vector v;                                                                                  \
        v.x = x;                                                                                   \
        return v;                                                                                  \
    }
#define CUDART_MAKE_2(vector, type)                                                                \
    static __inline__ __host__ __device__ vector make_##vector(type x, type y)                     \
    {                                                                                              \
        vector v;                                                                                  \
        v.x = x;                                                                                   \
        v.y = y;                                                                                   \
        return v;                                                                                  \
    }
#define CUDART_MAKE_3(vector, type)                                                                \
    static __inline__ __host__ __device__ vector make_##vector(type x, type y, type z)             \
    {                                                                                              \
        vector v;                                                                                  \
        v.x = x;                                                                                   \
        v.y = y;                                                                                   \
        v.z = z;                                                                                   \
        return v;                                                                                  \
    }
#define CUDART_MAKE_4(vector, type)                                                                \
    static __inline__ __host__ __device__ vector make_##vector(type x, type y, type z, type w)     \
    {                                                                                              \
        vector v;                                                                                  \
        v.x = x;                                                                                   \
        v.y = y;                                                                                   \
        v.z = z;                                                                                   \
        v.w = w;                                                                                   \
        return v;                                                                                  \
    }
#define CUDART_MAKE_TO_3(vector, type)                                                             \
    CUDART_MAKE_1(vector##1, type)                                                                 \
    CUDART_MAKE_2(vector##2, type)                                                                 \
    CUDART_MAKE_3(vector##3, type)
#define CUDART_MAKE(vector, type)                                                                  \
    CUDART_MAKE_TO_3(vector, type)                                                                 \
    CUDART_MAKE_4(vector##4, type)

CUDART_MAKE(char, signed char)
CUDART_MAKE(uchar, unsigned char)
CUDART_MAKE(short, short)
CUDART_MAKE(ushort, unsigned short)
CUDART_MAKE(int, int)
CUDART_MAKE(uint, unsigned int)
CUDART_MAKE(float, float)

/* Vectors of four 8-byte components exist in two alignments; the plain names, with the smaller one,
 * are deprecated. */
#define CUDART_MAKE_WIDE(vector, type)                                                             \
    CUDART_MAKE_TO_3(vector, type)                                                                 \
    CUDART_MAKE_4(vector##4_16a, type)                                                             \
    CUDART_MAKE_4(vector##4_32a, type)

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
CUDART_MAKE_4(long4, long int)
CUDART_MAKE_4(ulong4, unsigned long int)
CUDART_MAKE_4(longlong4, long long int)
CUDART_MAKE_4(ulonglong4, unsigned long long int)
CUDART_MAKE_4(double4, double)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
CUDART_MAKE_WIDE(long, long int)
CUDART_MAKE_WIDE(ulong, unsigned long int)
CUDART_MAKE_WIDE(longlong, long long int)
CUDART_MAKE_WIDE(ulonglong, unsigned long long int)
CUDART_MAKE_WIDE(double, double)

#undef CUDART_MAKE_WIDE
#undef CUDART_MAKE
#undef CUDART_MAKE_TO_3
#undef CUDART_MAKE_4
#undef CUDART_MAKE_3
#undef CUDART_MAKE_2
#undef CUDART_MAKE_1

#endif

/* SPDX-License-Identifier: MIT */
/* Complex numbers of 16-bit parts. */
#ifndef CUSPARSE_ELEMENTS_H
#define CUSPARSE_ELEMENTS_H

#include <small_floats.h>

struct pair16 {
    uint16_t re, im;
};

static inline float _Complex complex_float(float re, float im)
{
    float _Complex value;

    __real__ value = re;
    __imag__ value = im;
    return value;
}

#endif

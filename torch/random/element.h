/* SPDX-License-Identifier: MIT */
/* One element of a tensor of floating-point numbers. */
#ifndef CUPIPE_TORCH_RANDOM_ELEMENT_H
#define CUPIPE_TORCH_RANDOM_ELEMENT_H

#include "convert.h"
#include "distribution.h"

CUP_INLINE double cup_element_load(enum cup_element element, const void *tensor, uint64_t i)
{
    switch (element) {
    case CUP_FLOAT:
        return ((const float *)tensor)[i];
    case CUP_HALF:
        return cup_half_value(((const uint16_t *)tensor)[i]);
    case CUP_BFLOAT16:
        return cup_bfloat16_value(((const uint16_t *)tensor)[i]);
    default:
        return ((const double *)tensor)[i];
    }
}

/* The value is a double for doubles, otherwise a float. */
CUP_INLINE void cup_element_store(enum cup_element element, void *tensor, uint64_t i, double value)
{
    switch (element) {
    case CUP_FLOAT:
        ((float *)tensor)[i] = (float)value;
        break;
    case CUP_HALF:
        ((uint16_t *)tensor)[i] = cup_half_of((float)value);
        break;
    case CUP_BFLOAT16:
        ((uint16_t *)tensor)[i] = cup_bfloat16_of((float)value);
        break;
    default:
        ((double *)tensor)[i] = value;
    }
}

CUP_INLINE double cup_element_rounded(enum cup_element element, double value)
{
    double result = 0;

    cup_element_store(element, &result, 0, value);
    return cup_element_load(element, &result, 0);
}

#endif

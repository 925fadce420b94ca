/* SPDX-License-Identifier: MIT */
/* NPP's types of elements, and their conversion to and from the numbers that handlers compute with:
 * doubles, which hold every value of all types but the integers of 64 bits, or floats. */
#include "vector.h"

#include "call.h"

#include <math.h>
#include <stdint.h>

static const struct {
    unsigned char bytes, numbers;
    enum npp_type base;
} types[] = {
    [NPP_T_8U] = {1, 1, NPP_T_8U},     [NPP_T_8S] = {1, 1, NPP_T_8S},
    [NPP_T_16U] = {2, 1, NPP_T_16U},   [NPP_T_16S] = {2, 1, NPP_T_16S},
    [NPP_T_16F] = {2, 1, NPP_T_16F},   [NPP_T_32U] = {4, 1, NPP_T_32U},
    [NPP_T_32S] = {4, 1, NPP_T_32S},   [NPP_T_32F] = {4, 1, NPP_T_32F},
    [NPP_T_64U] = {8, 1, NPP_T_64U},   [NPP_T_64S] = {8, 1, NPP_T_64S},
    [NPP_T_64F] = {8, 1, NPP_T_64F},   [NPP_T_8UC] = {2, 2, NPP_T_8U},
    [NPP_T_16UC] = {4, 2, NPP_T_16U},  [NPP_T_16SC] = {4, 2, NPP_T_16S},
    [NPP_T_32UC] = {8, 2, NPP_T_32U},  [NPP_T_32SC] = {8, 2, NPP_T_32S},
    [NPP_T_32FC] = {8, 2, NPP_T_32F},  [NPP_T_64SC] = {16, 2, NPP_T_64S},
    [NPP_T_64FC] = {16, 2, NPP_T_64F},
};

size_t npp_bytes(enum npp_type type)
{
    return types[type].bytes;
}

unsigned npp_numbers(enum npp_type type)
{
    return types[type].numbers;
}

bool npp_is_float(enum npp_type type)
{
    enum npp_type base = types[type].base;

    return base == NPP_T_32F || base == NPP_T_64F || base == NPP_T_16F;
}

NPP_INLINE double round_as(double value, NppRoundMode mode)
{
    return mode == NPP_RND_FINANCIAL ? round(value)
           : mode == NPP_RND_ZERO    ? trunc(value)
                                     : rint(value);
}

#define NUMBER double
#define CONVERSION(name) name
#include "types_template.h"
#undef NUMBER
#undef CONVERSION

#define NUMBER float
#define CONVERSION(name) name##_single
#include "types_template.h"

void npp_store(enum npp_type type, const double *from, void *to, size_t count)
{
    npp_store_rounded(type, from, to, count, NPP_RND_NEAR);
}

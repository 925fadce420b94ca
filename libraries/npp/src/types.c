/* SPDX-License-Identifier: MIT */
/* NPP's types of elements. All computing is in doubles, which hold every value of all types but the
 * integers of 64 bits. */
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

#define LOAD(TYPE, type)                                                                           \
    case TYPE:                                                                                     \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (double)((const type *)from)[i];                                               \
        break

void npp_load(enum npp_type type, const void *from, double *to, size_t count)
{
    count *= types[type].numbers;
    switch (types[type].base) {
        LOAD(NPP_T_8U, uint8_t);
        LOAD(NPP_T_8S, int8_t);
        LOAD(NPP_T_16U, uint16_t);
        LOAD(NPP_T_16S, int16_t);
        LOAD(NPP_T_16F, _Float16);
        LOAD(NPP_T_32U, uint32_t);
        LOAD(NPP_T_32S, int32_t);
        LOAD(NPP_T_32F, float);
        LOAD(NPP_T_64U, uint64_t);
        LOAD(NPP_T_64S, int64_t);
    default:
        for (size_t i = 0; i < count; i++)
            to[i] = ((const double *)from)[i];
    }
}

static double round_as(double value, NppRoundMode mode)
{
    switch (mode) {
    case NPP_RND_FINANCIAL:
        return round(value);
    case NPP_RND_ZERO:
        return trunc(value);
    default:
        return rint(value);
    }
}

/* The bounds are doubles that the type can represent; a NaN becomes 0. */
#define STORE(TYPE, type, least, most)                                                             \
    case TYPE:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            double value = round_as(from[i], mode);                                                \
            ((type *)to)[i] = value >= (most)    ? (type)(most)                                    \
                              : value <= (least) ? (type)(least)                                   \
                              : value == value   ? (type)value                                     \
                                                 : 0;                                                \
        }                                                                                          \
        break

void npp_store_rounded(enum npp_type type, const double *from, void *to, size_t count,
                       NppRoundMode mode)
{
    count *= types[type].numbers;
    switch (types[type].base) {
        STORE(NPP_T_8U, uint8_t, 0.0, 255.0);
        STORE(NPP_T_8S, int8_t, -128.0, 127.0);
        STORE(NPP_T_16U, uint16_t, 0.0, 65535.0);
        STORE(NPP_T_16S, int16_t, -32768.0, 32767.0);
        STORE(NPP_T_32U, uint32_t, 0.0, 4294967295.0);
        STORE(NPP_T_32S, int32_t, -2147483648.0, 2147483647.0);
        STORE(NPP_T_64U, uint64_t, 0.0, 18446744073709549568.0);
        STORE(NPP_T_64S, int64_t, -9223372036854775808.0, 9223372036854774784.0);
    case NPP_T_16F:
        for (size_t i = 0; i < count; i++)
            ((_Float16 *)to)[i] = (_Float16)from[i];
        break;
    case NPP_T_32F:
        for (size_t i = 0; i < count; i++)
            ((float *)to)[i] = (float)from[i];
        break;
    default:
        for (size_t i = 0; i < count; i++)
            ((double *)to)[i] = from[i];
    }
}

void npp_store(enum npp_type type, const double *from, void *to, size_t count)
{
    npp_store_rounded(type, from, to, count, NPP_RND_NEAR);
}

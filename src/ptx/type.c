/* SPDX-License-Identifier: MIT */
/* Properties of the types of PTX, in one table. */
#include "ptx/program.h"

enum type_class { BITS, UNSIGNED, SIGNED, FLOAT, OTHER };

static const struct {
    const char *name;
    uint8_t bits;
    uint8_t type_class;
} types[PTX_TYPE_COUNT] = {
    [PTX_TYPE_NONE] = {"none", 0, OTHER},
    [PTX_B8] = {"b8", 8, BITS},
    [PTX_B16] = {"b16", 16, BITS},
    [PTX_B32] = {"b32", 32, BITS},
    [PTX_B64] = {"b64", 64, BITS},
    [PTX_B128] = {"b128", 128, BITS},
    [PTX_U8] = {"u8", 8, UNSIGNED},
    [PTX_U16] = {"u16", 16, UNSIGNED},
    [PTX_U32] = {"u32", 32, UNSIGNED},
    [PTX_U64] = {"u64", 64, UNSIGNED},
    [PTX_S8] = {"s8", 8, SIGNED},
    [PTX_S16] = {"s16", 16, SIGNED},
    [PTX_S32] = {"s32", 32, SIGNED},
    [PTX_S64] = {"s64", 64, SIGNED},
    [PTX_U16X2] = {"u16x2", 32, UNSIGNED},
    [PTX_S16X2] = {"s16x2", 32, SIGNED},
    [PTX_F16] = {"f16", 16, FLOAT},
    [PTX_F16X2] = {"f16x2", 32, FLOAT},
    [PTX_BF16] = {"bf16", 16, FLOAT},
    [PTX_BF16X2] = {"bf16x2", 32, FLOAT},
    [PTX_TF32] = {"tf32", 32, FLOAT},
    [PTX_E4M3X2] = {"e4m3x2", 16, FLOAT},
    [PTX_E5M2X2] = {"e5m2x2", 16, FLOAT},
    [PTX_F32] = {"f32", 32, FLOAT},
    [PTX_F64] = {"f64", 64, FLOAT},
    [PTX_PRED] = {"pred", 1, OTHER},
    [PTX_TEXREF] = {"texref", 64, OTHER},
    [PTX_SAMPLERREF] = {"samplerref", 64, OTHER},
    [PTX_SURFREF] = {"surfref", 64, OTHER},
    [PTX_F32X2] = {"f32x2", 64, FLOAT},
    [PTX_E2M1X2] = {"e2m1x2", 8, FLOAT},
    [PTX_E2M3X2] = {"e2m3x2", 16, FLOAT},
    [PTX_E3M2X2] = {"e3m2x2", 16, FLOAT},
    [PTX_UE8M0X2] = {"ue8m0x2", 16, FLOAT},
    [PTX_U2] = {"u2", 2, UNSIGNED},
    [PTX_S2] = {"s2", 2, SIGNED},
    [PTX_U4] = {"u4", 4, UNSIGNED},
    [PTX_S4] = {"s4", 4, SIGNED},
    [PTX_E4M3] = {"e4m3", 8, FLOAT},
    [PTX_E5M2] = {"e5m2", 8, FLOAT},
    [PTX_B1] = {"b1", 1, BITS},
};

unsigned ptx_type_bits(enum ptx_type type)
{
    return type < PTX_TYPE_COUNT ? types[type].bits : 0;
}

bool ptx_type_is_signed(enum ptx_type type)
{
    return type < PTX_TYPE_COUNT && types[type].type_class == SIGNED;
}

bool ptx_type_is_float(enum ptx_type type)
{
    return type < PTX_TYPE_COUNT && types[type].type_class == FLOAT;
}

bool ptx_type_is_integer(enum ptx_type type)
{
    return type < PTX_TYPE_COUNT &&
           (types[type].type_class == SIGNED || types[type].type_class == UNSIGNED);
}

bool ptx_type_is_bits(enum ptx_type type)
{
    return type < PTX_TYPE_COUNT && types[type].type_class == BITS;
}

const char *ptx_type_name(enum ptx_type type)
{
    return type < PTX_TYPE_COUNT ? types[type].name : "?";
}

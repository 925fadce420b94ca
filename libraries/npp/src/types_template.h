/* SPDX-License-Identifier: MIT */
/* Conversion of elements to and from NUMBER, for types.c; CONVERSION() makes the names. */

#define LOAD(TYPE, type)                                                                           \
    case TYPE:                                                                                     \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (NUMBER)((const type *)from)[i];                                               \
        break

NPP_VECTOR void CONVERSION(npp_load)(enum npp_type type, const void *from, NUMBER *to, size_t count)
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
            to[i] = (NUMBER)((const double *)from)[i];
    }
}

/* Numbers are brought into the range of the type first; a NaN becomes 0. */
#define STORE_AS(type, least, most, mode)                                                          \
    for (size_t i = 0; i < count; i++) {                                                           \
        NUMBER value = from[i] == from[i] ? from[i] : 0;                                           \
                                                                                                   \
        value = value > (NUMBER)(least) ? value : (NUMBER)(least);                                 \
        value = value < (NUMBER)(most) ? value : (NUMBER)(most);                                   \
        ((type *)to)[i] = (type)(NUMBER)round_as(value, mode);                                     \
    }

#define STORE(TYPE, type, least, most)                                                             \
    case TYPE:                                                                                     \
        if (mode == NPP_RND_ZERO)                                                                  \
            STORE_AS(type, least, most, NPP_RND_ZERO)                                              \
        else if (mode == NPP_RND_FINANCIAL)                                                        \
            STORE_AS(type, least, most, NPP_RND_FINANCIAL)                                         \
        else                                                                                       \
            STORE_AS(type, least, most, NPP_RND_NEAR)                                              \
        break

/* The greatest values of these types are no NUMBERs: what reaches them is the greatest value. */
#define STORE_LONG(TYPE, type, least, most, end)                                                   \
    case TYPE:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            NUMBER value = (NUMBER)round_as(from[i], mode);                                        \
                                                                                                   \
            ((type *)to)[i] = value >= (NUMBER)(end)     ? (most)                                  \
                              : value <= (NUMBER)(least) ? (type)(least)                           \
                              : value == value           ? (type)value                             \
                                                         : 0;                                                \
        }                                                                                          \
        break

NPP_VECTOR void CONVERSION(npp_store_rounded)(enum npp_type type, const NUMBER *from, void *to,
                                              size_t count, NppRoundMode mode)
{
    count *= types[type].numbers;
    switch (types[type].base) {
        STORE(NPP_T_8U, uint8_t, 0, 255);
        STORE(NPP_T_8S, int8_t, -128, 127);
        STORE(NPP_T_16U, uint16_t, 0, 65535);
        STORE(NPP_T_16S, int16_t, -32768, 32767);
        STORE_LONG(NPP_T_32U, uint32_t, 0, UINT32_MAX, 4294967296.0);
        STORE_LONG(NPP_T_32S, int32_t, -2147483648.0, INT32_MAX, 2147483648.0);
        STORE_LONG(NPP_T_64U, uint64_t, 0, UINT64_MAX, 18446744073709551616.0);
        STORE_LONG(NPP_T_64S, int64_t, -9223372036854775808.0, INT64_MAX, 9223372036854775808.0);
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
            ((double *)to)[i] = (double)from[i];
    }
}

#undef LOAD
#undef STORE
#undef STORE_AS
#undef STORE_LONG

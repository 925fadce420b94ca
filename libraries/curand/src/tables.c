/* SPDX-License-Identifier: MIT */
/* The version, and the tables of quasi-random generators that kernels of a program use. */
#include "directions.h"

#include <stddef.h>

curandStatus_t curandGetVersion(int *version)
{
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    static const int values[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};

    if ((unsigned)type >= sizeof(values) / sizeof(*values) || !value)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = values[type];
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                           curandDirectionVectorSet_t set)
{
    const struct rand_directions *tables;

    if (!vectors || (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 &&
                     set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6))
        return CURAND_STATUS_OUT_OF_RANGE;
    tables = rand_directions();
    if (!tables)
        return CURAND_STATUS_ALLOCATION_FAILED;
    *vectors = set == CURAND_DIRECTION_VECTORS_32_JOEKUO6 ? tables->plain32 : tables->scrambled32;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                           curandDirectionVectorSet_t set)
{
    const struct rand_directions *tables;

    if (!vectors || (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 &&
                     set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6))
        return CURAND_STATUS_OUT_OF_RANGE;
    tables = rand_directions();
    if (!tables)
        return CURAND_STATUS_ALLOCATION_FAILED;
    *vectors = set == CURAND_DIRECTION_VECTORS_64_JOEKUO6 ? tables->plain64 : tables->scrambled64;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants32(unsigned int **constants)
{
    const struct rand_directions *tables = rand_directions();

    if (!constants)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (!tables)
        return CURAND_STATUS_ALLOCATION_FAILED;
    *constants = tables->constants32;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
    const struct rand_directions *tables = rand_directions();

    if (!constants)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (!tables)
        return CURAND_STATUS_ALLOCATION_FAILED;
    *constants = tables->constants64;
    return CURAND_STATUS_SUCCESS;
}

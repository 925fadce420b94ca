/* SPDX-License-Identifier: MIT */
/*
 * 2D and 3D copies: every pair of operands, and what one changed field of the descriptor does.
 */
#include "copy_operands.h"

static void copy_matrix(int f0, int f1)
{
    use_primary_context();
    src_context = dst_context = context;
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    static struct operand from[OPERAND_COUNT], to[OPERAND_COUNT];

    for (int f = f0; f < f1; f++) {
        int dim = copies[f].dim, depth = dim == 3 ? LAYERS : 1;
        if (f == f0) {
            operands_create(from, depth);
            operands_create(to, depth);
        }
        for (int i = 0; i < OPERAND_COUNT; i++)
            for (int j = 0; j < OPERAND_COUNT; j++) {
                /* HOST type holding a device pointer may crash the process: only a few partners. */
                if ((i == AS_HOST_DEVICE && j != AS_HOST_PAGEABLE && j != AS_DEVICE &&
                     j != AS_ARRAY) ||
                    (j == AS_HOST_DEVICE && i != AS_HOST_PAGEABLE && i != AS_DEVICE &&
                     i != AS_ARRAY))
                    continue;
                int with_array = i == AS_ARRAY || j == AS_ARRAY;
                struct box box = {with_array ? 12 : 13,   3, dim == 3,
                                  with_array ? 20 : 7,    5, 0,
                                  with_array ? 100 : 101, 7, dim == 3 ? 3 : 1};
                if (dim == 2)
                    box.sz = 0;
                operand_fill(&from[i], depth, 1);
                operand_fill(&to[j], depth, 2);
                CUDA_MEMCPY2D copy2d;
                CUDA_MEMCPY3D copy3d;
                copy2d_set(&copy2d, &from[i], &to[j], box);
                copy3d_set(&copy3d, &from[i], &to[j], box);
                CHECK_DATA(format("%s-%s-to-%s", copies[f].name, from[i].name, to[j].name),
                           copies[f].call(dim == 2 ? (void *)&copy2d : (void *)&copy3d),
                           sync_stream(async_stream), box_check(&to[j], depth, box));
            }
    }
}

GROUP(500, copy2d, "copy2d")
{
    copy_matrix(0, 3);
}

GROUP(501, copy3d, "copy3d")
{
    copy_matrix(3, 5);
}

GROUP(502, copy3dpeer, "copy3dpeer")
{
    copy_matrix(5, 7);
}

struct change {
    const char *name;
    int offset, size;
    unsigned long long value;
};

#define CHANGE(field, new_value)                                                                   \
    {.name = #field "=" #new_value,                                                                \
     .offset = offsetof(COPY_TYPE, field),                                                         \
     .size = sizeof(((COPY_TYPE *)0)->field),                                                      \
     .value = (unsigned long long)(new_value)},
#define NO_CHANGE                                                                                  \
    {                                                                                              \
        .name = "base", .offset = -1                                                               \
    }

static const struct change changes2d[] = {
    NO_CHANGE,
#define COPY_TYPE CUDA_MEMCPY2D
#include "copy_changes.def"
#undef COPY_TYPE
};

#define COPY_TYPE CUDA_MEMCPY3D
static const struct change changes3d[] = {
    NO_CHANGE,
#include "copy_changes.def"
#include "copy_changes_3d.def"
};

static const struct change changes_reserved[] = {CHANGE(reserved0, 0x1000)
                                                     CHANGE(reserved1, 0x1000)};
#undef COPY_TYPE

static void copy_rules(int dim)
{
    cases_independent = 1;
    use_primary_context();
    src_context = dst_context = context;
    async_stream = stream_new(CU_STREAM_NON_BLOCKING);
    static struct operand from[OPERAND_COUNT], to[OPERAND_COUNT];
    int depth = dim == 3 ? LAYERS : 1;
    operands_create(from, depth);
    operands_create(to, depth);

    static const int pairs[][2] = {{AS_DEVICE, AS_DEVICE},
                                   {AS_HOST_PAGEABLE, AS_DEVICE},
                                   {AS_DEVICE, AS_ARRAY},
                                   {AS_ARRAY, AS_HOST_PINNED},
                                   {AS_ARRAY, AS_ARRAY}};

    for (size_t k = 0; k < COUNT_OF(pairs); k++)
        for (int flat = 0; flat < 2; flat++) { /* H: one row / one slice variant of the base. */
            struct box box = {12, 0, 0, 20, 0, 0, 100, 7, dim == 3 ? 2 : 1};
            if (flat) {
                if (dim == 2)
                    box.h = 1;
                else {
                    box.d = 1;
                }
            }
            const struct change *changes = dim == 2 ? changes2d : changes3d;
            int change_count = dim == 2 ? COUNT_OF(changes2d) : COUNT_OF(changes3d);
            for (int f = dim == 2 ? 0 : 3; f < (dim == 2 ? 3 : 6); f++)
                for (int i = 0; i < change_count; i++) {
                    if (flat && !strstr(changes[i].name, "Pitch") &&
                        !strstr(changes[i].name, "srcHeight") &&
                        !strstr(changes[i].name, "dstHeight"))
                        continue;
                    if (f == 4 && k > 1)
                        continue;
                    unsigned long long words[32];
                    CUDA_MEMCPY2D copy2d;
                    CUDA_MEMCPY3D copy3d;
                    copy2d_set(&copy2d, &from[pairs[k][0]], &to[pairs[k][1]], box);
                    copy3d_set(&copy3d, &from[pairs[k][0]], &to[pairs[k][1]], box);
                    memset(words, 0, sizeof words);
                    memcpy(words, dim == 2 ? (void *)&copy2d : (void *)&copy3d,
                           dim == 2 ? sizeof copy2d : sizeof copy3d);
                    if (changes[i].offset >= 0) {
                        if (changes[i].size == 4) {
                            unsigned word = changes[i].value;
                            memcpy((char *)words + changes[i].offset, &word, 4);
                        } else
                            memcpy((char *)words + changes[i].offset, &changes[i].value, 8);
                    }
                    CHECK(format("%s-%s-to-%s%s-%s", copies[f].name, from[pairs[k][0]].name,
                                 to[pairs[k][1]].name, flat ? (dim == 2 ? "-h1" : "-d1") : "",
                                 changes[i].name),
                          copies[f].call(words), "sync=%s", sync_context());
                }
            if (dim == 3 && !flat)
                for (int f = 3; f < 5; f++)
                    for (size_t i = 0; i < COUNT_OF(changes_reserved); i++) {
                        CUDA_MEMCPY3D copy3d;
                        copy3d_set(&copy3d, &from[pairs[k][0]], &to[pairs[k][1]], box);
                        memcpy((char *)&copy3d + changes_reserved[i].offset,
                               &changes_reserved[i].value, 8);
                        CHECK(format("%s-%s-to-%s-%s", copies[f].name, from[pairs[k][0]].name,
                                     to[pairs[k][1]].name, changes_reserved[i].name),
                              copies[f].call(&copy3d), "sync=%s", sync_context());
                    }
        }
}

GROUP(503, copy2drules, "copy2drules")
{
    copy_rules(2);
}

GROUP(504, copy3drules, "copy3drules")
{
    copy_rules(3);
}

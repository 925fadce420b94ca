/* SPDX-License-Identifier: MIT */
/* cp.async.bulk.tensor: boxes of tensors of every rank, type, swizzle and fill, by maps that
 * cuTensorMapEncode* made, against what an H200 did. A case is drawn by its number. The recording
 * (recorded/tensor.txt) has a line for each: the case, and a hash of all shared memory after a
 * load, or of all global memory after a store. With KERNELS_RECORD=FILE the program writes such
 * lines, and the bytes to FILE.raw, instead of comparing. */
#include "kernels.h"

#include <inttypes.h>

enum {
    ROOM = 16384, /* bytes of shared memory, and of global memory of stores */
    FIELD = 1 << 20,
};

static const struct {
    CUtensorMapDataType type;
    unsigned bytes;
    bool is_float;
} types[] = {
    {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false},       {CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, false},
    {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, false},      {CU_TENSOR_MAP_DATA_TYPE_INT32, 4, false},
    {CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, false},      {CU_TENSOR_MAP_DATA_TYPE_INT64, 8, false},
    {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true},      {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true},
    {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, true},      {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true},
    {CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4, true},  {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, true},
    {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 4, true},
};
enum { TYPES = sizeof types / sizeof *types };

struct box {
    const char *group;
    unsigned type, rank, swizzle, interleave, fill, start; /* start: in shared memory */
    cuuint64_t dims[5], strides[4];
    cuuint32_t sides[5], steps[5];
    int at[5], lower[3], upper[3];
    unsigned channels, pixels, offsets[3], bytes;
    const char *reduction; /* of stores */
};

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 4) * below >> 28);
}

static unsigned between(unsigned least, unsigned most)
{
    return least + draw(most - least + 1);
}

/* ---- Cases ---- */

static void draw_strides(struct box *box, unsigned unit)
{
    cuuint64_t bytes = box->dims[0] * types[box->type].bytes;

    for (unsigned i = 0; i + 1 < box->rank; i++) {
        bytes = (bytes + unit - 1) / unit * unit + unit * draw(3);
        box->strides[i] = bytes;
        bytes *= box->dims[i + 1];
    }
}

/* A row is whole units of 16 bytes, no longer than the swizzle's. */
static void draw_row(struct box *box)
{
    unsigned most = box->swizzle ? 16u << box->swizzle : 256, bytes = types[box->type].bytes;

    do
        box->sides[0] = 16 * between(1, most / 16) / bytes;
    while (box->sides[0] > 256 || box->sides[0] == 0);
}

/* The first element of a row begins at a multiple of 16 bytes. */
static int draw_first(const struct box *box)
{
    int unit = 16 / (int)types[box->type].bytes;

    return unit * ((int)draw((unsigned)box->dims[0] / (unsigned)unit + 3) - 1);
}

static void draw_tiled(struct box *box, bool small)
{
    unsigned rows = 1;

    box->group = "tiled";
    box->type = draw(TYPES);
    box->rank = between(1, 5);
    box->swizzle = draw(4);
    box->fill = types[box->type].is_float && draw(3) == 0;
    box->start = draw(3) ? 0 : 128 * draw(8);
    draw_row(box);
    box->steps[0] = 1;
    for (unsigned i = 1; i < box->rank; i++) {
        unsigned most = small ? 4 : 9;
        box->sides[i] = between(1, most);
        box->steps[i] = draw(4) ? 1 : between(1, 3);
        while (rows * box->sides[i] > 60)
            box->sides[i]--;
        rows *= box->sides[i];
    }
    for (unsigned i = 0; i < box->rank; i++) {
        box->dims[i] = between(1, i ? (small ? 4 : 12) : box->sides[0] * 2);
        box->at[i] = (int)draw((unsigned)box->dims[i] + 4) - 3;
    }
    box->at[0] = draw_first(box);
    draw_strides(box, 16);
    box->bytes = box->sides[0] * types[box->type].bytes;
    for (unsigned i = 1; i < box->rank; i++)
        box->bytes *= (box->sides[i] + box->steps[i] - 1) / box->steps[i];
}

static void draw_im2col(struct box *box)
{
    unsigned spatial;

    box->group = "im2col";
    box->type = draw(TYPES);
    box->rank = between(3, 5);
    box->swizzle = draw(4);
    box->fill = types[box->type].is_float && draw(3) == 0;
    spatial = box->rank - 2;
    draw_row(box);
    box->channels = box->sides[0];
    box->pixels = between(1, 40);
    for (unsigned i = 0; i < box->rank; i++) {
        box->dims[i] = i == 0 ? between(1, box->channels * 2) : between(3, 7);
        box->steps[i] = 1;
    }
    for (unsigned i = 0; i < spatial; i++) {
        box->steps[i + 1] = draw(3) ? 1 : 2;
        box->lower[i] = (int)draw(5) - 2;
        box->upper[i] = (int)draw(4) - 2;
        if ((int)box->dims[i + 1] + box->upper[i] - box->lower[i] <= 0)
            box->upper[i] = box->lower[i];
        box->offsets[i] = draw(4);
        box->at[i + 1] =
            box->lower[i] +
            (int)draw((unsigned)((int)box->dims[i + 1] + box->upper[i] - box->lower[i]));
    }
    box->at[0] = draw_first(box);
    box->at[box->rank - 1] = (int)draw((unsigned)box->dims[box->rank - 1]);
    draw_strides(box, 16);
    box->bytes = box->channels * box->pixels * types[box->type].bytes;
}

static void draw_interleaved(struct box *box)
{
    box->group = "interleaved";
    box->type = draw(2) ? 1 : 6;
    box->rank = between(3, 5);
    box->interleave = between(1, 2);
    box->swizzle = box->interleave == 2 ? 1 : 0;
    for (unsigned i = 0; i < box->rank; i++) {
        box->sides[i] = between(1, 3);
        box->steps[i] = 1;
        box->dims[i] = between(2, 5);
        box->at[i] = (int)draw((unsigned)box->dims[i] + 2) - 1;
    }
    box->sides[0] = 8 * between(1, 2);
    draw_strides(box, 32);
    /* The first dimension counts slices of channels, the last but one channels. */
    box->bytes = 16 * box->interleave * box->sides[0];
    for (unsigned i = 1; i < box->rank; i++)
        box->bytes *= i + 2 == box->rank ? 1 : box->sides[i];
}

/* The global memory of stores is small, so that all of it is kept. */
static void draw_store(struct box *box, bool reduces)
{
    static const struct {
        const char *word;
        unsigned types[8], count;
    } reductions[] = {
        {"add", {2, 3, 4, 7, 8, 6, 9, 10}, 8},
        {"min", {2, 3, 4, 5, 6, 9}, 6},
        {"max", {2, 3, 4, 5, 6, 9}, 6},
        {"inc", {2}, 1},
        {"dec", {2}, 1},
        {"and", {2, 4}, 2},
        {"or", {2, 4}, 2},
        {"xor", {2, 4}, 2},
    };
    unsigned which = draw(8);

    for (;;) {
        cuuint64_t all;

        draw_tiled(box, true);
        if (reduces) {
            box->type = reductions[which].types[draw(reductions[which].count)];
            draw_row(box);
            box->dims[0] = between(1, box->sides[0] * 2);
            box->at[0] = draw_first(box);
            draw_strides(box, 16);
            box->reduction = reductions[which].word;
        }
        box->fill = 0;
        for (unsigned i = 0; i < box->rank; i++) {
            box->steps[i] = 1;
            box->at[i] = box->at[i] < 0 ? 0 : box->at[i]; /* what the device demands of stores */
        }
        all = box->rank > 1 ? box->strides[box->rank - 2] * box->dims[box->rank - 1]
                            : box->dims[0] * types[box->type].bytes;
        if (all <= ROOM)
            break;
    }
    box->group = reduces ? "reduce" : "store";
}

enum { TILED = 300, IM2COL = 200, STORES = 100, REDUCTIONS = 150, INTERLEAVED = 29 };
enum { CASES = TILED + IM2COL + STORES + REDUCTIONS + INTERLEAVED };

static struct box case_of(unsigned number)
{
    struct box box = {0};

    seed = number * 2654435761u + 12345;
    draw(7);
    if (number < TILED)
        draw_tiled(&box, false);
    else if (number < TILED + IM2COL)
        draw_im2col(&box);
    else if (number < TILED + IM2COL + STORES + REDUCTIONS)
        draw_store(&box, number >= TILED + IM2COL + STORES);
    else
        draw_interleaved(&box);
    return box;
}

/* ---- Kernels ---- */

/* kernel(map, out, at 0 to 4, offsets 0 to 2, start, bytes, instruction): fills shared memory,
 * copies a box into it or from it, and writes all of it out. */
static const char kernel_text[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry copy(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 c0,\n"
    " .param .u32 c1, .param .u32 c2, .param .u32 c3, .param .u32 c4, .param .u32 o0,\n"
    " .param .u32 o1, .param .u32 o2, .param .u32 start, .param .u32 bytes,\n"
    " .param .u32 instruction)\n"
    "{\n"
    ".reg .b64 %%m, %%o, %%d; .reg .b32 %%c<5>, %%w, %%t, %%a, %%b, %%s, %%n, %%k, %%i;\n"
    ".reg .b16 %%h<3>; .reg .pred %%p, %%q;\n"
    ".shared .align 1024 .b8 room[16384]; .shared .align 8 .b64 bar;\n"
    "mov.b64 %%m, map; cvta.param.u64 %%m, %%m; ld.param.u64 %%o, [out];\n"
    "ld.param.u32 %%c0, [c0]; ld.param.u32 %%c1, [c1]; ld.param.u32 %%c2, [c2];\n"
    "ld.param.u32 %%c3, [c3]; ld.param.u32 %%c4, [c4]; ld.param.u32 %%w, [o0];\n"
    "cvt.u16.u32 %%h0, %%w; ld.param.u32 %%w, [o1]; cvt.u16.u32 %%h1, %%w;\n"
    "ld.param.u32 %%w, [o2]; cvt.u16.u32 %%h2, %%w; ld.param.u32 %%s, [start];\n"
    "ld.param.u32 %%n, [bytes]; ld.param.u32 %%i, [instruction]; mov.u32 %%t, %%tid.x; mov.u32 "
    "%%a, room; add.u32 %%s, %%s, %%a;\n"
    "mad.lo.u32 %%a, %%t, 4, %%a; mov.u32 %%k, 0;\n"
    "FILL: mad.lo.u32 %%w, %%k, 128, %%t; mad.lo.u32 %%w, %%w, 0x9e3779b1, 77;\n"
    "st.shared.u32 [%%a], %%w; add.u32 %%a, %%a, 512; add.u32 %%k, %%k, 1;\n"
    "setp.lt.u32 %%p, %%k, 32; @%%p bra FILL;\n"
    "mov.u32 %%b, bar; setp.ne.u32 %%q, %%t, 0;\n"
    "@!%%q mbarrier.init.shared.b64 [%%b], 1;\n"
    "fence.proxy.async; bar.sync 0; @%%q bra DONE;\n"
    "%s"
    "DONE: bar.sync 0; mov.u32 %%a, room; mad.lo.u32 %%a, %%t, 4, %%a;\n"
    "mul.wide.u32 %%d, %%t, 4; add.u64 %%o, %%o, %%d; mov.u32 %%k, 0;\n"
    "OUT: ld.shared.u32 %%w, [%%a]; st.global.u32 [%%o], %%w; add.u32 %%a, %%a, 512;\n"
    "add.u64 %%o, %%o, 512; add.u32 %%k, %%k, 1; setp.lt.u32 %%p, %%k, 32; @%%p bra OUT;\n"
    "ret;\n}\n";

static bool is_store(const struct box *box)
{
    return !strcmp(box->group, "store") || !strcmp(box->group, "reduce");
}

static const char *const reductions[] = {"", "add", "min", "max", "inc", "dec", "and", "or", "xor"};

/* The number of the case's instruction in the text of its kernel. */
static unsigned instruction_of(const struct box *box)
{
    unsigned reduction = 0;

    if (!is_store(box))
        return box->rank - 1 + (box->channels ? 5 : 0);
    while (box->reduction && strcmp(reductions[reduction], box->reduction))
        reduction++;
    return reduction * 5 + box->rank - 1;
}

/* One kernel has all loads, another all stores: a parameter chooses the instruction. */
static CUfunction kernel_for(bool stores)
{
    static const char *const lists[] = {"{%c0}", "{%c0, %c1}", "{%c0, %c1, %c2}",
                                        "{%c0, %c1, %c2, %c3}", "{%c0, %c1, %c2, %c3, %c4}"};
    static const char *const offsets[] = {"{%h0}", "{%h0, %h1}", "{%h0, %h1, %h2}"};
    static CUfunction functions[2];
    static char copy[16000], text[20000];
    int length = 0;
    CUmodule module;

    if (functions[stores])
        return functions[stores];
    if (!stores)
        length =
            snprintf(copy, sizeof copy, "mbarrier.arrive.expect_tx.shared.b64 _, [%%b], %%n;\n");
    for (unsigned i = 0; i < (stores ? 45 : 10); i++) {
        bool im2col = !stores && i >= 5;
        unsigned rank = i % 5 + 1;
        const char *reduction = reductions[stores ? i / 5 : 0];

        if (im2col && rank < 3)
            continue;
        length += snprintf(copy + length, sizeof copy - (size_t)length,
                           "setp.eq.u32 %%p, %%i, %u; @%%p cp.%sasync.bulk.tensor.%ud", i,
                           *reduction ? "reduce." : "", rank);
        if (stores)
            length += snprintf(copy + length, sizeof copy - (size_t)length,
                               ".global.shared::cta%s%s.tile.bulk_group [%%m, %s], [%%s];\n",
                               *reduction ? "." : "", reduction, lists[rank - 1]);
        else
            length += snprintf(copy + length, sizeof copy - (size_t)length,
                               ".shared::cluster.global%s.mbarrier::complete_tx::bytes [%%s], "
                               "[%%m, %s], [%%b]%s%s;\n",
                               im2col ? ".im2col" : ".tile", lists[rank - 1], im2col ? ", " : "",
                               im2col ? offsets[rank - 3] : "");
    }
    snprintf(copy + length, sizeof copy - (size_t)length, "%s",
             stores ? "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
                    : "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%b], 0; @!%p bra WAIT;\n");
    snprintf(text, sizeof text, kernel_text, copy);
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&functions[stores], module, "copy"));
    return functions[stores];
}

/* ---- Runs ---- */

static CUdeviceptr field, out;

static void fill_field(size_t bytes)
{
    static uint32_t words[FIELD / 4];

    for (unsigned i = 0; i < FIELD / 4; i++) {
        uint32_t value = i * 2654435761u ^ i >> 7;
        /* Some floats are small, some NaN. */
        words[i] = i % 11 == 5 ? value & 0x807fffff : i % 13 == 3 ? value | 0x7f800000 : value;
    }
    check_success(cuMemcpyHtoD(field, words, bytes));
}

static CUresult encode(const struct box *box, CUtensorMap *map)
{
    if (!strcmp(box->group, "im2col"))
        return cuTensorMapEncodeIm2col(
            map, types[box->type].type, box->rank, (void *)field, box->dims, box->strides,
            box->lower, box->upper, box->channels, box->pixels, box->steps, 0,
            (CUtensorMapSwizzle)box->swizzle, 0, (CUtensorMapFloatOOBfill)box->fill);
    return cuTensorMapEncodeTiled(
        map, types[box->type].type, box->rank, (void *)field, box->dims, box->strides, box->sides,
        box->steps, (CUtensorMapInterleave)box->interleave, (CUtensorMapSwizzle)box->swizzle, 0,
        (CUtensorMapFloatOOBfill)box->fill);
}

static uint64_t hash_of(const uint8_t *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static int describe(const struct box *box, unsigned number, char *text, size_t size)
{
    int length =
        snprintf(text, size, "%u %s%s%s type %u swizzle %u interleave %u fill %u start %u", number,
                 box->group, box->reduction ? "." : "", box->reduction ? box->reduction : "",
                 box->type, box->swizzle, box->interleave, box->fill, box->start);

    for (unsigned i = 0; i < box->rank; i++)
        length += snprintf(text + length, size - (size_t)length, " [%u of %u/%u at %d]",
                           box->sides[i], (unsigned)box->dims[i], box->steps[i], box->at[i]);
    for (unsigned i = 0; box->channels && i + 2 < box->rank; i++)
        length += snprintf(text + length, size - (size_t)length, " (%d %d +%u)", box->lower[i],
                           box->upper[i], box->offsets[i]);
    if (box->channels)
        length += snprintf(text + length, size - (size_t)length, " pixels %u", box->pixels);
    return length;
}

/* Runs a case; the text says what came of it. False: the context is lost. */
static bool run(unsigned number, char *text, size_t size, uint8_t bytes[ROOM])
{
    struct box box = case_of(number);
    bool stores = is_store(&box);
    unsigned instruction = instruction_of(&box);
    int length = describe(&box, number, text, size);
    CUtensorMap map;
    void *parameters[] = {&map,       &out,       &box.at[0],      &box.at[1],      &box.at[2],
                          &box.at[3], &box.at[4], &box.offsets[0], &box.offsets[1], &box.offsets[2],
                          &box.start, &box.bytes, &instruction};
    CUresult result = encode(&box, &map);

    if (result) {
        snprintf(text + length, size - (size_t)length, ": no map, %d", result);
        return true;
    }
    if (stores)
        fill_field(ROOM);
    check_success(cuMemsetD8(out, 0, ROOM));
    launch_line(kernel_for(stores), 1, 128, 0, parameters);
    result = cuCtxSynchronize();
    if (result) {
        snprintf(text + length, size - (size_t)length, ": error %d", result);
        return false;
    }
    check_success(cuMemcpyDtoH(bytes, stores ? field : out, ROOM));
    snprintf(text + length, size - (size_t)length, ": %016" PRIx64, hash_of(bytes, ROOM));
    return true;
}

static void prepare(void)
{
    with_context();
    check_success(cuMemAlloc(&field, FIELD));
    check_success(cuMemAlloc(&out, ROOM));
    fill_field(FIELD);
}

/* Goes on where the file ends: a case that loses the context ends the process. */
static void record(const char *path)
{
    char text[1000], raw[1100];
    uint8_t bytes[ROOM];
    FILE *file = fopen(path, "a+"), *all;
    unsigned lines = 0;
    bool good = true;

    snprintf(raw, sizeof raw, "%s.raw", path);
    all = fopen(raw, "ab");
    while (fgets(text, sizeof text, file))
        lines++;
    if (lines == 0)
        fprintf(file,
                "# Recorded on an H200 with NVIDIA's driver 580: boxes of tensors, and a hash "
                "of memory after the copy.\n");
    for (unsigned i = lines ? lines - 1 : 0; i < CASES && good; i++) {
        memset(bytes, 0, sizeof bytes);
        good = run(i, text, sizeof text, bytes);
        fprintf(file, "%s\n", text);
        fwrite(bytes, 1, ROOM, all);
    }
    fclose(file);
    fclose(all);
}

/* Compares cases with the recording. */
static void check_cases(unsigned first, unsigned count)
{
    const char *folder = getenv("CUPIPE_TEST_KERNELS");
    char line[1000], text[1000];
    uint8_t bytes[ROOM];
    unsigned wrong = 0;
    FILE *file;

    prepare();
    snprintf(text, sizeof text, "%s/recorded/tensor.txt", folder ? folder : KERNELS_FOLDER);
    file = fopen(text, "r");
    check(file != NULL);
    for (unsigned i = 0; i <= first; i++) /* and the title */
        check(fgets(line, sizeof line, file) != NULL);
    for (unsigned i = first; i < first + count; i++) {
        check(run(i, text, sizeof text, bytes));
        check(fgets(line, sizeof line, file) != NULL);
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, text) && wrong++ < 10)
            printf("# %s\n# and not\n# %s\n", text, line);
    }
    fclose(file);
    if (wrong)
        test_fail(__FILE__, __LINE__, "%u of %u boxes differ", wrong, count);
}

TEST(tiled_boxes)
{
    const char *path = getenv("KERNELS_RECORD");

    if (path) {
        prepare();
        record(path);
    } else {
        check_cases(0, TILED);
    }
}

TEST(columns_of_images)
{
    check_cases(TILED, IM2COL);
}

TEST(stored_boxes)
{
    check_cases(TILED + IM2COL, STORES);
}

TEST(reduced_boxes)
{
    check_cases(TILED + IM2COL + STORES, REDUCTIONS);
}

TEST(interleaved_boxes)
{
    check_cases(TILED + IM2COL + STORES + REDUCTIONS, INTERLEAVED);
}

/* What the device takes as an illegal instruction. */
static void check_illegal(unsigned number, int axis, int at)
{
    struct box box = case_of(number);
    unsigned instruction = instruction_of(&box);
    CUtensorMap map;
    void *parameters[] = {&map,       &out,       &box.at[0],      &box.at[1],      &box.at[2],
                          &box.at[3], &box.at[4], &box.offsets[0], &box.offsets[1], &box.offsets[2],
                          &box.start, &box.bytes, &instruction};

    prepare();
    box.at[axis] = at;
    check_success(encode(&box, &map));
    launch_line(kernel_for(is_store(&box)), 1, 128, 0, parameters);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST(a_row_begins_at_a_multiple_of_16_bytes)
{
    check_illegal(0, 0, 8); /* of bytes */
}

TEST(stores_at_negative_coordinates)
{
    check_illegal(TILED + IM2COL, 1, -1);
}

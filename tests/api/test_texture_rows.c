/* SPDX-License-Identifier: MIT */
/* Warps that read a row of a texture by coordinates that count the threads: inside, across the
 * edges, with every form of offset; and rows of surfaces. Every result is compared with a model. */
#include "test.h"

#include "textures.h"

#include <math.h>
#include <stdio.h>

enum { COLUMNS = 77, ROWS = 5, GRID_X = 4, GRID_Y = 8, THREADS_X = 32 };
enum { ACROSS = GRID_X * THREADS_X, RESULTS = ACROSS * GRID_Y };

/* A kernel of one thread a place: out[y * ACROSS + x] = the texel, as `body` reads it. %i and %j
 * are the integers x and y, %x and %y the coordinates, %v0 to %v3 the result; a parameter is %u. */
static CUfunction kernel_of(const char *coordinates, const char *body)
{
    static char text[4000];
    CUmodule module;
    CUfunction function;

    snprintf(
        text, sizeof text,
        PTX_HEAD
        ".visible .entry go(.param .u64 image, .param .u64 out, .param .f32 u, .param .u64 to)\n"
        "{\n"
        ".reg .b32 %%i, %%j, %%k, %%a, %%b, %%v<4>;\n.reg .f32 %%x, %%y, %%u, %%w, %%f<4>;\n"
        ".reg .b16 %%h<4>;\n.reg .b64 %%h, %%o, %%t, %%p;\n"
        "ld.param.u64 %%h, [image];\nld.param.u64 %%o, [out];\nld.param.f32 %%u, [u];\n"
        "ld.param.u64 %%t, [to];\n"
        "mov.u32 %%a, %%ctaid.x;\nmov.u32 %%b, %%ntid.x;\nmov.u32 %%i, %%tid.x;\n"
        "mad.lo.s32 %%i, %%a, %%b, %%i;\nmov.u32 %%j, %%ctaid.y;\n"
        "mad.lo.s32 %%k, %%j, %d, %%i;\nmul.wide.s32 %%p, %%k, 4;\nadd.s64 %%p, %%p, %%o;\n"
        "mov.b32 %%v0, 0;\n%s\n%s\n"
        "st.global.b32 [%%p], %%v0;\nret;\n}\n",
        ACROSS, coordinates, body);
    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, "go"));
    return function;
}

static void run(CUfunction function, unsigned long long image, float u, unsigned long long to,
                uint32_t *results)
{
    CUdeviceptr out;
    void *parameters[] = {&image, &out, &u, &to};

    check_success(cuMemAlloc(&out, 4 * RESULTS));
    check_success(cuMemsetD8(out, 0xee, 4 * RESULTS));
    check_success(
        cuLaunchKernel(function, GRID_X, GRID_Y, 1, THREADS_X, 1, 1, 0, NULL, parameters, NULL));
    check_success(cuMemcpyDtoH(results, out, 4 * RESULTS));
    check_success(cuMemFree(out));
}

static CUarray picture_of(CUarray_format format, unsigned channels, uint32_t *pixels)
{
    CUarray array =
        new_array(describe(COLUMNS, ROWS, 0, format, channels, CUDA_ARRAY3D_SURFACE_LDST));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = pixels,
                          .srcPitch = 4 * COLUMNS,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 4 * COLUMNS,
                          .Height = ROWS};

    for (uint32_t i = 0; i < COLUMNS * ROWS; i++)
        pixels[i] = i * 0x01030507u + 0x00fe8040u;
    check_success(cuMemcpy2D(&copy));
    return array;
}

static CUtexObject texture_with(CUarray array, unsigned flags)
{
    CUDA_RESOURCE_DESC resource = resource_of(array);
    CUDA_TEXTURE_DESC texture = clamped();
    CUtexObject object;

    texture.flags = flags;
    check_success(cuTexObjectCreate(&object, &resource, &texture, NULL));
    return object;
}

static uint32_t texel(const uint32_t *pixels, float x, float y)
{
    int column = (int)floorf(x), row = (int)floorf(y);

    column = column < 0 ? 0 : column > COLUMNS - 1 ? COLUMNS - 1 : column;
    row = row < 0 ? 0 : row > ROWS - 1 ? ROWS - 1 : row;
    return pixels[row * COLUMNS + column];
}

#define FROM_INTEGERS "cvt.rn.f32.s32 %x, %i;\ncvt.rn.f32.s32 %y, %j;\n"
static const struct {
    const char *text;
    float dx, dy; /* what is added; u as well where it is NAN */
} places[] = {
    {FROM_INTEGERS "add.f32 %x, %x, 0f3F000000;\nadd.f32 %y, %y, 0f3F000000;", 0.5f, 0.5f},
    {FROM_INTEGERS, 0, 0},
    {FROM_INTEGERS "sub.f32 %x, %x, 0f3F000000;\nsub.f32 %y, %y, 0f3FC00000;", -0.5f, -1.5f},
    {FROM_INTEGERS "add.f32 %x, 0f40500000, %x;\nadd.f32 %y, %y, 0f3F000000;", 3.25f, 0.5f},
    {FROM_INTEGERS "add.f32 %x, %x, %u;\nadd.f32 %y, %y, 0f3F000000;", NAN, 0.5f},
    {FROM_INTEGERS "sub.f32 %x, %x, 0f41A0CCCD;\nadd.f32 %y, %y, %u;", -20.1f, NAN},
    {"cvt.rn.f32.u32 %x, %i;\ncvt.rn.f32.u32 %y, %j;\nadd.f32 %x, %x, 0f3F800000;", 1, 0},
    {"add.s32 %a, %i, -40;\ncvt.rn.f32.s32 %x, %a;\ncvt.rn.f32.s32 %y, %j;\n"
     "add.f32 %x, %x, 0f3F000000;",
     -39.5f, 0},
    {"neg.s32 %a, %i;\ncvt.rn.f32.s32 %x, %a;\ncvt.rn.f32.s32 %y, %j;\nadd.f32 %x, %x, %u;", NAN,
     0},
};
enum { PLACES = sizeof places / sizeof *places, BACKWARDS = PLACES - 1 };

static void expect(unsigned place, float u, const uint32_t *pixels, uint32_t *wanted)
{
    for (int y = 0; y < GRID_Y; y++)
        for (int x = 0; x < ACROSS; x++) {
            float column = (float)(place == BACKWARDS ? -x : x), row = (float)y;

            column += isnan(places[place].dx) ? u : places[place].dx;
            row += isnan(places[place].dy) ? u : places[place].dy;
            wanted[y * ACROSS + x] = texel(pixels, column, row);
        }
}

static void read_everywhere(CUarray_format format, unsigned channels, unsigned flags,
                            const char *body)
{
    static const float additions[] = {0.5f, 0, -7.25f, 50.999996f, 0.99999994f};
    static uint32_t pixels[COLUMNS * ROWS], results[RESULTS], wanted[RESULTS];

    with_context();
    CUtexObject texture = texture_with(picture_of(format, channels, pixels), flags);
    for (unsigned place = 0; place < PLACES; place++) {
        CUfunction function = kernel_of(places[place].text, body);

        for (unsigned a = 0; a < sizeof additions / sizeof *additions; a++) {
            float u = additions[a];

            expect(place, u, pixels, wanted);
            run(function, texture, u, 0, results);
            check(memcmp(results, wanted, sizeof wanted) == 0);
        }
    }
}

TEST(rows_of_words)
{
    read_everywhere(CU_AD_FORMAT_UNSIGNED_INT32, 1, CU_TRSF_READ_AS_INTEGER,
                    "tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%h, {%x, %y}];");
}

#define JOIN                                                                                       \
    "shl.b32 %v1, %v1, 8;\nshl.b32 %v2, %v2, 16;\nshl.b32 %v3, %v3, 24;\nor.b32 %v0, %v0, %v1;\n"  \
    "or.b32 %v0, %v0, %v2;\nor.b32 %v0, %v0, %v3;\n"

TEST(rows_of_bytes)
{
    read_everywhere(CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_TRSF_READ_AS_INTEGER,
                    "tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%h, {%x, %y}];\n" JOIN);
}

TEST(rows_of_bytes_that_are_stored_as_such)
{
    read_everywhere(CU_AD_FORMAT_UNSIGNED_INT8, 4, CU_TRSF_READ_AS_INTEGER,
                    "tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%h, {%x, %y}];\n"
                    "cvt.u16.u32 %h0, %v0;\ncvt.u16.u32 %h1, %v1;\ncvt.u16.u32 %h2, %v2;\n"
                    "cvt.u16.u32 %h3, %v3;\nst.global.v4.u8 [%p], {%h0, %h1, %h2, %h3};\n"
                    "ld.global.b32 %v0, [%p];");
}

TEST(rows_of_fractions)
{
    read_everywhere(CU_AD_FORMAT_UNSIGNED_INT8, 4, 0,
                    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%x, %y}];\n"
                    "mul.f32 %f0, %f0, 0f437F0000;\ncvt.rni.u32.f32 %v0, %f0;\n"
                    "mul.f32 %f1, %f1, 0f437F0000;\ncvt.rni.u32.f32 %v1, %f1;\n"
                    "mul.f32 %f2, %f2, 0f437F0000;\ncvt.rni.u32.f32 %v2, %f2;\n"
                    "mul.f32 %f3, %f3, 0f437F0000;\ncvt.rni.u32.f32 %v3, %f3;\n" JOIN);
}

TEST(a_coordinate_is_used_again_behind_the_texture)
{
    static uint32_t pixels[COLUMNS * ROWS], results[RESULTS], wanted[RESULTS];

    with_context();
    CUtexObject texture =
        texture_with(picture_of(CU_AD_FORMAT_UNSIGNED_INT32, 1, pixels), CU_TRSF_READ_AS_INTEGER);
    CUfunction function =
        kernel_of(places[0].text, "tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%h, {%x, %y}];\n"
                                  "cvt.rzi.u32.f32 %v1, %x;\nadd.u32 %v0, %v0, %v1;");
    expect(0, 0, pixels, wanted);
    for (unsigned i = 0; i < RESULTS; i++)
        wanted[i] += i % ACROSS;
    run(function, texture, 0, 0, results);
    check(memcmp(results, wanted, sizeof wanted) == 0);
}

TEST(two_textures_of_different_kinds_in_turn)
{
    static uint32_t words[COLUMNS * ROWS], results[RESULTS], wanted[RESULTS];

    with_context();
    CUtexObject first = texture_with(picture_of(CU_AD_FORMAT_UNSIGNED_INT32, 1, words),
                                     CU_TRSF_READ_AS_INTEGER),
                second = texture_with(picture_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, words),
                                      CU_TRSF_READ_AS_INTEGER);
    CUfunction function =
        kernel_of(places[0].text, "tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%h, {%x, %y}];\n"
                                  "mov.b32 %k, %v0;\n"
                                  "tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];\n"
                                  "sub.u32 %v0, %k, %v0;");
    expect(0, 0, words, wanted);
    for (unsigned i = 0; i < RESULTS; i++)
        wanted[i] -= wanted[i] & 255;
    run(function, first, 0, second, results);
    check(memcmp(results, wanted, sizeof wanted) == 0);
    expect(0, 0, words, wanted);
    for (unsigned i = 0; i < RESULTS; i++)
        wanted[i] = (wanted[i] & 255) - wanted[i];
    run(function, second, 0, first, results);
    check(memcmp(results, wanted, sizeof wanted) == 0);
}

/* Copies a surface, `%a` bytes to the right and one row down; what is outside reads as zero and is
 * not written. */
static void copy_rows(int bytes)
{
    static uint32_t pixels[COLUMNS * ROWS], results[RESULTS], copied[COLUMNS * ROWS];
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = copied,
                          .dstPitch = 4 * COLUMNS,
                          .WidthInBytes = 4 * COLUMNS,
                          .Height = ROWS};
    char body[400];

    with_context();
    CUarray from = picture_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, pixels),
            to = picture_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, pixels);
    check_success(cuMemcpyAtoA(to, 0, from, 0, 4 * COLUMNS));
    copy.srcArray = to;
    snprintf(body, sizeof body,
             "shl.b32 %%b, %%i, 2;\nadd.s32 %%a, %%b, %d;\nadd.s32 %%k, %%j, 1;\n"
             "suld.b.2d.v4.b8.zero {%%h0, %%h1, %%h2, %%h3}, [%%h, {%%a, %%k}];\n"
             "sust.b.2d.v4.b8.zero [%%t, {%%b, %%j}], {%%h0, %%h1, %%h2, %%h3};",
             bytes);
    run(kernel_of("", body), new_surface(from), 0, new_surface(to), results);
    check_success(cuMemcpy2D(&copy));
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            int column = x + bytes / 4, row = y + 1;
            bool inside = column >= 0 && column < COLUMNS && row < ROWS;
            uint32_t wanted = inside ? pixels[row * COLUMNS + column] : 0;

            check(copied[y * COLUMNS + x] == wanted);
        }
}

TEST(rows_of_surfaces)
{
    copy_rows(0);
}
TEST(rows_of_surfaces_from_the_right)
{
    copy_rows(12);
}
TEST(rows_of_surfaces_from_the_left)
{
    copy_rows(-48);
}

/* SPDX-License-Identifier: MIT */
/* Finds libjpeg-turbo, and which of two layouts its objects have: a library refuses an object of
 * another version or size before it touches it. */
#include "libjpeg.h"

#include "libjpeg_functions.h"

#include <common/backend.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBJPEG_SAMPLING_MOST = 4, OUTPUT_BYTES = 65536, PLANE_ALIGNMENT = 32, MCU_ROWS_MOST = 32 };

static const char *const files[] = {"libjpeg.so.62", "libjpeg.so.8", "pillow.libs/libjpeg*.so.*",
                                    "torchvision.libs/libjpeg*.so.*", NULL};
static const struct lib_backend backend = {
    .name = "libjpeg-turbo",
    .variable = "CUPIPE_LIBJPEG",
    .files = files,
    .install = "Install the package libjpeg62-turbo (Ubuntu: libjpeg-turbo8) or PyPI's pillow.",
};

struct libjpeg_functions libjpeg;

static const struct {
    const char *name;
    size_t offset;
} names[] = {
    {"jpeg_std_error", offsetof(struct libjpeg_functions, std_error)},
    {"jpeg_CreateCompress", offsetof(struct libjpeg_functions, create_compress)},
    {"jpeg_CreateDecompress", offsetof(struct libjpeg_functions, create_decompress)},
    {"jpeg_destroy", offsetof(struct libjpeg_functions, destroy)},
    {"jpeg_mem_src", offsetof(struct libjpeg_functions, memory_source)},
    {"jpeg_read_header", offsetof(struct libjpeg_functions, read_header)},
    {"jpeg_calc_output_dimensions", offsetof(struct libjpeg_functions, calculate_dimensions)},
    {"jpeg_start_decompress", offsetof(struct libjpeg_functions, start_decompress)},
    {"jpeg_read_scanlines", offsetof(struct libjpeg_functions, read_scanlines)},
    {"jpeg_read_raw_data", offsetof(struct libjpeg_functions, read_raw)},
    {"jpeg_set_defaults", offsetof(struct libjpeg_functions, set_defaults)},
    {"jpeg_set_colorspace", offsetof(struct libjpeg_functions, set_colors)},
    {"jpeg_set_quality", offsetof(struct libjpeg_functions, set_quality)},
    {"jpeg_simple_progression", offsetof(struct libjpeg_functions, simple_progression)},
    {"jpeg_alloc_huff_table", offsetof(struct libjpeg_functions, allocate_huffman)},
    {"jpeg_start_compress", offsetof(struct libjpeg_functions, start_compress)},
    {"jpeg_write_raw_data", offsetof(struct libjpeg_functions, write_raw)},
    {"jpeg_finish_compress", offsetof(struct libjpeg_functions, finish_compress)},
};

const unsigned char libjpeg_natural_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/* Every object begins with the pointer to its errors. */
static void exit_with_error(void *object)
{
    struct libjpeg_failure *failure = *(struct libjpeg_failure **)object;

    longjmp(failure->back, 1);
}

static void say_nothing(void *object)
{
    (void)object;
}

void libjpeg_catch(struct libjpeg_failure *failure)
{
    libjpeg.std_error(&failure->errors);
    failure->errors.exit = exit_with_error;
    failure->errors.output = say_nothing;
}

/* What a destination calls is given the object; the output is found by the object's destination,
 * which lies behind the fields that all objects have. */
struct object_head {
    struct libjpeg_errors *errors;
    void *memory, *progress, *client_data;
    int is_decompressor, state;
    struct libjpeg_output *output;
};

static int grow_output(void *object)
{
    struct libjpeg_output *output = ((struct object_head *)object)->output;
    size_t room = output->room ? 2 * output->room : OUTPUT_BYTES;
    unsigned char *data = realloc(output->data, room);

    if (!data)
        longjmp(output->failure->back, 1);
    output->data = data;
    output->destination.next = data + output->room;
    output->destination.free_bytes = room - output->room;
    output->room = room;
    return true;
}

static void begin_output(void *object)
{
    grow_output(object);
}

static void end_output(void *object)
{
    struct libjpeg_output *output = ((struct object_head *)object)->output;

    output->bytes = output->room - output->destination.free_bytes;
}

void libjpeg_write_to_memory(struct libjpeg_output *output, struct libjpeg_failure *failure)
{
    *output = (struct libjpeg_output){
        .destination = {NULL, 0, begin_output, grow_output, end_output}, .failure = failure};
}

bool jpeg_plane_create(struct jpeg_plane *plane, unsigned width, unsigned height)
{
    plane->width = width;
    plane->height = height;
    plane->pitch = (width + PLANE_ALIGNMENT - 1) & ~(PLANE_ALIGNMENT - 1u);
    plane->samples = malloc((size_t)plane->pitch * (height + MCU_ROWS_MOST));
    return plane->samples != NULL;
}

#define LIBJPEG_VERSION 62
#define LIBJPEG(name) name##_62
#include "libjpeg_codec.h"
#undef LIBJPEG_VERSION
#undef LIBJPEG

#define LIBJPEG_VERSION 80
#define LIBJPEG(name) name##_80
#include "libjpeg_codec.h"

static const struct jpeg_codec *loaded; /* NULL: it is missing */

static void load(void)
{
    void *library = lib_backend_load(&backend);

    if (!library)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        void *function = dlsym(library, names[i].name);

        if (!function) {
            fprintf(stderr, "cupipe: libjpeg-turbo has no function %s.\n", names[i].name);
            return;
        }
        memcpy((char *)&libjpeg + names[i].offset, &function, sizeof(function));
    }
    if (is_layout_62())
        loaded = &codec_62;
    else if (is_layout_80())
        loaded = &codec_80;
    else
        fprintf(stderr,
                "cupipe: the libjpeg that was found has neither version 6.2 nor 8.0 of its "
                "interface. %s\n",
                backend.install);
}

const struct jpeg_codec *jpeg_codec(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded;
}

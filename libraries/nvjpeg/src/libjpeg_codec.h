/* SPDX-License-Identifier: MIT */
/* Decoding and encoding with the objects of one version of libjpeg's interface, for libjpeg.c. */

#include "libjpeg_layout.h"

/* Finds the sizes of planes. libjpeg would transform small chroma to larger planes where the image
 * is scaled; the planes here are those of the file, all scaled alike. */
static nvjpegStatus_t LIBJPEG(make_planes)(const struct LIBJPEG(decompress) * object,
                                           struct jpeg_image *image)
{
    for (unsigned i = 0; i < image->planes; i++) {
        const struct LIBJPEG(component) *component = &object->component[i];
        unsigned across = (unsigned)component->horizontal, down = (unsigned)component->vertical;
        unsigned most_across = (unsigned)object->most_horizontal;
        unsigned most_down = (unsigned)object->most_vertical;

        if (most_across % across || most_down % down)
            return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
        if (!jpeg_plane_create(&image->plane[i],
                               (object->output_width * across + most_across - 1) / most_across,
                               (object->output_height * down + most_down - 1) / most_down))
            return NVJPEG_STATUS_ALLOCATOR_FAILURE;
        image->plane[i].across = most_across / across;
        image->plane[i].down = most_down / down;
    }
    return NVJPEG_STATUS_SUCCESS;
}

static void LIBJPEG(scale_alike)(struct LIBJPEG(decompress) * object)
{
    for (int i = 0; i < object->components; i++) {
        struct LIBJPEG(component) *component = &object->component[i];

        component->scaled_size = object->least_scaled_size;
#if LIBJPEG_VERSION >= 70
        component->scaled_height = object->least_scaled_height;
#endif
    }
    /* The others have no size in MCUs yet. */
    for (int i = 0; i < object->scan_components; i++) {
        struct LIBJPEG(component) *component = object->scan_component[i];

        component->mcu_sample_width = component->mcu_width * component->scaled_size;
    }
    object->inverse_dct->start_pass(object);
}

/* Formats with pairs of samples read one behind an odd row, which whole blocks have but where they
 * are scaled to a sample. */
static void LIBJPEG(complete_pairs)(const struct LIBJPEG(decompress) * object,
                                    struct jpeg_plane *plane)
{
    const struct LIBJPEG(component) *component = &object->component[0];
    unsigned decoded = component->blocks_across * (unsigned)component->scaled_size;

    for (size_t y = 0; y < plane->height && decoded % 2; y++) {
        unsigned char *row = plane->samples + y * plane->pitch;

        row[decoded] = row[decoded - 1];
    }
}

static nvjpegStatus_t LIBJPEG(read_planes)(struct LIBJPEG(decompress) * object,
                                           struct jpeg_image *image)
{
    unsigned char *rows[3][LIBJPEG_SAMPLING_MOST * LIBJPEG_BLOCK];
    unsigned char **planes[3] = {rows[0], rows[1], rows[2]};
    nvjpegStatus_t status;

    image->planes = (unsigned)object->components;
    object->has_raw_data = true;
    object->output_colors = object->colors;
    libjpeg.calculate_dimensions(object);
    status = LIBJPEG(make_planes)(object, image);
    if (status != NVJPEG_STATUS_SUCCESS)
        return status;
    libjpeg.start_decompress(object);
    LIBJPEG(scale_alike)(object);
    for (unsigned mcu = 0; object->output_scanline < object->output_height; mcu++) {
        for (unsigned i = 0; i < image->planes; i++) {
            const struct jpeg_plane *plane = &image->plane[i];
            unsigned count =
                (unsigned)(object->component[i].vertical * object->component[i].scaled_size);

            for (unsigned y = 0; y < count; y++)
                rows[i][y] = plane->samples + ((size_t)mcu * count + y) * plane->pitch;
        }
        libjpeg.read_raw(object, planes,
                         (unsigned)(object->most_vertical * object->least_scaled_size));
    }
    LIBJPEG(complete_pairs)(object, &image->plane[0]);
    return NVJPEG_STATUS_SUCCESS;
}

/* Four components: libjpeg makes CMYK of them. */
static nvjpegStatus_t LIBJPEG(read_pixels)(struct LIBJPEG(decompress) * object,
                                           struct jpeg_image *image, unsigned char **row)
{
    image->planes = 4;
    object->output_colors = LIBJPEG_CMYK;
    libjpeg.calculate_dimensions(object);
    *row = malloc((size_t)4 * object->output_width);
    if (!*row)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    for (unsigned i = 0; i < 4; i++) {
        if (!jpeg_plane_create(&image->plane[i], object->output_width, object->output_height))
            return NVJPEG_STATUS_ALLOCATOR_FAILURE;
        image->plane[i].across = image->plane[i].down = 1;
    }
    libjpeg.start_decompress(object);
    while (object->output_scanline < object->output_height) {
        size_t at = (size_t)object->output_scanline * image->plane[0].pitch;

        libjpeg.read_scanlines(object, row, 1);
        for (size_t x = 0; x < 4 * (size_t)object->output_width; x++)
            image->plane[x % 4].samples[at + x / 4] = (*row)[x];
    }
    return NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t LIBJPEG(decode_file)(struct LIBJPEG(decompress) * object,
                                           const struct jpeg_source *source, unsigned divisor,
                                           struct jpeg_image *image, unsigned char **row)
{
    if (source->tables) {
        libjpeg.memory_source(object, source->tables, source->table_bytes);
        libjpeg.read_header(object, false);
    }
    libjpeg.memory_source(object, source->data, source->bytes);
    libjpeg.read_header(object, true);
    object->scale_numerator = 1;
    object->scale_denominator = divisor;
    if (object->precision != 8)
        return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
    if (object->components == 4)
        return LIBJPEG(read_pixels)(object, image, row);
    if (object->components != 1 && object->components != 3)
        return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
    return LIBJPEG(read_planes)(object, image);
}

/* Not on the stack, whose variables longjmp() may lose. */
struct LIBJPEG(decoding) {
    struct LIBJPEG(decompress) object;
    struct libjpeg_failure failure;
    unsigned char *row;
};

/* A file that ends early is decoded as far as it goes. */
static nvjpegStatus_t LIBJPEG(decode)(const struct jpeg_source *source, unsigned divisor,
                                      struct jpeg_image *image)
{
    struct LIBJPEG(decoding) *const decoding = calloc(1, sizeof(*decoding));
    volatile nvjpegStatus_t status = NVJPEG_STATUS_BAD_JPEG;

    if (!decoding)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    decoding->object.errors = &decoding->failure.errors;
    libjpeg_catch(&decoding->failure);
    if (setjmp(decoding->failure.back) == 0) {
        libjpeg.create_decompress(&decoding->object, LIBJPEG_VERSION, sizeof(decoding->object));
        status = LIBJPEG(decode_file)(&decoding->object, source, divisor, image, &decoding->row);
    }
    libjpeg.destroy(&decoding->object);
    free(decoding->row);
    free(decoding);
    return status;
}

static void LIBJPEG(set_tables)(struct LIBJPEG(compress) * object,
                                const struct jpeg_encoding *encoding)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct jpeg_quantization *table = encoding->quantization[i];

        for (unsigned k = 0; table && k < 64; k++)
            object->quantization[i]->values[libjpeg_natural_order[k]] = table->values[k];
        for (unsigned ac = 0; ac < 2; ac++) {
            const struct jpeg_huffman *codes = encoding->huffman[i][ac];
            struct libjpeg_huffman **to = ac ? &object->ac_tables[i] : &object->dc_tables[i];

            if (!codes)
                continue;
            if (!*to)
                *to = libjpeg.allocate_huffman(object);
            memcpy((*to)->counts, codes->counts, sizeof(codes->counts));
            memcpy((*to)->values, codes->values, sizeof(codes->values));
        }
    }
}

static void LIBJPEG(encode_file)(struct LIBJPEG(compress) * object,
                                 const struct jpeg_encoding *encoding,
                                 const struct jpeg_plane *planes)
{
    unsigned char *rows[3][LIBJPEG_SAMPLING_MOST * LIBJPEG_BLOCK];
    unsigned char **all[3] = {rows[0], rows[1], rows[2]};

    object->image_width = encoding->width;
    object->image_height = encoding->height;
    object->input_components = (int)encoding->components;
    object->input_colors = encoding->components == 1 ? LIBJPEG_GRAY : LIBJPEG_YCBCR;
    libjpeg.set_defaults(object);
    libjpeg.set_colors(object, object->input_colors);
    libjpeg.set_quality(object, encoding->quality, true);
    LIBJPEG(set_tables)(object, encoding);
    object->has_raw_data = true;
    object->optimizes = encoding->optimizes;
    object->restart_interval = encoding->restart_interval;
    if (encoding->is_progressive)
        libjpeg.simple_progression(object);
    object->component[0].horizontal = (int)encoding->horizontal;
    object->component[0].vertical = (int)encoding->vertical;
    libjpeg.start_compress(object, true);
    for (size_t mcu = 0; object->next_scanline < object->image_height; mcu++) {
        for (unsigned i = 0; i < encoding->components; i++) {
            size_t count = (size_t)object->component[i].vertical * LIBJPEG_BLOCK;

            for (size_t y = 0; y < count; y++)
                rows[i][y] = planes[i].samples + (mcu * count + y) * planes[i].pitch;
        }
        libjpeg.write_raw(object, all, encoding->vertical * LIBJPEG_BLOCK);
    }
    libjpeg.finish_compress(object);
}

struct LIBJPEG(writing) {
    struct LIBJPEG(compress) object;
    struct libjpeg_failure failure;
    struct libjpeg_output output;
};

static nvjpegStatus_t LIBJPEG(encode)(const struct jpeg_encoding *encoding,
                                      const struct jpeg_plane *planes, unsigned char **data,
                                      size_t *bytes)
{
    struct LIBJPEG(writing) *const writing = calloc(1, sizeof(*writing));
    volatile nvjpegStatus_t status = NVJPEG_STATUS_EXECUTION_FAILED;

    if (!writing)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    writing->object.errors = &writing->failure.errors;
    libjpeg_catch(&writing->failure);
    libjpeg_write_to_memory(&writing->output, &writing->failure);
    if (setjmp(writing->failure.back) == 0) {
        libjpeg.create_compress(&writing->object, LIBJPEG_VERSION, sizeof(writing->object));
        writing->object.destination = &writing->output.destination;
        LIBJPEG(encode_file)(&writing->object, encoding, planes);
        status = NVJPEG_STATUS_SUCCESS;
    }
    libjpeg.destroy(&writing->object);
    if (status == NVJPEG_STATUS_SUCCESS) {
        *data = writing->output.data;
        *bytes = writing->output.bytes;
    } else {
        free(writing->output.data);
    }
    free(writing);
    return status;
}

/* True if the library that is loaded has objects of this layout. */
static bool LIBJPEG(is_layout)(void)
{
    static struct LIBJPEG(decoding) decoding;
    volatile bool answer = false;

    decoding.object.errors = &decoding.failure.errors;
    libjpeg_catch(&decoding.failure);
    if (setjmp(decoding.failure.back) == 0) {
        libjpeg.create_decompress(&decoding.object, LIBJPEG_VERSION, sizeof(decoding.object));
        answer = true;
    }
    libjpeg.destroy(&decoding.object);
    return answer;
}

static const struct jpeg_codec LIBJPEG(codec) = {LIBJPEG(decode), LIBJPEG(encode)};

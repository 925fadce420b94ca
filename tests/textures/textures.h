/* SPDX-License-Identifier: MIT */
/*
 * What a texture unit answers, case by case: an image of known content, how it is to be read, one
 * instruction, and coordinates. The program includes cuda.h only and was recorded on NVIDIA's
 * driver; a second one asks the functions of src/image directly.
 */
#ifndef TEXTURES_H
#define TEXTURES_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum geometry { G_1D, G_2D, G_3D, G_1D_LAYERED, G_2D_LAYERED, G_CUBE, G_CUBE_LAYERED };
enum content {
    CONTENT_FINITE, /* random, and finite where the format has infinities */
    CONTENT_BITS,   /* random bits */
    CONTENT_INDEX,  /* x + 32 y + 1024 z + 8192 level */
    CONTENT_STEPS,  /* the lowest and the highest value in turn */
    CONTENT_COUNT,  /* the element's number */
    CONTENT_HOT,    /* one element is 1, the others 0 */
    CONTENT_BLOCKS, /* random bits in which every mode of BC6H and BC7 is met */
};
enum places {
    PLACES_MIXED,  /* what is special, then random ones */
    PLACES_EDGES,  /* a few units in the last place beside each texel's edge and centre */
    PLACES_SWEEP,  /* across two texels in steps of 1/4096 */
    PLACES_TEXELS, /* each texel's centre */
    PLACES_INSIDE, /* random ones inside */
};
enum level_mode { LEVEL_NONE, LEVEL_GIVEN, LEVEL_GRADIENT };
enum operation { OP_SAMPLE, OP_LOAD, OP_STORE, OP_REDUCE, OP_QUERY };

struct sample {
    char name[120];
    /* The image. */
    CUresourcetype resource;
    CUarray_format format;
    unsigned channels;
    enum geometry geometry;
    unsigned width, height, depth; /* the depth counts layers or faces, too */
    unsigned levels;
    int plane; /* of a planar format; -1: the whole */
    enum content content;
    unsigned hot; /* counted through all levels */
    CUDA_TEXTURE_DESC texture;
    bool has_view;
    CUDA_RESOURCE_VIEW_DESC view;
    /* The instruction. */
    enum operation operation;
    enum geometry asked; /* usually the image's */
    bool integer_coordinates;
    char result; /* f, u, s, h */
    enum level_mode level_mode;
    int gather; /* 1 to 4, else 0 */
    bool has_offset;
    int offset[3];
    const char *boundary;  /* trap, clamp, zero */
    bool formatted;        /* sust.p, sured.p */
    unsigned element_bits; /* of loads and stores */
    unsigned components;
    const char *reduction; /* add.u32 and so on */
    /* Where. */
    enum places places;
    unsigned lanes;
};

enum { OPERANDS = 16, WORDS = 4 };
/* The operands of a lane, in this order in memory. */
enum {
    OPERAND_X,
    OPERAND_Y,
    OPERAND_Z,
    OPERAND_LAYER,
    OPERAND_LEVEL,
    OPERAND_GRADIENT_X,
    OPERAND_GRADIENT_Y = OPERAND_GRADIENT_X + 3,
    OPERAND_VALUE = OPERAND_GRADIENT_Y + 3 /* four of them: what is stored */
};

/* All cases; the table is made once. */
const struct sample *samples_table(size_t *count);
/* For files of cases: adds a copy. */
void sample_add(const struct sample *sample, const char *name, ...)
    __attribute__((format(printf, 2, 3)));
struct sample sample_of(CUarray_format format, unsigned channels, enum geometry geometry,
                        unsigned width, unsigned height, unsigned depth);
const char *format_name(CUarray_format format);
unsigned format_block(CUarray_format format); /* pixels a side */
unsigned element_bytes(CUarray_format format, unsigned channels);
CUarray_format plane_format(const struct sample *sample, unsigned *channels);
void samples_filtering(void);
void samples_formats(void);
void samples_mipmaps(void);
void samples_surfaces(void);
void samples_gradients(void);

/* A level's extents in elements, and bytes. */
struct extent {
    unsigned width, height, depth, row_bytes;
    size_t bytes;
};
struct extent level_extent(const struct sample *sample, unsigned level);
void level_fill(const struct sample *sample, unsigned level, unsigned char *bytes);
/* Operand o of lane i at inputs[o * lanes + i]. */
void operands_fill(const struct sample *sample, uint32_t *inputs);

/* The kernel `go` as PTX, to be freed. */
char *kernel_text(const struct sample *sample);

/* The bytes that a case answers with: WORDS words a lane, or the image after stores. */
size_t answer_bytes(const struct sample *sample);
/* The texture descriptor and the rest are made by those who share this. */
CUresult sample_run(const struct sample *sample, void *answer);
/* Does the one who runs also judge descriptors and kernels? Else refused cases are left out. */
extern const bool run_judges;
void run_begin(void);
/* The image of a case: what both programs share. */
struct image {
    CUarray array;
    CUmipmappedArray mipmap;
    CUdeviceptr memory;
    CUDA_RESOURCE_DESC resource;
};
CUresult image_create(const struct sample *sample, struct image *image);
CUresult image_read(const struct sample *sample, const struct image *image, void *bytes);
void image_destroy(struct image *image);

#endif

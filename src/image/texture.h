/* SPDX-License-Identifier: MIT */
/* The interface of the software texture unit. A view describes memory, its shape and format and the
 * sampling state. A request is one instruction of up to 32 lanes. A view is created with its
 * texture or surface object and is immutable; sampling takes no lock and allocates nothing. */
#ifndef CUP_IMAGE_TEXTURE_H
#define CUP_IMAGE_TEXTURE_H

#include "image/array.h"
#include "image/mipmap.h"

#include <cuda.h>

enum cup_geometry {
    CUP_GEOMETRY_1D,
    CUP_GEOMETRY_2D,
    CUP_GEOMETRY_3D,
    CUP_GEOMETRY_1D_LAYERED,
    CUP_GEOMETRY_2D_LAYERED,
    CUP_GEOMETRY_CUBE,
    CUP_GEOMETRY_CUBE_LAYERED,
    CUP_GEOMETRY_COUNT
};

struct cup_view;

/* One texture instruction. Arrays have 32 entries of raw bits, one per lane; entries of lanes
 * outside `mask` are neither read nor written. */
struct cup_texture_request {
    uint32_t mask;
    uint32_t geometry;   /* of the instruction; may differ from the view's */
    uint32_t components; /* of the result: 1, 2 or 4 */
    bool float_coordinates;
    uint8_t level_mode;             /* 0: computed by the view; 1: explicit level; 2: gradients */
    uint8_t gather;                 /* tld4: 1..4 = r, g, b, a; otherwise 0 */
    bool float_result;              /* otherwise integers */
    uint8_t result_bits;            /* 32, 16 for f16 results, 64 for suld/sust of .b64 */
    const uint32_t *coordinates[3]; /* x, y, z; integers or floats */
    const uint32_t *layer;          /* for layered geometries */
    /* a float if the coordinates are floats, otherwise an integer */
    const uint32_t *level;
    const uint32_t *sample; /* sample of the pixel; NULL: the only one */
    const uint32_t *gradient_x[3], *gradient_y[3];
    const int32_t *offset[3]; /* NULL: none */
    uint32_t *results[4];
    uint32_t *residency; /* 1 if memory is mapped to all texels; NULL: not requested */
};

/* Executes tex and tld4. */
typedef void (*cup_sampler)(const struct cup_view *view, const struct cup_texture_request *request);
/* The function for a request. It serves all requests that differ from it in their mask and in what
 * is in the arrays only. */
cup_sampler cup_view_sampler(const struct cup_view *view,
                             const struct cup_texture_request *request);
void cup_view_sample(const struct cup_view *view, const struct cup_texture_request *request);

/* txq and suq. NVIDIA's driver does not answer PTX's other queries. */
enum cup_texture_query { CUP_QUERY_WIDTH, CUP_QUERY_HEIGHT, CUP_QUERY_DEPTH };
uint32_t cup_view_query(const struct cup_view *view, enum cup_texture_query query, uint32_t level);

/* suld, sust and sured. The x coordinate is in bytes for .b (unformatted) and in elements for
 * .p. */
enum cup_surface_operation { CUP_SURFACE_LOAD, CUP_SURFACE_STORE, CUP_SURFACE_REDUCE };
enum cup_surface_boundary { CUP_BOUNDARY_TRAP, CUP_BOUNDARY_CLAMP, CUP_BOUNDARY_ZERO };
struct cup_surface_request {
    uint32_t mask;
    uint32_t geometry;
    uint8_t operation, boundary;
    bool formatted;       /* sust.p, sured.p */
    uint8_t element_bits; /* 8, 16, 32, 64 */
    uint8_t components;   /* 1, 2, 4 */
    uint8_t reduction;    /* sured: 0 add, 1 min, 2 max, 3 and, 4 or */
    bool is_signed;       /* for min and max */
    const int32_t *coordinates[3];
    const uint32_t *layer;
    uint64_t *values[4]; /* loaded or stored values, one per lane */
};
/* Fault of any lane. OUTSIDE (boundary mode trap) ends the kernel with ILLEGAL_ADDRESS; MISALIGNED,
 * an x that is not a multiple of the access size, ends it with MISALIGNED_ADDRESS. The other lanes
 * are executed nevertheless. */
enum cup_surface_fault { CUP_SURFACE_DONE, CUP_SURFACE_OUTSIDE, CUP_SURFACE_MISALIGNED };
enum cup_surface_fault cup_view_surface(const struct cup_view *view,
                                        const struct cup_surface_request *request);

/* Creates a view from validated descriptors. It is a surface view if `texture` is NULL. The view
 * points into the image's memory and holds no references: the caller keeps the array, mipmap or
 * memory alive. OUT_OF_MEMORY is the only error. */
CUresult cup_view_create(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                         const CUDA_RESOURCE_VIEW_DESC *view_desc, struct CUctx_st *context,
                         struct cup_view **view);
void cup_view_destroy(struct cup_view *view);

#endif

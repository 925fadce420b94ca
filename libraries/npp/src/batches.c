/* SPDX-License-Identifier: MIT */
/* Batches of geometry: lists in device memory name the images, and each is handled as by the
 * function for one image. */
#include "geometry.h"
#include "handlers.h"

#include <string.h>

/* What the list cannot say is checked once, with addresses that stand for those of all. */
static NppStatus check_one(const struct npp_function *function, const struct npp_call *call,
                           npp_handler *handler)
{
    struct npp_call one = *call;
    static char pixel[32];

    one.src = one.dst = pixel;
    one.src_step = one.dst_step = INT32_MAX;
    return handler(function, &one, true);
}

static NppStatus check_list(const struct npp_call *call)
{
    if (!call->batch_list)
        return NPP_NULL_POINTER_ERROR;
    return call->batch_size > 0 ? NPP_SUCCESS : NPP_SIZE_ERROR;
}

/* The call for one image. */
static struct npp_call one_of(const struct npp_call *call, const void *src, int src_step, void *dst,
                              int dst_step)
{
    struct npp_call one = *call;

    one.src = src;
    one.src_step = src_step;
    one.dst = dst;
    one.dst_step = dst_step;
    return one;
}

NppStatus npp_mirror_batch(const struct npp_function *function, const struct npp_call *call,
                           bool checks)
{
    const NppiMirrorBatchCXR *images = call->batch_list;
    bool in_place = strchr(function->suffix, 'I') != NULL;
    NppStatus status = check_list(call);

    if (status == NPP_SUCCESS && checks)
        return check_one(function, call, npp_mirror);
    for (long long i = 0; i < call->batch_size && status == NPP_SUCCESS; i++) {
        const NppiMirrorBatchCXR *image = &images[i];
        struct npp_call one =
            one_of(call, image->pSrc, image->nSrcStep, image->pDst, image->nDstStep);

        /* In place a list may name the image on either side. */
        if (in_place && !image->pSrc) {
            one.src = image->pDst;
            one.src_step = image->nDstStep;
        } else if (in_place) {
            one.dst = image->pSrc;
            one.dst_step = image->nSrcStep;
        }
        status = npp_mirror(function, &one, false);
    }
    return status;
}

NppStatus npp_resize_batch(const struct npp_function *function, const struct npp_call *call,
                           bool checks)
{
    const NppiResizeBatchCXR *images = call->batch_list;
    struct npp_call all = *call;
    NppStatus status = check_list(call);

    all.src_size = call->smallest_src_size;
    all.dst_size = call->smallest_dst_size;
    if (status == NPP_SUCCESS && checks)
        return check_one(function, &all, npp_resize);
    for (long long i = 0; i < call->batch_size && status == NPP_SUCCESS; i++) {
        struct npp_call one =
            one_of(&all, images[i].pSrc, images[i].nSrcStep, images[i].pDst, images[i].nDstStep);

        status = npp_resize(function, &one, false);
    }
    return status;
}

/* Every image has sizes and regions of its own. */
NppStatus npp_resize_batch_advanced(const struct npp_function *function,
                                    const struct npp_call *call, bool checks)
{
    const NppiImageDescriptor *sources = call->batch_src, *targets = call->batch_dst;
    const NppiResizeBatchROI_Advanced *regions = call->batch_roi;
    NppStatus status = NPP_SUCCESS;

    if (!sources || !targets || !regions)
        return NPP_NULL_POINTER_ERROR;
    if (call->batch_size <= 0 || call->max_width <= 0 || call->max_height <= 0)
        return NPP_SIZE_ERROR;
    for (long long i = 0; i < call->batch_size && status == NPP_SUCCESS && !checks; i++) {
        struct npp_call one =
            one_of(call, sources[i].pData, sources[i].nStep, targets[i].pData, targets[i].nStep);

        one.src_size = sources[i].oSize;
        one.dst_size = targets[i].oSize;
        one.src_rect = regions[i].oSrcRectROI;
        one.dst_rect = regions[i].oDstRectROI;
        /* One whose regions are wrong is left alone. */
        if (npp_resize(function, &one, false) == NPP_NO_MEMORY_ERROR)
            status = NPP_NO_MEMORY_ERROR;
    }
    return status;
}

/* Inverts a matrix of `rows` rows; those without an inverse become zeros. */
static void transform(const double *coeffs, double *transformed, int rows)
{
    double given[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, inverse[3][3];

    memcpy(given, coeffs, sizeof(double) * 3 * (size_t)rows);
    if (!npp_invert((const double(*)[3])given, inverse))
        memset(inverse, 0, sizeof(inverse));
    memcpy(transformed, inverse, sizeof(double) * 3 * (size_t)rows);
}

NppStatus npp_warp_batch_init(const struct npp_function *function, const struct npp_call *call,
                              bool checks)
{
    bool perspective = strstr(function->name, "Perspective") != NULL;
    NppiWarpPerspectiveBatchCXR *wide = (void *)call->batch_list;
    NppiWarpAffineBatchCXR *affine = (void *)call->batch_list;
    NppStatus status = check_list(call);

    for (long long i = 0; i < call->batch_size && status == NPP_SUCCESS && !checks; i++) {
        if (perspective)
            transform(wide[i].pCoeffs, &wide[i].aTransformedCoeffs[0][0], 3);
        else
            transform(affine[i].pCoeffs, &affine[i].aTransformedCoeffs[0][0], 2);
    }
    return status;
}

/* Warps one image by what npp_warp_batch_init() has left; one without a matrix is left alone. */
static NppStatus warp_one(const struct npp_function *function, const struct npp_call *one,
                          const double *transformed, int rows)
{
    double backward[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, forward[3][3];

    memcpy(backward, transformed, sizeof(double) * 3 * (size_t)rows);
    if (!npp_invert((const double(*)[3])backward, forward))
        return NPP_SUCCESS;
    return npp_warp_by(function, one, false, (const double(*)[3])forward);
}

static NppStatus check_warp(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    return npp_warp_by(function, call, checks, identity);
}

NppStatus npp_warp_batch(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    bool perspective = strstr(function->name, "Perspective") != NULL;
    const NppiWarpPerspectiveBatchCXR *wide = call->batch_list;
    const NppiWarpAffineBatchCXR *affine = call->batch_list;
    struct npp_call all = *call;
    NppStatus status = check_list(call);

    all.src_size = call->smallest_src_size;
    if (status == NPP_SUCCESS && checks)
        return check_one(function, &all, check_warp);
    for (long long i = 0; i < call->batch_size && status == NPP_SUCCESS; i++) {
        struct npp_call one = perspective ? one_of(&all, wide[i].pSrc, wide[i].nSrcStep,
                                                   wide[i].pDst, wide[i].nDstStep)
                                          : one_of(&all, affine[i].pSrc, affine[i].nSrcStep,
                                                   affine[i].pDst, affine[i].nDstStep);

        status = perspective ? warp_one(function, &one, &wide[i].aTransformedCoeffs[0][0], 3)
                             : warp_one(function, &one, &affine[i].aTransformedCoeffs[0][0], 2);
    }
    return status;
}

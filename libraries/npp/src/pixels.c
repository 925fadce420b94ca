/* SPDX-License-Identifier: MIT */
/* Finds the images among the arguments. */
#include "pixels.h"

#include <string.h>

static void fill(struct npp_view *view, enum npp_type type, unsigned channels, bool planar,
                 const void *image, const void *const planes[4], long long step, const int steps[4])
{
    size_t bytes = npp_bytes(type);

    *view = (struct npp_view){
        .planar = planar, .channel_bytes = bytes, .pixel_bytes = planar ? bytes : bytes * channels};
    for (unsigned i = 0; i < 4; i++) {
        view->plane[i] = planar ? planes[i] : image;
        view->step[i] = planar && steps[i] ? steps[i] : step;
    }
}

void npp_view_source(const struct npp_function *function, const struct npp_call *call,
                     struct npp_view *view)
{
    const void *image = call->src_dst ? call->src_dst : call->src1 ? call->src1 : call->src;
    long long step = call->src_dst ? call->src_dst_step
                     : call->src1  ? call->src1_step
                                   : call->src_step;

    fill(view, function->type, function->channels, function->planar, image,
         call->src_dst_planes[0] ? call->src_dst_planes : call->src_planes,
         call->src_dst_planes[0] ? call->src_dst_step : step, call->src_steps_i);
}

void npp_view_target(const struct npp_function *function, const struct npp_call *call,
                     struct npp_view *view)
{
    fill(view, function->target_type, function->target_channels, function->target_planar,
         call->src_dst ? call->src_dst : call->dst,
         call->src_dst_planes[0] ? call->src_dst_planes : call->dst_planes,
         call->src_dst || call->src_dst_planes[0] ? call->src_dst_step : call->dst_step,
         call->dst_steps_i);
}

NppStatus npp_view_check(const struct npp_view *source, const struct npp_view *target,
                         NppiSize size)
{
    if (!source->plane[0] || !target->plane[0])
        return NPP_NULL_POINTER_ERROR;
    if (size.width <= 0 || size.height <= 0)
        return NPP_SIZE_ERROR;
    if (size.height > 1 && (source->step[0] <= 0 || target->step[0] <= 0))
        return NPP_STEP_ERROR;
    return NPP_SUCCESS;
}

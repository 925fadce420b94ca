/* SPDX-License-Identifier: MIT */
/* Until the sampler is there. */
#include "image/texture.h"

#define WEAK __attribute__((weak))
WEAK void cup_view_sample(const struct cup_view *view, const struct cup_texture_request *request)
{
    (void)view;
    (void)request;
}
WEAK uint32_t cup_view_query(const struct cup_view *view, enum cup_texture_query query,
                             uint32_t level)
{
    (void)view;
    (void)query;
    (void)level;
    return 0;
}
WEAK bool cup_view_surface(const struct cup_view *view, const struct cup_surface_request *request)
{
    (void)view;
    (void)request;
    return false;
}
WEAK CUresult cup_view_create(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                              const CUDA_RESOURCE_VIEW_DESC *view_desc, struct CUctx_st *context,
                              struct cup_view **view)
{
    (void)resource;
    (void)texture;
    (void)view_desc;
    (void)context;
    (void)view;
    return CUDA_ERROR_NOT_SUPPORTED;
}
WEAK void cup_view_destroy(struct cup_view *view)
{
    (void)view;
}

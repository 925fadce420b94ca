/* SPDX-License-Identifier: MIT */
/* Link states: inputs that are linked to one image. */
#ifndef CUP_MODULE_LINK_H
#define CUP_MODULE_LINK_H

#include "core/dynarray.h"
#include "core/lock.h"
#include "core/object.h"
#include "device/context.h"
#include "module/options.h"
#include "module/source.h"

/* A global name, and the input that defines it. */
struct cup_link_name {
    char *name, *input;
};

struct CUlinkState_st {
    struct cup_object base;
    struct CUctx_st *context; /* holds a reference */
    struct cup_context_child child;
    struct cup_lock lock;
    struct cup_source source; /* guarded by lock */
    void *image;              /* the result, owned by the link; guarded by lock */
    size_t image_bytes;
    /* points to the application's arrays, which must outlive the link */
    struct cup_jit_options options;
    struct ptx_log log; /* guarded by lock */
    /* error of a rejected input, returned by cuLinkComplete(); guarded by lock */
    CUresult broken;
    struct {
        CUP_DYNARRAY(struct cup_link_name, list);
    } names;           /* that the inputs define; guarded by lock */
    bool machine_code; /* an input has code without PTX; guarded by lock */
    bool complete;     /* guarded by lock */
};

void cup_link_register(void);
CUresult cup_link_create(struct CUctx_st *context, const struct cup_jit_options *options,
                         struct CUlinkState_st **link);
CUresult cup_link_find(CUlinkState handle, struct CUlinkState_st **link); /* takes a reference */
bool cup_link_destroy(struct CUlinkState_st *link, enum cup_retire_reason reason);

/* Adds an input. */
CUresult cup_link_add(struct CUlinkState_st *link, CUjitInputType type, const void *data,
                      size_t bytes, const char *name);

/* Links the inputs. The link owns the image. */
CUresult cup_link_complete(struct CUlinkState_st *link, void **image, size_t *bytes);

static inline void cup_link_unref(struct CUlinkState_st *link)
{
    cup_object_unref(&link->base);
}

#endif

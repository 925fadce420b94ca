/* SPDX-License-Identifier: MIT */
/* The linked image contains all texts; they are linked again when the image is loaded.
 * cuLinkComplete() links them only to report errors. */
#include "module/link.h"

#include "core/error.h"
#include "device/profile.h"
#include "module/carrier.h"
#include "module/container.h"
#include "module/fatbin.h"
#include "module/log.h"
#include "module/program.h"

#include <stdlib.h>
#include <string.h>

static void link_finish(struct cup_object *object)
{
    struct CUlinkState_st *link = (struct CUlinkState_st *)object;

    cup_context_remove_child(link->context, &link->child);
    cup_source_finish(&link->source);
    for (size_t i = 0; i < link->names.count; i++)
        free(link->names.list[i]);
    free(link->names.list);
    free(link->image);
    ptx_log_free(&link->log);
    cup_lock_finish(&link->lock);
    cup_context_unref(link->context);
}

void cup_link_register(void)
{
    cup_object_register(CUP_OBJECT_LINK, sizeof(struct CUlinkState_st), link_finish);
}

static void link_end(struct cup_object *object, enum cup_retire_reason reason)
{
    cup_link_destroy((struct CUlinkState_st *)object, reason);
}

CUresult cup_link_create(struct CUctx_st *context, const struct cup_jit_options *options,
                         struct CUlinkState_st **link)
{
    struct CUlinkState_st *made = (struct CUlinkState_st *)cup_object_create(CUP_OBJECT_LINK);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a link");
    cup_context_ref(context);
    made->context = context;
    made->options = *options;
    cup_lock_init(&made->lock, CUP_RANK_FUNCTION);
    cup_context_add_child(context, &made->child, &made->base, link_end);
    cup_object_publish(&made->base);
    *link = made;
    return CUDA_SUCCESS;
}

CUresult cup_link_find(CUlinkState handle, struct CUlinkState_st **link)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_LINK, handle, &object);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "%p is not a link", (void *)handle);
    *link = (struct CUlinkState_st *)object;
    return CUDA_SUCCESS;
}

bool cup_link_destroy(struct CUlinkState_st *link, enum cup_retire_reason reason)
{
    if (!cup_object_retire(&link->base, reason))
        return false;
    cup_link_unref(link); /* the handle's reference */
    return true;
}

/* Returns the error for an input that does not have the declared type. */
static CUresult refuse(CUjitInputType type, const char *name)
{
    const char *called = name ? name : "without a name";

    switch (type) {
    case CU_JIT_INPUT_OBJECT: /* a host object without device code */
        return CUDA_SUCCESS;
    case CU_JIT_INPUT_LIBRARY:
        return cup_error(CUDA_ERROR_UNKNOWN, "library %s cannot be read", called);
    default:
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "input %s is not what it is said to be", called);
    }
}

static CUresult add_name(struct CUlinkState_st *link, const char *name)
{
    for (size_t i = 0; i < link->names.count; i++)
        if (strcmp(link->names.list[i], name) == 0) {
            cup_module_log(&link->log, "'%s' is defined twice", name);
            return cup_error(CUDA_ERROR_UNKNOWN, "%s is defined twice", name);
        }
    char *copy = strdup(name);
    char **added = copy ? cup_dynarray_add(&link->names.array, sizeof(char *)) : NULL;
    if (!added) {
        free(copy);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a link's names");
    }
    *added = copy;
    return CUDA_SUCCESS;
}

/* A duplicate definition is rejected when the second one is added. */
static CUresult add_names(struct CUlinkState_st *link, const struct ptx_program *ptx)
{
    CUresult result = CUDA_SUCCESS;

    for (uint32_t i = 0; result == CUDA_SUCCESS && i < ptx->function_count; i++)
        if (ptx->functions[i].linkage == PTX_LINK_VISIBLE && !ptx->functions[i].is_prototype)
            result = add_name(link, ptx->functions[i].name);
    for (uint32_t i = 0; result == CUDA_SUCCESS && i < ptx->variable_count; i++)
        if (ptx->variables[i].linkage == PTX_LINK_VISIBLE)
            result = add_name(link, ptx->variables[i].name);
    return result;
}

/* Adds an image: PTX, a fatbin or a carrier. */
static CUresult add_image(struct CUlinkState_st *link, const void *data, size_t bytes)
{
    struct cup_source added;
    struct cup_program *program;
    CUresult result = cup_source_read(data, bytes, &added, &link->log);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_program_create(&added, false, &link->log, &program);
    if (result == CUDA_SUCCESS) {
        result = cup_jit_options_check(&link->options, program->ptx);
        if (result == CUDA_SUCCESS)
            result = add_names(link, program->ptx);
        cup_program_unref(program);
    }
    for (size_t i = 0; result == CUDA_SUCCESS && i < added.count; i++) {
        result = cup_source_add(&link->source, added.texts[i]);
        added.texts[i].bytes = NULL;
    }
    cup_source_finish(&added);
    return result;
}

/* The state of adding the device code of an object or a library. */
struct container_addition {
    struct CUlinkState_st *link;
    CUresult result;
};

static bool add_contained(void *argument, const uint8_t *image, size_t bytes, const char *name)
{
    struct container_addition *addition = argument;

    addition->result = add_image(addition->link, image, bytes);
    if (addition->result != CUDA_SUCCESS && name)
        cup_module_log(&addition->link->log, "in member %s", name);
    return addition->result == CUDA_SUCCESS;
}

static CUresult add_container(struct CUlinkState_st *link, CUjitInputType type, const void *data,
                              size_t bytes, const char *name)
{
    struct container_addition addition = {link, CUDA_SUCCESS};

    if (!cup_container_is(data, bytes) ||
        (!cup_container_each(data, bytes, add_contained, &addition) &&
         addition.result == CUDA_SUCCESS))
        return refuse(type, name);
    return addition.result;
}

static CUresult add_locked(struct CUlinkState_st *link, CUjitInputType type, const void *data,
                           size_t bytes, const char *name)
{
    const unsigned char *start = data;
    bool cubin = bytes >= CUP_ELF_HEADER_BYTES && memcmp(start, "\177ELF", 4) == 0 &&
                 !cup_container_is(data, bytes);

    switch (type) {
    case CU_JIT_INPUT_PTX:
        return *start < 0x7f ? add_image(link, data, bytes) : refuse(type, name);
    case CU_JIT_INPUT_FATBINARY:
        return add_image(link, data, bytes);
    case CU_JIT_INPUT_CUBIN:
        return cubin ? add_image(link, data, bytes) : refuse(type, name);
    case CU_JIT_INPUT_OBJECT:
        return cubin ? add_image(link, data, bytes) : add_container(link, type, data, bytes, name);
    case CU_JIT_INPUT_LIBRARY:
        return add_container(link, type, data, bytes, name);
    default:
        return refuse(type, name);
    }
}

CUresult cup_link_add(struct CUlinkState_st *link, CUjitInputType type, const void *data,
                      size_t bytes, const char *name)
{
    cup_lock_acquire(&link->lock);
    CUresult result = link->complete
                          ? cup_error(CUDA_ERROR_INVALID_VALUE, "the link is already complete")
                          : link->options.compile_error;
    if (result == CUDA_SUCCESS) {
        result = add_locked(link, type, data, bytes, name);
        if (result != CUDA_SUCCESS) {
            cup_module_log(&link->log, "in input %s", name ? name : "without a name");
            cup_jit_options_report(&link->options, &link->log, true);
            link->broken =
                result == CUDA_ERROR_UNKNOWN ? CUDA_ERROR_UNKNOWN : CUDA_ERROR_INVALID_IMAGE;
        }
    }
    cup_lock_release(&link->lock);
    return result;
}

/* Links the inputs; an empty link is valid. */
static CUresult complete_locked(struct CUlinkState_st *link)
{
    struct cup_program *program;
    CUresult result = link->broken;

    if (result == CUDA_SUCCESS && link->source.count > 0) {
        result = cup_program_create(&link->source, true, &link->log, &program);
        if (result == CUDA_SUCCESS)
            cup_program_unref(program);
        /* the result depends on whether there is an error log */
        else if (result == CUDA_ERROR_INVALID_PTX)
            result = cup_error(link->options.error ? CUDA_ERROR_INVALID_SOURCE : CUDA_ERROR_UNKNOWN,
                               "the inputs cannot be linked");
    }
    if (result == CUDA_SUCCESS)
        result = cup_carrier_write(&link->source, cup_profile_capability(), false, &link->image,
                                   &link->image_bytes);
    return result;
}

CUresult cup_link_complete(struct CUlinkState_st *link, void **image, size_t *bytes)
{
    cup_lock_acquire(&link->lock);
    CUresult result = link->complete
                          ? cup_error(CUDA_ERROR_INVALID_HANDLE, "the link is already complete")
                          : complete_locked(link);
    if (!link->complete)
        cup_jit_options_report(&link->options, &link->log, result != CUDA_SUCCESS);
    if (result == CUDA_SUCCESS) {
        link->complete = true;
        *image = link->image;
        if (bytes)
            *bytes = link->image_bytes;
    }
    cup_lock_release(&link->lock);
    return result;
}

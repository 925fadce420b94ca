/* SPDX-License-Identifier: MIT */
/* The linked image contains all texts; they are linked again when the image is loaded.
 * cuLinkComplete() links them only to report errors. */
#include "module/link.h"

#include "core/error.h"
#include "core/lock.h"
#include "module/carrier.h"
#include "module/container.h"
#include "module/device_runtime.h"
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
    for (size_t i = 0; i < link->names.count; i++) {
        free(link->names.list[i].name);
        free(link->names.list[i].input);
    }
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
static CUresult refuse(const char *name)
{
    return cup_error(CUDA_ERROR_INVALID_IMAGE, "input '%s' is not what it is said to be", name);
}

/* The inputs do not fit each other. The result depends on whether there is a log for the reason. */
static CUresult misfit(const struct CUlinkState_st *link)
{
    return link->options.error ? CUDA_ERROR_INVALID_SOURCE : CUDA_ERROR_UNKNOWN;
}

static CUresult add_name(struct CUlinkState_st *link, const char *name, const char *input)
{
    struct cup_link_name added, *slot = NULL;

    for (size_t i = 0; i < link->names.count; i++)
        if (strcmp(link->names.list[i].name, name) == 0) {
            cup_module_log(&link->log,
                           "error   : Multiple definition of '%s' in '%s', first defined in '%s'",
                           name, input, link->names.list[i].input);
            return cup_error(misfit(link), "%s is defined twice", name);
        }
    added = (struct cup_link_name){strdup(name), strdup(input)};
    if (added.name && added.input)
        slot = cup_dynarray_add(&link->names.array, sizeof *slot);
    if (!slot) {
        free(added.name);
        free(added.input);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a link's names");
    }
    *slot = added;
    return CUDA_SUCCESS;
}

/* A duplicate definition is rejected when the second one is added. */
static CUresult add_names(struct CUlinkState_st *link, const struct ptx_program *ptx,
                          const char *input)
{
    CUresult result = CUDA_SUCCESS;

    for (uint32_t i = 0; result == CUDA_SUCCESS && i < ptx->function_count; i++)
        if (ptx->functions[i].linkage == PTX_LINK_VISIBLE && !ptx->functions[i].is_prototype)
            result = add_name(link, ptx->functions[i].name, input);
    for (uint32_t i = 0; result == CUDA_SUCCESS && i < ptx->variable_count; i++)
        if (ptx->variables[i].linkage == PTX_LINK_VISIBLE)
            result = add_name(link, ptx->variables[i].name, input);
    return result;
}

static struct cup_build build_of(const struct CUlinkState_st *link)
{
    return cup_jit_options_build(&link->options, &link->context->device->profile);
}

/* Validates a text of an input and adds it, or frees it. */
static CUresult add_text(struct CUlinkState_st *link, struct cup_source_text text,
                         const char *input)
{
    struct cup_source one = {.texts = &text, .count = 1};
    struct cup_build build = build_of(link);
    struct cup_program *program;
    CUresult result = cup_program_create(&one, &build, false, &link->log, &program);

    if (result == CUDA_SUCCESS) {
        result = cup_jit_options_check(&link->options, program->ptx, build.profile);
        if (result == CUDA_SUCCESS)
            result = add_names(link, program->ptx, input);
        if (result == CUDA_SUCCESS)
            cup_program_describe(program, &build, link->options.verbose, &link->log);
        cup_program_unref(program);
    }
    text.name = result == CUDA_SUCCESS ? strdup(input) : NULL;
    if (result == CUDA_SUCCESS && !text.name)
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a link's input");
    if (result == CUDA_SUCCESS)
        return cup_source_add(&link->source, text);
    free(text.bytes);
    return result;
}

/* Adds an image: PTX, a fatbin or a carrier. */
static CUresult add_image(struct CUlinkState_st *link, const void *data, size_t bytes,
                          const char *input)
{
    struct cup_source added;
    CUresult result =
        cup_source_read(data, bytes, &link->context->device->profile, &added, &link->log);

    for (size_t i = 0; result == CUDA_SUCCESS && i < added.count; i++) {
        struct cup_source_text text = added.texts[i];

        added.texts[i] = (struct cup_source_text){0};
        result = add_text(link, text, input);
    }
    cup_source_finish(&added);
    return result;
}

/* The state of adding the device code of an object or a library. */
struct container_addition {
    struct CUlinkState_st *link;
    const char *input;
    unsigned count; /* of fatbins */
    CUresult result;
};

static bool is_machine_code(const uint8_t *image, size_t bytes, unsigned capability)
{
    uint32_t magic = 0;

    if (bytes < CUP_ELF_HEADER_BYTES)
        return false;
    memcpy(&magic, image, sizeof magic);
    if (magic == CUP_FATBIN_MAGIC)
        return !cup_fatbin_has_ptx(image, bytes, capability);
    return memcmp(image, "\177ELF", 4) == 0 && !cup_carrier_starts(image);
}

/* Machine code without PTX is taken, because nothing may need it; cuLinkComplete() knows. */
static bool add_contained(void *argument, const uint8_t *image, size_t bytes, const char *name)
{
    struct container_addition *addition = argument;
    struct CUlinkState_st *link = addition->link;

    (void)name;
    addition->count++;
    if (is_machine_code(image, bytes, cup_profile_capability(&link->context->device->profile)))
        link->machine_code = true;
    else
        addition->result = add_image(link, image, bytes, addition->input);
    return addition->result == CUDA_SUCCESS;
}

/* An object that is too short to be one is ignored, one without device code is invalid: both as
 * recorded. */
static CUresult add_container(struct CUlinkState_st *link, CUjitInputType type, const void *data,
                              size_t bytes, const char *name)
{
    struct container_addition addition = {link, name, 0, CUDA_SUCCESS};

    if (type == CU_JIT_INPUT_OBJECT && bytes < CUP_ELF_HEADER_BYTES)
        return CUDA_SUCCESS;
    if (!cup_container_is(data, bytes)) {
        if (type == CU_JIT_INPUT_LIBRARY)
            cup_module_log(&link->log, "fatal   : unexpected archive format");
        else
            cup_module_log(&link->log, "fatal   : Could not find fatbin in '%s'", name);
        return cup_error(CUDA_ERROR_UNKNOWN, "%s is not an object or an archive", name);
    }
    bool whole = cup_container_each(data, bytes, add_contained, &addition);
    if (addition.result == CUDA_SUCCESS && (!whole || addition.count == 0))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "%s has no device code, or is damaged", name);
    return addition.result;
}

static CUresult add_locked(struct CUlinkState_st *link, CUjitInputType type, const void *data,
                           size_t bytes, const char *name)
{
    cup_lock_assert_held(&link->lock);
    const unsigned char *start = data;
    bool cubin = bytes >= CUP_ELF_HEADER_BYTES && memcmp(start, "\177ELF", 4) == 0 &&
                 !cup_container_is(data, bytes);

    switch (type) {
    case CU_JIT_INPUT_PTX: /* CuPy adds the cubins that NVRTC makes for it as PTX */
        return cubin || *start < 0x7f ? add_image(link, data, bytes, name) : refuse(name);
    case CU_JIT_INPUT_FATBINARY:
        return add_image(link, data, bytes, name);
    case CU_JIT_INPUT_CUBIN:
        return cubin ? add_image(link, data, bytes, name) : refuse(name);
    case CU_JIT_INPUT_OBJECT:
        return cubin ? add_image(link, data, bytes, name)
                     : add_container(link, type, data, bytes, name);
    case CU_JIT_INPUT_LIBRARY:
        return add_container(link, type, data, bytes, name);
    default:
        return refuse(name);
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
        result = add_locked(link, type, data, bytes, name ? name : "");
        if (result != CUDA_SUCCESS) {
            cup_jit_options_report(&link->options, &link->log, true);
            link->broken = result == CUDA_ERROR_UNKNOWN || result == CUDA_ERROR_INVALID_SOURCE
                               ? CUDA_ERROR_UNKNOWN
                               : CUDA_ERROR_INVALID_IMAGE;
        }
    }
    cup_lock_release(&link->lock);
    return result;
}

/* Functions of CUDA's device runtime that are written in PTX here, for links that were given its
 * library: the library itself has machine code only. */
static CUresult add_device_runtime(struct CUlinkState_st *link)
{
    struct cup_source_text text = {.length = strlen(cup_device_runtime_ptx)};

    text.bytes = strdup(cup_device_runtime_ptx);
    text.name = strdup("device runtime");
    if (text.bytes && text.name)
        return cup_source_add(&link->source, text);
    free(text.bytes);
    free(text.name);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the device runtime");
}

/* Links the inputs; an empty link is valid. */
static CUresult complete_locked(struct CUlinkState_st *link)
{
    cup_lock_assert_held(&link->lock);
    struct cup_build build = build_of(link);
    struct cup_program *program = NULL;
    CUresult result = link->broken;

    link->source.max_registers = link->options.max_registers;
    if (result == CUDA_SUCCESS && link->source.count > 0 && link->machine_code)
        result = add_device_runtime(link);
    if (result == CUDA_SUCCESS && link->source.count > 0) {
        result = cup_program_create(&link->source, &build, true, &link->log, &program);
        if (result == CUDA_ERROR_INVALID_PTX) {
            if (link->machine_code)
                cup_module_log(&link->log, "info    : some inputs hold machine code only, which "
                                           "cannot run here: " CUP_MODULE_WAY_OUT);
            result = cup_error(misfit(link), "the inputs cannot be linked");
        }
    }
    if (result == CUDA_SUCCESS)
        result = cup_carrier_write(&link->source, program ? &program->ptx : NULL, program ? 1 : 0,
                                   cup_profile_capability(build.profile), CUP_CARRIER_LINKED,
                                   &link->image, &link->image_bytes);
    if (program)
        cup_program_unref(program);
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

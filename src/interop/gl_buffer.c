/* SPDX-License-Identifier: MIT */
/* OpenGL buffers. Mapped for CUDA is mapped by OpenGL: software drivers hand out the memory itself,
 * so nothing is copied. What cannot be mapped so (immutable storage without the right, or
 * READ_ONLY, which must not write to it) gets a copy beside it.
 *
 * A buffer registered twice is one struct buffer, mapped once. It is held alive by a vertex array
 * of ours that it is bound in: OpenGL frees no buffer that a vertex array still uses, so a buffer
 * that the application deletes stays what it was until it is unregistered, and its memory is not
 * pulled away under a running copy. Names may be used again for other buffers: what is found by
 * name is believed only when it is at the address where the buffer was. */
#include "interop/gl_buffer.h"

#include "core/error.h"
#include "core/lock.h"
#include "interop/gl.h"
#include "memory/registered.h"
#include "os/reserve.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BOTH = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT, SHADOW_ALIGN = 4096 };

/* Memory of ours that stands for a buffer. */
struct shadow {
    void *memory;
    size_t size_bytes;
};

/* How the buffer is mapped now. */
enum way {
    BY_NAME,    /* glMapNamedBufferRange */
    BY_BINDING, /* through the vertex array, or bound by name in a context that shares it */
    BY_OTHERS,  /* the application has it mapped for good, or another context's struct buffer has */
    BY_COPY,    /* not at all: there is a shadow */
};

struct buffer {
    struct buffer *next;  /* in the list of all; guarded by list_lock */
    unsigned users;       /* resources; guarded by list_lock */
    void *gl_context;     /* where it was registered */
    unsigned name, array; /* the buffer's name, and that of the vertex array that holds it */

    struct cup_lock lock;
    /* All guarded by lock; the atomic ones are looked at without. */
    _Atomic(unsigned) mappers;
    enum way way;
    _Atomic(void *) pointer; /* of the memory, while mapped; else where it was last */
    size_t size_bytes;       /* of the memory */
    struct shadow shadow;
};

/* A resource's own view of it. */
struct view {
    struct buffer *buffer;
    size_t registered_bytes; /* what the application is told, even after the buffer was resized */
    bool private;            /* mapped READ_ONLY: the memory is the shadow here */
    uint64_t address;        /* what CUDA sees; 0: nothing yet */
    struct shadow shadow;
};

static struct cup_lock list_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPHICS_LIST);
static struct buffer *buffers; /* guarded by list_lock */

static bool shadow_make(struct shadow *shadow, size_t size_bytes)
{
    if (shadow->memory && shadow->size_bytes == size_bytes)
        return true;
    if (shadow->memory) {
        cup_registered_forget((uint64_t)(uintptr_t)shadow->memory);
        cup_reserve_release(shadow->memory, shadow->size_bytes);
    }
    shadow->memory = cup_reserve_private(size_bytes, SHADOW_ALIGN);
    shadow->size_bytes = size_bytes;
    return shadow->memory != NULL;
}

static void shadow_free(struct shadow *shadow)
{
    if (!shadow->memory)
        return;
    cup_registered_forget((uint64_t)(uintptr_t)shadow->memory);
    cup_reserve_release(shadow->memory, shadow->size_bytes);
    shadow->memory = NULL;
}

/* The buffer bound somewhere, for as long as its parameters are asked. */
struct binding {
    unsigned target;
    int saved;
};

static void bind_name(struct cup_gl_work *work, unsigned name, struct binding *binding)
{
    binding->target = GL_COPY_READ_BUFFER;
    work->gl->GetIntegerv(GL_COPY_READ_BUFFER, &binding->saved); /* the same value as its query's */
    work->gl->BindBuffer(GL_COPY_READ_BUFFER, name);
}

/* False when this is not the context that has our vertex array. Another one may have come to the
 * address of the first, so this is not taken for granted. */
static bool bind_array(struct cup_gl_work *work, const struct buffer *buffer,
                       struct binding *binding)
{
    int array = 0, name = 0;

    if (work->context != buffer->gl_context)
        return false;
    binding->target = GL_ELEMENT_ARRAY_BUFFER;
    work->gl->GetIntegerv(GL_VERTEX_ARRAY_BINDING, &binding->saved);
    work->gl->BindVertexArray(buffer->array);
    work->gl->GetIntegerv(GL_VERTEX_ARRAY_BINDING, &array);
    work->gl->GetIntegerv(GL_ELEMENT_ARRAY_BUFFER_BINDING, &name);
    if ((unsigned)array == buffer->array && (unsigned)name == buffer->name)
        return true;
    work->gl->BindVertexArray((unsigned)binding->saved);
    cup_gl_failed(work);
    return false;
}

/* Through the vertex array where that is known, so that it is the buffer itself whatever became of
 * its name. False when the current context knows neither. */
static bool bind(struct cup_gl_work *work, const struct buffer *buffer, struct binding *binding)
{
    if (bind_array(work, buffer, binding))
        return true;
    if (!work->gl->IsBuffer(buffer->name))
        return false;
    bind_name(work, buffer->name, binding);
    return true;
}

static void unbind(struct cup_gl_work *work, const struct binding *binding)
{
    if (binding->target == GL_ELEMENT_ARRAY_BUFFER)
        work->gl->BindVertexArray((unsigned)binding->saved);
    else
        work->gl->BindBuffer(binding->target, (unsigned)binding->saved);
}

static size_t bound_bytes(struct cup_gl_work *work, unsigned target)
{
    int64_t size = 0;

    work->gl->GetBufferParameteri64v(target, GL_BUFFER_SIZE, &size);
    return size > 0 ? (size_t)size : 0;
}

static int bound_value(struct cup_gl_work *work, unsigned target, unsigned name)
{
    int value = 0;

    work->gl->GetBufferParameteriv(target, name, &value);
    return value;
}

static void *bound_pointer(struct cup_gl_work *work, unsigned target)
{
    void *pointer = NULL;

    work->gl->GetBufferPointerv(target, GL_BUFFER_MAP_POINTER, &pointer);
    return pointer;
}

/* What immutable storage may be used for; everything for any other. */
static unsigned bound_rights(struct cup_gl_work *work, unsigned target)
{
    if (work->version < (work->es ? 33 : 44) ||
        !bound_value(work, target, GL_BUFFER_IMMUTABLE_STORAGE))
        return BOTH | GL_DYNAMIC_STORAGE_BIT;
    return (unsigned)bound_value(work, target, GL_BUFFER_STORAGE_FLAGS);
}

/* Is some struct buffer mapped at the address? Two contexts that share a buffer may both have
 * registered it. */
static bool is_ours(const struct buffer *self, const void *pointer)
{
    bool found = false;

    cup_lock_acquire(&list_lock);
    for (const struct buffer *each = buffers; each && !found; each = each->next)
        found = each != self && each->mappers > 0 && each->pointer == pointer;
    cup_lock_release(&list_lock);
    return found;
}

/* A mapping that somebody else has: one that stays is used, another ends, as NVIDIA's driver ends
 * it. */
static bool use_others_mapping(struct cup_gl_work *work, struct buffer *buffer, unsigned target,
                               size_t size)
{
    void *pointer = bound_pointer(work, target);
    unsigned access = (unsigned)bound_value(work, target, GL_BUFFER_ACCESS_FLAGS);
    bool whole = bound_value(work, target, GL_BUFFER_MAP_OFFSET) == 0 &&
                 (size_t)bound_value(work, target, GL_BUFFER_MAP_LENGTH) == size;

    if (is_ours(buffer, pointer) || (access & GL_MAP_PERSISTENT_BIT)) {
        if (!whole || (access & BOTH) != BOTH)
            return false;
        buffer->pointer = pointer;
        buffer->way = BY_OTHERS;
        return true;
    }
    work->gl->UnmapBuffer(target);
    return false;
}

static bool read_bound(struct cup_gl_work *work, unsigned target, size_t size, void *memory)
{
    if (work->gl->GetBufferSubData && !work->es) {
        work->gl->GetBufferSubData(target, 0, (ptrdiff_t)size, memory);
        return !cup_gl_failed(work);
    }
    void *pointer = work->gl->MapBufferRange(target, 0, (ptrdiff_t)size, GL_MAP_READ_BIT);
    if (pointer) {
        memcpy(memory, pointer, size);
        work->gl->UnmapBuffer(target);
    }
    return !cup_gl_failed(work) && pointer;
}

/* Storage that nobody but OpenGL may write is written by OpenGL, from a buffer beside it. */
static bool write_bound(struct cup_gl_work *work, unsigned target, size_t size, const void *memory)
{
    const struct cup_gl *gl = work->gl;
    int saved = 0;
    unsigned staging;

    if (bound_rights(work, target) & GL_DYNAMIC_STORAGE_BIT) {
        gl->BufferSubData(target, 0, (ptrdiff_t)size, memory);
        return !cup_gl_failed(work);
    }
    gl->GetIntegerv(GL_COPY_WRITE_BUFFER, &saved);
    gl->GenBuffers(1, &staging);
    gl->BindBuffer(GL_COPY_WRITE_BUFFER, staging);
    gl->BufferData(GL_COPY_WRITE_BUFFER, (ptrdiff_t)size, memory, GL_STREAM_DRAW);
    gl->CopyBufferSubData(GL_COPY_WRITE_BUFFER, target, 0, 0, (ptrdiff_t)size);
    gl->BindBuffer(GL_COPY_WRITE_BUFFER, (unsigned)saved);
    gl->DeleteBuffers(1, &staging);
    return !cup_gl_failed(work);
}

/* The common case: the buffer is where it was, under its name. */
static bool map_by_name(struct cup_gl_work *work, struct buffer *buffer)
{
    if (!cup_gl_has_names(work) || work->context != buffer->gl_context || !buffer->pointer ||
        buffer->way == BY_COPY)
        return false;
    void *pointer =
        work->gl->MapNamedBufferRange(buffer->name, 0, (ptrdiff_t)buffer->size_bytes, BOTH);
    if (pointer == buffer->pointer) {
        buffer->way = BY_NAME;
        return true;
    }
    if (pointer)
        work->gl->UnmapNamedBuffer(buffer->name);
    cup_gl_failed(work);
    return false;
}

static CUresult map_shadow(struct cup_gl_work *work, struct buffer *buffer, unsigned target,
                           size_t size, bool read)
{
    if (!shadow_make(&buffer->shadow, size))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy of %zu bytes", size);
    if (read && !read_bound(work, target, size, buffer->shadow.memory))
        return cup_error(CUDA_ERROR_MAP_FAILED, "OpenGL does not hand out buffer %u", buffer->name);
    buffer->way = BY_COPY;
    buffer->pointer = buffer->shadow.memory;
    return CUDA_SUCCESS;
}

static CUresult map_bound(struct cup_gl_work *work, struct buffer *buffer, unsigned target,
                          bool read)
{
    size_t size = bound_bytes(work, target);
    void *last = buffer->way == BY_COPY ? NULL : buffer->pointer;

    if (size == 0)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "buffer %u has no memory", buffer->name);
    buffer->size_bytes = size;
    if (bound_value(work, target, GL_BUFFER_MAPPED) &&
        use_others_mapping(work, buffer, target, size))
        return CUDA_SUCCESS;
    if ((bound_rights(work, target) & BOTH) != BOTH || bound_value(work, target, GL_BUFFER_MAPPED))
        return map_shadow(work, buffer, target, size, read);
    void *pointer = work->gl->MapBufferRange(target, 0, (ptrdiff_t)size, BOTH);
    if (!pointer) {
        cup_gl_failed(work);
        return map_shadow(work, buffer, target, size, read);
    }
    if (target != GL_ELEMENT_ARRAY_BUFFER && pointer != last) {
        work->gl->UnmapBuffer(target);
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "the current OpenGL context has another buffer %u", buffer->name);
    }
    buffer->way = BY_BINDING;
    buffer->pointer = pointer;
    return CUDA_SUCCESS;
}

static CUresult map_locked(struct cup_gl_work *work, struct buffer *buffer, bool read)
{
    struct binding binding;

    if (buffer->mappers > 0 || map_by_name(work, buffer)) {
        buffer->mappers++;
        return CUDA_SUCCESS;
    }
    void *last = buffer->way == BY_COPY ? NULL : buffer->pointer;
    if (!bind(work, buffer, &binding))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "the current OpenGL context has no buffer %u", buffer->name);
    CUresult result = map_bound(work, buffer, binding.target, read);
    unbind(work, &binding);
    cup_gl_failed(work);
    if (last && last != buffer->pointer)
        cup_registered_forget((uint64_t)(uintptr_t)last);
    if (result == CUDA_SUCCESS)
        buffer->mappers++;
    return result;
}

/* Only what is ours is unmapped: the application may have deleted or resized the buffer, which
 * unmapped it, and then mapped what it has under that name. */
static bool unmap_by_name(struct cup_gl_work *work, struct buffer *buffer)
{
    void *pointer = NULL;

    if (buffer->way != BY_NAME || work->context != buffer->gl_context)
        return false;
    work->gl->GetNamedBufferPointerv(buffer->name, GL_BUFFER_MAP_POINTER, &pointer);
    if (pointer != buffer->pointer)
        return false;
    work->gl->UnmapNamedBuffer(buffer->name);
    return true;
}

static CUresult unmap_locked(struct cup_gl_work *work, struct buffer *buffer)
{
    struct binding binding;
    CUresult result = CUDA_SUCCESS;

    if (buffer->mappers > 1 || buffer->way == BY_OTHERS || unmap_by_name(work, buffer)) {
        buffer->mappers--;
        return CUDA_SUCCESS;
    }
    if (!bind(work, buffer, &binding))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "the current OpenGL context has no buffer %u", buffer->name);
    if (buffer->way == BY_COPY) {
        if (bound_bytes(work, binding.target) != buffer->size_bytes ||
            !write_bound(work, binding.target, buffer->size_bytes, buffer->pointer))
            result = cup_error(CUDA_ERROR_UNMAP_FAILED, "OpenGL does not take buffer %u back",
                               buffer->name);
    } else if (bound_pointer(work, binding.target) == buffer->pointer) {
        work->gl->UnmapBuffer(binding.target);
    }
    unbind(work, &binding);
    cup_gl_failed(work);
    buffer->mappers--;
    return result;
}

/* READ_ONLY: a copy of the resource's own, which never goes back. */
static CUresult copy_privately(struct cup_gl_work *work, struct view *view)
{
    struct buffer *buffer = view->buffer;
    CUresult result = map_locked(work, buffer, true);

    if (result != CUDA_SUCCESS)
        return result;
    if (!shadow_make(&view->shadow, buffer->size_bytes))
        result =
            cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy of buffer %u", buffer->name);
    else
        memcpy(view->shadow.memory, buffer->pointer, buffer->size_bytes);
    if (buffer->mappers == 1 && buffer->way == BY_COPY)
        buffer->mappers--; /* there is nothing to write back */
    else
        unmap_locked(work, buffer);
    return result;
}

static CUresult view_map_locked(struct cup_gl_work *work, struct CUgraphicsResource_st *resource,
                                unsigned flags)
{
    struct view *view = resource->body;
    struct buffer *buffer = view->buffer;
    CUresult result;

    view->private = flags == CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY;
    if (view->private)
        result = copy_privately(work, view);
    else
        result = map_locked(work, buffer, flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
    if (result != CUDA_SUCCESS)
        return result;
    view->address = (uint64_t)(uintptr_t)(view->private ? view->shadow.memory : buffer->pointer);
    result =
        cup_registered_lend(view->address, buffer->size_bytes,
                            cup_object_index(&resource->context->base), resource->context->device);
    if (result != CUDA_SUCCESS && !view->private)
        unmap_locked(work, buffer);
    return result;
}

static CUresult view_map(struct CUgraphicsResource_st *resource, unsigned flags)
{
    struct view *view = resource->body;
    struct cup_gl_work work;

    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "no OpenGL context is current");
    cup_lock_acquire(&view->buffer->lock);
    CUresult result = view_map_locked(&work, resource, flags);
    cup_lock_release(&view->buffer->lock);
    cup_gl_end(&work);
    return result;
}

static CUresult view_unmap(struct CUgraphicsResource_st *resource)
{
    struct view *view = resource->body;
    struct cup_gl_work work;
    CUresult result = CUDA_SUCCESS;

    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "no OpenGL context is current");
    if (!view->private) {
        cup_lock_acquire(&view->buffer->lock);
        result = unmap_locked(&work, view->buffer);
        cup_lock_release(&view->buffer->lock);
    }
    if (result != CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
        cup_registered_return(view->address);
    cup_gl_end(&work);
    return result;
}

static CUresult view_pointer(struct CUgraphicsResource_st *resource, CUdeviceptr *pointer,
                             size_t *size)
{
    struct view *view = resource->body;

    *pointer = view->address;
    *size = view->registered_bytes;
    return CUDA_SUCCESS;
}

static CUresult view_unregister(struct CUgraphicsResource_st *resource)
{
    struct cup_gl_work work;

    (void)resource;
    if (!cup_gl_begin(&work))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "no OpenGL context is current");
    cup_gl_end(&work);
    return CUDA_SUCCESS;
}

/* Where its context is not current, the vertex array stays until that ends. */
static void free_array(struct buffer *buffer)
{
    struct cup_gl_work work;
    struct binding binding;

    if (!buffer->array || !cup_gl_begin(&work))
        return;
    if (bind_array(&work, buffer, &binding)) {
        unbind(&work, &binding);
        work.gl->DeleteVertexArrays(1, &buffer->array);
    }
    cup_gl_end(&work);
}

static void buffer_unref(struct buffer *buffer)
{
    cup_lock_acquire(&list_lock);
    bool last = --buffer->users == 0;
    for (struct buffer **link = &buffers; last && *link; link = &(*link)->next) {
        if (*link == buffer) {
            *link = buffer->next;
            break;
        }
    }
    cup_lock_release(&list_lock);
    if (!last)
        return;
    free_array(buffer);
    if (buffer->pointer && buffer->way != BY_COPY)
        cup_registered_forget((uint64_t)(uintptr_t)buffer->pointer);
    shadow_free(&buffer->shadow);
    free(buffer);
}

static void view_finish(struct CUgraphicsResource_st *resource)
{
    struct view *view = resource->body;

    shadow_free(&view->shadow);
    buffer_unref(view->buffer);
    free(view);
}

static const struct cup_resource_ops buffer_ops = {
    .map = view_map,
    .unmap = view_unmap,
    .unregister = view_unregister,
    .finish = view_finish,
    .pointer = view_pointer,
};

/* Where the buffer's memory is, if OpenGL says so: the mark by which it is known again. */
static void *probe_pointer(struct cup_gl_work *work, unsigned target, size_t size)
{
    if (bound_value(work, target, GL_BUFFER_MAPPED))
        return bound_value(work, target, GL_BUFFER_MAP_OFFSET) == 0 ? bound_pointer(work, target)
                                                                    : NULL;
    if ((bound_rights(work, target) & BOTH) != BOTH)
        return NULL;
    void *pointer = work->gl->MapBufferRange(target, 0, (ptrdiff_t)size, BOTH);
    if (pointer)
        work->gl->UnmapBuffer(target);
    cup_gl_failed(work);
    return pointer;
}

/* The struct buffer of one that is registered already. */
static struct buffer *buffer_known(const struct cup_gl_work *work, unsigned name,
                                   const void *pointer)
{
    struct buffer *found;

    cup_lock_acquire(&list_lock);
    for (found = buffers; found; found = found->next) {
        if (found->gl_context == work->context && found->name == name && pointer &&
            found->pointer == pointer)
            break;
    }
    if (found)
        found->users++;
    cup_lock_release(&list_lock);
    return found;
}

static struct buffer *buffer_new(struct cup_gl_work *work, unsigned name, size_t size,
                                 void *pointer)
{
    struct buffer *buffer = calloc(1, sizeof(*buffer));
    int saved;

    if (!buffer)
        return NULL;
    cup_lock_init(&buffer->lock, CUP_RANK_GRAPHICS);
    buffer->users = 1;
    buffer->gl_context = work->context;
    buffer->name = name;
    buffer->size_bytes = size;
    buffer->pointer = pointer;
    work->gl->GetIntegerv(GL_VERTEX_ARRAY_BINDING, &saved);
    work->gl->GenVertexArrays(1, &buffer->array);
    work->gl->BindVertexArray(buffer->array);
    work->gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, name);
    work->gl->BindVertexArray((unsigned)saved);
    cup_lock_acquire(&list_lock);
    buffer->next = buffers;
    buffers = buffer;
    cup_lock_release(&list_lock);
    return buffer;
}

static CUresult buffer_find(struct cup_gl_work *work, unsigned name, struct view *view)
{
    struct binding binding;

    if (!work->gl->IsBuffer(name))
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "there is no buffer %u", name);
    bind_name(work, name, &binding);
    view->registered_bytes = bound_bytes(work, binding.target);
    void *pointer =
        view->registered_bytes ? probe_pointer(work, binding.target, view->registered_bytes) : NULL;
    unbind(work, &binding);
    if (view->registered_bytes == 0)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "buffer %u has no memory", name);
    view->buffer = buffer_known(work, name, pointer);
    if (!view->buffer)
        view->buffer = buffer_new(work, name, view->registered_bytes, pointer);
    return view->buffer ? CUDA_SUCCESS : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory");
}

CUresult cup_gl_buffer_register(struct CUctx_st *context, unsigned name, unsigned flags,
                                struct CUgraphicsResource_st **resource)
{
    struct cup_gl_work work;
    struct view *view = calloc(1, sizeof(*view));

    if (!view)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graphics resource");
    if (!cup_gl_begin(&work)) {
        free(view);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no OpenGL context is current");
    }
    CUresult result = buffer_find(&work, name, view);
    if (result == CUDA_SUCCESS)
        result = cup_resource_create(context, &buffer_ops, view, flags, resource);
    else
        free(view);
    cup_gl_end(&work);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Mapping for CUDA is mapping by OpenGL: software drivers return the memory itself, so nothing is
 * copied. Buffers that OpenGL does not map (immutable storage without the access flags) get a copy.
 *
 * A vertex array keeps the buffer alive: OpenGL frees no buffer that a vertex array references. A
 * buffer that the application deletes therefore stays valid until it is unregistered, and its
 * memory is not freed under a running copy. Names can be reused for other buffers, so a buffer
 * found by name is accepted only if it is at the address where the buffer was. */
#include "interop/gl_storage.h"

#include "core/checks.h"
#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "interop/gl_lock.h"
#include "memory/registered.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <string.h>

enum {
    BOTH = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT,
    SHADOW_ALIGN = 4096,
    ACCESS_ALIGN = 16, /* the largest alignment that an access of a kernel needs */
};

static struct cup_lock list_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPHICS_LIST);
static struct cup_gl_storage *storages; /* guarded by list_lock */

bool cup_gl_shadow_resize(struct cup_gl_shadow *shadow, size_t size_bytes)
{
    if (shadow->memory && shadow->size_bytes == size_bytes) {
        cup_check_guarded_unprotect(shadow->memory);
        return true;
    }
    cup_gl_shadow_free(shadow);
    shadow->memory = cup_checks.redzones ? cup_check_guarded_alloc(size_bytes)
                                         : cup_reserve_private(size_bytes, SHADOW_ALIGN);
    shadow->size_bytes = size_bytes;
    return shadow->memory != NULL;
}

void cup_gl_shadow_free(struct cup_gl_shadow *shadow)
{
    if (!shadow->memory)
        return;
    cup_registered_forget((uint64_t)(uintptr_t)shadow->memory);
    if (cup_checks.redzones)
        cup_check_guarded_free(shadow->memory);
    else
        cup_reserve_release(shadow->memory, shadow->size_bytes);
    shadow->memory = NULL;
}

/* A temporary buffer binding for queries. */
struct binding {
    unsigned target;
    int saved;
};

static void bind_name(struct cup_gl_work *work, unsigned name, struct binding *binding)
{
    binding->target = GL_COPY_READ_BUFFER;
    /* the target and its binding query have the same value */
    work->gl->GetIntegerv(GL_COPY_READ_BUFFER, &binding->saved);
    work->gl->BindBuffer(GL_COPY_READ_BUFFER, name);
}

/* Returns false if the current context does not have our vertex array. The context's address does
 * not prove that: another context may have been created there. */
static bool bind_array(struct cup_gl_work *work, const struct cup_gl_storage *storage,
                       struct binding *binding)
{
    int array = 0, name = 0;

    if (work->context != storage->work.context)
        return false;
    binding->target = GL_ELEMENT_ARRAY_BUFFER;
    work->gl->GetIntegerv(GL_VERTEX_ARRAY_BINDING, &binding->saved);
    work->gl->BindVertexArray(storage->array);
    work->gl->GetIntegerv(GL_VERTEX_ARRAY_BINDING, &array);
    work->gl->GetIntegerv(GL_ELEMENT_ARRAY_BUFFER_BINDING, &name);
    if ((unsigned)array == storage->array && (unsigned)name == storage->name)
        return true;
    work->gl->BindVertexArray((unsigned)binding->saved);
    cup_gl_failed(work);
    return false;
}

/* Binds through the vertex array if the context has it, because the name may have been reused,
 * otherwise by name. Returns false if the current context has neither. */
static bool bind(struct cup_gl_work *work, const struct cup_gl_storage *storage,
                 struct binding *binding)
{
    if (bind_array(work, storage, binding))
        return true;
    if (!work->gl->IsBuffer(storage->name))
        return false;
    bind_name(work, storage->name, binding);
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

/* The access flags of immutable storage; all flags for other buffers. */
static unsigned bound_rights(struct cup_gl_work *work, unsigned target)
{
    if (work->version < (work->es ? 33 : 44) ||
        !bound_value(work, target, GL_BUFFER_IMMUTABLE_STORAGE))
        return BOTH | GL_DYNAMIC_STORAGE_BIT;
    return (unsigned)bound_value(work, target, GL_BUFFER_STORAGE_FLAGS);
}

/* True if another struct cup_gl_storage is mapped at the address: two contexts that share a buffer
 * may both have registered it. Both have the lock that the caller holds. */
static bool is_ours(const struct cup_gl_storage *self, const void *pointer)
{
    bool found = false;

    cup_lock_acquire(&list_lock);
    for (const struct cup_gl_storage *each = storages; each && !found; each = each->next)
        found = each != self && each->mappers > 0 && each->pointer == pointer;
    cup_lock_release(&list_lock);
    return found;
}

/* Handles a mapping that already exists: a persistent one is used, any other is ended, as NVIDIA's
 * driver does. */
static bool use_others_mapping(struct cup_gl_work *work, struct cup_gl_storage *storage,
                               unsigned target, size_t size)
{
    void *pointer = bound_pointer(work, target);
    unsigned access = (unsigned)bound_value(work, target, GL_BUFFER_ACCESS_FLAGS);
    bool whole = bound_value(work, target, GL_BUFFER_MAP_OFFSET) == 0 &&
                 (size_t)bound_value(work, target, GL_BUFFER_MAP_LENGTH) == size;

    if (is_ours(storage, pointer) || (access & GL_MAP_PERSISTENT_BIT)) {
        if (!whole || (access & BOTH) != BOTH)
            return false;
        storage->pointer = pointer;
        storage->method = CUP_GL_BY_OTHERS;
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

/* Storage that is not writable by the client is written with a copy from a temporary buffer. */
static bool write_bound(struct cup_gl_work *work, unsigned target, size_t size, const void *memory)
{
    const struct cup_gl *gl = work->gl;
    int saved = 0;
    unsigned staging;

    if (bound_rights(work, target) & GL_DYNAMIC_STORAGE_BIT) {
        gl->BufferSubData(target, 0, (ptrdiff_t)size, memory);
        if (!cup_gl_failed(work))
            return true;
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

/* The common case: the buffer has its old name and address. */
static bool map_by_name(struct cup_gl_work *work, struct cup_gl_storage *storage)
{
    if (!cup_gl_has_direct_access(work) || work->context != storage->work.context ||
        !storage->pointer || storage->method == CUP_GL_BY_COPY)
        return false;
    void *pointer =
        work->gl->MapNamedBufferRange(storage->name, 0, (ptrdiff_t)storage->size_bytes, BOTH);
    if (pointer == storage->pointer) {
        storage->method = CUP_GL_BY_NAME;
        return true;
    }
    if (pointer)
        work->gl->UnmapNamedBuffer(storage->name);
    cup_gl_failed(work);
    return false;
}

static CUresult map_shadow(struct cup_gl_work *work, struct cup_gl_storage *storage,
                           unsigned target, size_t size, bool read)
{
    if (!cup_gl_shadow_resize(&storage->shadow, size))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy of %zu bytes", size);
    if (read && !read_bound(work, target, size, storage->shadow.memory))
        return cup_error(CUDA_ERROR_MAP_FAILED, "OpenGL failed to read buffer %u", storage->name);
    storage->method = CUP_GL_BY_COPY;
    storage->pointer = storage->shadow.memory;
    return CUDA_SUCCESS;
}

static CUresult map_bound(struct cup_gl_work *work, struct cup_gl_storage *storage, unsigned target,
                          bool read)
{
    size_t size = bound_bytes(work, target);
    void *last = storage->method == CUP_GL_BY_COPY ? NULL : storage->pointer;

    if (size == 0)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "buffer %u has no memory", storage->name);
    storage->size_bytes = size;
    if (bound_value(work, target, GL_BUFFER_MAPPED) &&
        use_others_mapping(work, storage, target, size))
        return CUDA_SUCCESS;
    if ((bound_rights(work, target) & BOTH) != BOTH || bound_value(work, target, GL_BUFFER_MAPPED))
        return map_shadow(work, storage, target, size, read);
    void *pointer = work->gl->MapBufferRange(target, 0, (ptrdiff_t)size, BOTH);
    if (!pointer) {
        cup_gl_failed(work);
        return map_shadow(work, storage, target, size, read);
    }
    if (target != GL_ELEMENT_ARRAY_BUFFER && pointer != last) {
        work->gl->UnmapBuffer(target);
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "the current OpenGL context has another buffer %u", storage->name);
    }
    storage->method = CUP_GL_BY_BINDING;
    storage->pointer = pointer;
    return CUDA_SUCCESS;
}

/* Memory that OpenGL aligns to less than kernels need is copied. CUPIPE_CHECK=memory: CUDA uses a
 * copy with redzones, because the driver accesses the memory itself at times when CUDA must not. */
static bool needs_copy(const struct cup_gl_storage *storage)
{
    return cup_checks.redzones || (uintptr_t)storage->pointer % ACCESS_ALIGN != 0;
}

static void begin_mapping(struct cup_gl_storage *storage)
{
    if (storage->mappers++ > 0)
        return;
    storage->seen = storage->pointer;
    if (cup_likely(!needs_copy(storage)) || storage->method == CUP_GL_BY_COPY ||
        storage->method == CUP_GL_BY_OTHERS ||
        !cup_gl_shadow_resize(&storage->shadow, storage->size_bytes))
        return;
    memcpy(storage->shadow.memory, storage->pointer, storage->size_bytes);
    storage->seen = storage->shadow.memory;
}

/* Called while the memory is still mapped in OpenGL, before it is unmapped. */
static void write_back(const struct cup_gl_storage *storage)
{
    if (storage->seen != storage->pointer)
        memcpy(storage->pointer, storage->seen, storage->size_bytes);
}

/* Called if the application deleted the buffer, which unmapped it; the vertex array still
 * references it. */
static void write_back_deleted(struct cup_gl_work *work, const struct cup_gl_storage *storage,
                               unsigned target)
{
    size_t size = bound_bytes(work, target);
    void *pointer = size == storage->size_bytes
                        ? work->gl->MapBufferRange(target, 0, (ptrdiff_t)size, BOTH)
                        : NULL;

    if (!pointer)
        return;
    memcpy(pointer, storage->seen, size);
    work->gl->UnmapBuffer(target);
}

static void end_mapping(struct cup_gl_storage *storage)
{
    if (--storage->mappers == 0)
        cup_check_guarded_protect(storage->seen);
}

CUresult cup_gl_storage_map_locked(struct cup_gl_work *work, struct cup_gl_storage *storage,
                                   bool read)
{
    cup_lock_assert_held(storage->lock);
    struct binding binding;

    if (storage->mappers > 0 || map_by_name(work, storage)) {
        begin_mapping(storage);
        return CUDA_SUCCESS;
    }
    void *last = storage->method == CUP_GL_BY_COPY ? NULL : storage->pointer;
    if (!bind(work, storage, &binding))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "the current OpenGL context has no buffer %u", storage->name);
    CUresult result = map_bound(work, storage, binding.target, read);
    unbind(work, &binding);
    cup_gl_failed(work);
    if (last && last != storage->pointer)
        cup_registered_forget((uint64_t)(uintptr_t)last);
    if (result == CUDA_SUCCESS)
        begin_mapping(storage);
    return result;
}

/* Unmaps only our own mapping: the application may have deleted or resized the buffer, which
 * unmapped it, and then mapped another buffer with that name. */
static bool unmap_by_name(struct cup_gl_work *work, struct cup_gl_storage *storage)
{
    void *pointer = NULL;

    if (storage->method != CUP_GL_BY_NAME || work->context != storage->work.context)
        return false;
    work->gl->GetNamedBufferPointerv(storage->name, GL_BUFFER_MAP_POINTER, &pointer);
    if (pointer != storage->pointer)
        return false;
    write_back(storage);
    work->gl->UnmapNamedBuffer(storage->name);
    return true;
}

CUresult cup_gl_storage_unmap_locked(struct cup_gl_work *work, struct cup_gl_storage *storage)
{
    cup_lock_assert_held(storage->lock);
    struct binding binding;
    CUresult result = CUDA_SUCCESS;

    if (storage->mappers > 1 || storage->method == CUP_GL_BY_OTHERS ||
        unmap_by_name(work, storage)) {
        end_mapping(storage);
        return CUDA_SUCCESS;
    }
    if (!bind(work, storage, &binding))
        return cup_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
                         "the current OpenGL context has no buffer %u", storage->name);
    if (storage->method == CUP_GL_BY_COPY) {
        if (bound_bytes(work, binding.target) != storage->size_bytes ||
            !write_bound(work, binding.target, storage->size_bytes, storage->pointer))
            result = cup_error(CUDA_ERROR_UNMAP_FAILED, "OpenGL failed to write buffer %u",
                               storage->name);
    } else if (bound_pointer(work, binding.target) == storage->pointer) {
        write_back(storage);
        work->gl->UnmapBuffer(binding.target);
    } else if (storage->seen != storage->pointer) {
        write_back_deleted(work, storage, binding.target);
    }
    unbind(work, &binding);
    cup_gl_failed(work);
    end_mapping(storage);
    return result;
}

/* The common case of both calls without querying the current context: a buffer with the same name
 * and address is the same buffer. */
bool cup_gl_storage_map_fast_locked(struct cup_gl_storage *storage)
{
    cup_lock_assert_held(storage->lock);
    struct cup_gl_work work;

    if (storage->mappers > 0 || storage->method == CUP_GL_BY_COPY)
        return false;
    cup_gl_begin_assumed(&work, &storage->work);
    bool mapped = map_by_name(&work, storage);
    if (mapped)
        begin_mapping(storage);
    cup_gl_end(&work);
    return mapped;
}

bool cup_gl_storage_unmap_fast_locked(struct cup_gl_storage *storage)
{
    cup_lock_assert_held(storage->lock);
    struct cup_gl_work work;

    if (storage->mappers != 1 || storage->method != CUP_GL_BY_NAME)
        return false;
    cup_gl_begin_assumed(&work, &storage->work);
    bool unmapped = unmap_by_name(&work, storage);
    if (unmapped)
        end_mapping(storage);
    cup_gl_end(&work);
    return unmapped;
}

/* If its context is not current, the vertex array lives until that context ends. */
static void free_array(struct cup_gl_storage *storage)
{
    struct cup_gl_work work;
    struct binding binding;

    if (!storage->array || !cup_gl_begin(&work))
        return;
    if (bind_array(&work, storage, &binding)) {
        unbind(&work, &binding);
        work.gl->DeleteVertexArrays(1, &storage->array);
    }
    cup_gl_end(&work);
}

void cup_gl_storage_unref(struct cup_gl_storage *storage)
{
    cup_lock_acquire(&list_lock);
    bool last = --storage->users == 0;
    for (struct cup_gl_storage **link = &storages; last && *link; link = &(*link)->next) {
        if (*link == storage) {
            *link = storage->next;
            break;
        }
    }
    cup_lock_release(&list_lock);
    if (!last)
        return;
    free_array(storage);
    if (storage->pointer && storage->method != CUP_GL_BY_COPY)
        cup_registered_forget((uint64_t)(uintptr_t)storage->pointer);
    cup_gl_shadow_free(&storage->shadow);
    free(storage);
}

/* Returns the buffer's address if OpenGL maps it; it identifies the buffer later. */
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

/* Returns the struct cup_gl_storage if the buffer is registered already. */
static struct cup_gl_storage *storage_known(const struct cup_gl_work *work, unsigned name,
                                            const void *pointer)
{
    struct cup_gl_storage *found;

    cup_lock_acquire(&list_lock);
    for (found = storages; found; found = found->next) {
        if (found->work.context == work->context && found->name == name && pointer &&
            found->pointer == pointer)
            break;
    }
    if (found)
        found->users++;
    cup_lock_release(&list_lock);
    return found;
}

static struct cup_gl_storage *storage_new(struct cup_gl_work *work, unsigned name, size_t size,
                                          void *pointer)
{
    struct cup_gl_storage *storage = calloc(1, sizeof(*storage));
    int saved;

    if (!storage)
        return NULL;
    storage->lock = cup_gl_lock_of(name);
    storage->users = 1;
    storage->work = *work;
    storage->name = name;
    storage->size_bytes = size;
    storage->pointer = pointer;
    work->gl->GetIntegerv(GL_VERTEX_ARRAY_BINDING, &saved);
    work->gl->GenVertexArrays(1, &storage->array);
    work->gl->BindVertexArray(storage->array);
    work->gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, name);
    work->gl->BindVertexArray((unsigned)saved);
    cup_lock_acquire(&list_lock);
    storage->next = storages;
    storages = storage;
    cup_lock_release(&list_lock);
    return storage;
}

/* The buffer may be mapped for a moment, so no other thread may map or unmap it. */
static CUresult find_locked(struct cup_gl_work *work, unsigned name, size_t *size_bytes,
                            struct cup_gl_storage **storage)
{
    cup_lock_assert_held(cup_gl_lock_of(name));
    struct binding binding;

    if (!work->gl->IsBuffer(name))
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "buffer %u does not exist", name);
    bind_name(work, name, &binding);
    *size_bytes = bound_bytes(work, binding.target);
    void *pointer = *size_bytes ? probe_pointer(work, binding.target, *size_bytes) : NULL;
    unbind(work, &binding);
    if (*size_bytes == 0)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "buffer %u has no memory", name);
    *storage = storage_known(work, name, pointer);
    if (!*storage)
        *storage = storage_new(work, name, *size_bytes, pointer);
    return *storage ? CUDA_SUCCESS : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory");
}

CUresult cup_gl_storage_find(struct cup_gl_work *work, unsigned name, size_t *size_bytes,
                             struct cup_gl_storage **storage)
{
    struct cup_lock *lock = cup_gl_lock_of(name);

    cup_lock_acquire(lock);
    CUresult result = find_locked(work, name, size_bytes, storage);
    cup_lock_release(lock);
    return result;
}

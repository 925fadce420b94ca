/* SPDX-License-Identifier: MIT */
/* Pointer attributes: a table with one row per attribute. The two calls differ where there is no
 * value: cuPointerGetAttribute fails, cuPointerGetAttributes returns zero. */
#include "impl.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "device/context.h"
#include "memory/map.h"
#include "memory/virtual.h"
#include "os/guard.h"

#include <stddef.h>
#include <string.h>

/* The ordinal of the locality domain of memory that is not localised: -1. */
#define NO_DOMAIN UINT32_MAX

/* A value; an attribute returns its first `bytes` bytes. */
struct value {
    uint64_t word;
    uint32_t more;
};

struct pointer_attribute;

struct question {
    const struct pointer_attribute *attribute;
    const struct cup_range *range;
    uint64_t address;
};

/* A failed query may still set a value, which is then returned. */
typedef CUresult answer_function(const struct question *asked, struct value *value);

/* The result of cuPointerGetAttributes for a pointer that CUDA does not know. */
enum elsewhere {
    WRITE_ZERO,
    WRITE_NO_DEVICE,
    WRITE_NO_DOMAIN,
    WRITE_ADDRESS,
    KEEP,
    REFUSE, /* fails for every pointer */
};

struct pointer_attribute {
    unsigned bytes; /* 0: no such attribute */
    enum elsewhere elsewhere;
    answer_function *answer;
    size_t field; /* for answer_field: of struct cup_range */
    bool shallow; /* the quick look-up is enough for the answer */
};

static bool on_device(const struct cup_range *range)
{
    return cup_range_on_device(range->kind, range->flags);
}

static bool is_managed(const struct cup_range *range)
{
    return range->kind == CUP_RANGE_MANAGED;
}

static bool is_pooled(const struct cup_range *range)
{
    return range->flags & CUP_RANGE_POOL;
}

/* True if the memory itself records which devices may access it. */
static bool has_rights(const struct cup_range *range)
{
    return range->kind == CUP_RANGE_VIRTUAL || (is_pooled(range) && on_device(range));
}

static bool reachable(struct CUctx_st *context, const struct cup_range *range)
{
    if (has_rights(range))
        return range->read_by >> context->device->ordinal & 1;
    return !on_device(range) || is_managed(range) || cup_context_may_access(context, range->device);
}

static CUresult answer_field(const struct question *asked, struct value *value)
{
    memcpy(&value->word, (const char *)asked->range + asked->attribute->field, sizeof(value->word));
    return CUDA_SUCCESS;
}

static CUresult answer_one(const struct question *asked, struct value *value)
{
    (void)asked;
    value->word = 1;
    return CUDA_SUCCESS;
}

static CUresult answer_ipc_capable(const struct question *asked, struct value *value)
{
    value->word = asked->range->kind == CUP_RANGE_DEVICE && !is_pooled(asked->range);
    return CUDA_SUCCESS;
}

/* For memory of cuMemCreate or a pool, whether it was created for this use. All other device memory
 * is suitable, except managed memory. */
static bool is_good_for(const struct cup_range *range, unsigned flag)
{
    return on_device(range) && !is_managed(range) && range->kind != CUP_RANGE_IPC &&
           range->kind != CUP_RANGE_EXTERNAL && range->kind != CUP_RANGE_GRAPHICS &&
           (range->flags & flag || !(range->kind == CUP_RANGE_VIRTUAL || is_pooled(range)));
}

static CUresult answer_rdma_capable(const struct question *asked, struct value *value)
{
    value->word = is_good_for(asked->range, CUP_RANGE_RDMA);
    return CUDA_SUCCESS;
}

static CUresult answer_decompress_capable(const struct question *asked, struct value *value)
{
    value->word = cup_range_decompresses(asked->range->kind, asked->range->flags);
    return CUDA_SUCCESS;
}

static CUresult answer_pool(const struct question *asked, struct value *value)
{
    if (is_pooled(asked->range))
        value->word = (uint64_t)(uintptr_t)cup_object_at(asked->range->owner);
    return CUDA_SUCCESS;
}

static CUresult answer_managed(const struct question *asked, struct value *value)
{
    value->word = is_managed(asked->range);
    return CUDA_SUCCESS;
}

static CUresult answer_handle_types(const struct question *asked, struct value *value)
{
    value->word = asked->range->kind == CUP_RANGE_VIRTUAL || is_pooled(asked->range)
                      ? asked->range->handle_types
                      : 0;
    return CUDA_SUCCESS;
}

/* Virtual memory, memory of pools and variables of libraries belong to no context. */
static CUresult answer_context(const struct question *asked, struct value *value)
{
    if (asked->range->owner != CUP_OWNER_NONE && asked->range->kind != CUP_RANGE_VIRTUAL &&
        !is_pooled(asked->range))
        value->word = (uint64_t)(uintptr_t)cup_object_at(asked->range->owner);
    return CUDA_SUCCESS;
}

static CUresult answer_memory_type(const struct question *asked, struct value *value)
{
    value->word = on_device(asked->range) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    return CUDA_SUCCESS;
}

static CUresult answer_device_pointer(const struct question *asked, struct value *value)
{
    struct CUctx_st *context = cup_context_current();

    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT,
                         "no context is current to access the memory from");
    if (!reachable(context, asked->range))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the context has no access to the memory");
    value->word = asked->address;
    return CUDA_SUCCESS;
}

static CUresult answer_host_pointer(const struct question *asked, struct value *value)
{
    if (on_device(asked->range) && !is_managed(asked->range))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "device memory has no host pointer");
    value->word = asked->address;
    return CUDA_SUCCESS;
}

/* A holder of the tokens may write the memory from outside, so operations on it synchronise from
 * now on. */
static CUresult answer_p2p_tokens(const struct question *asked, struct value *value)
{
    if (!on_device(asked->range))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "host memory has no P2P tokens");
    const struct cup_device *device = asked->range->device;

    cup_map_set_flag(asked->address, CUP_RANGE_SYNC_MEMOPS, true);
    value->word = 0; /* the token of a peer, of which there is none */
    value->more = device ? (uint32_t)device->ordinal + 1 : 0; /* managed, of a pool of no device */
    return CUDA_SUCCESS;
}

static CUresult answer_sync_memops(const struct question *asked, struct value *value)
{
    value->word = (asked->range->flags & CUP_RANGE_SYNC_MEMOPS) != 0;
    return CUDA_SUCCESS;
}

static CUresult answer_ordinal(const struct question *asked, struct value *value)
{
    const struct cup_device *device = asked->range->device;

    value->word = (uint64_t)(device ? device->ordinal : CU_DEVICE_CPU);
    return CUDA_SUCCESS;
}

/* Memory is of whole devices, which is not localised. */
static CUresult answer_domain(const struct question *asked, struct value *value)
{
    (void)asked;
    value->word = NO_DOMAIN;
    return CUDA_SUCCESS;
}

/* The rights of the current context's device. Without a context: for a pool's memory the rights of
 * any device, for mapped memory none. */
static CUresult answer_rights(const struct cup_range *range, struct value *value)
{
    struct CUctx_st *context = cup_context_current();
    uint64_t anybody = range->kind == CUP_RANGE_VIRTUAL ? 0 : ~UINT64_C(0);
    uint64_t who = context ? UINT64_C(1) << context->device->ordinal : anybody;

    if (range->write_by & who)
        value->word = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    else if (range->read_by & who)
        value->word = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ;
    return CUDA_SUCCESS;
}

static CUresult answer_access(const struct question *asked, struct value *value)
{
    struct CUctx_st *context = cup_context_current();

    if (asked->range->kind == CUP_RANGE_REGISTERED && (asked->range->flags & CUP_RANGE_NO_WRITE)) {
        value->word = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ;
        return CUDA_SUCCESS;
    }
    if (has_rights(asked->range))
        return answer_rights(asked->range, value);
    value->word = !context || reachable(context, asked->range)
                      ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE
                      : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE;
    return CUDA_SUCCESS;
}

/* For a mapping without access rights, the extent of its reservation is returned. */
static void find_extent(const struct question *asked, uint64_t *base, uint64_t *size_bytes)
{
    const struct cup_range *range = asked->range;

    *base = range->base;
    *size_bytes = range->size_bytes;
    if (range->kind == CUP_RANGE_VIRTUAL && (range->flags & CUP_RANGE_NO_READ))
        cup_virtual_reservation_at(asked->address, base, size_bytes);
}

static CUresult answer_range_start(const struct question *asked, struct value *value)
{
    uint64_t size_bytes;

    find_extent(asked, &value->word, &size_bytes);
    return CUDA_SUCCESS;
}

static CUresult answer_range_size(const struct question *asked, struct value *value)
{
    uint64_t base;

    find_extent(asked, &base, &value->word);
    return CUDA_SUCCESS;
}

#define FIELD(name) answer_field, offsetof(struct cup_range, name)
#define BY(function) answer_##function, 0

static const struct pointer_attribute attributes[] = {
    [CU_POINTER_ATTRIBUTE_CONTEXT] = {8, WRITE_ZERO, BY(context), false},
    [CU_POINTER_ATTRIBUTE_MEMORY_TYPE] = {4, WRITE_ZERO, BY(memory_type), true},
    [CU_POINTER_ATTRIBUTE_DEVICE_POINTER] = {8, WRITE_ZERO, BY(device_pointer), false},
    [CU_POINTER_ATTRIBUTE_HOST_POINTER] = {8, WRITE_ADDRESS, BY(host_pointer), true},
    [CU_POINTER_ATTRIBUTE_P2P_TOKENS] = {12, REFUSE, BY(p2p_tokens), false},
    [CU_POINTER_ATTRIBUTE_SYNC_MEMOPS] = {4, WRITE_ZERO, BY(sync_memops), true},
    [CU_POINTER_ATTRIBUTE_BUFFER_ID] = {8, WRITE_ZERO, FIELD(buffer_id), false},
    [CU_POINTER_ATTRIBUTE_IS_MANAGED] = {4, WRITE_ZERO, BY(managed), true},
    [CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL] = {4, WRITE_NO_DEVICE, BY(ordinal), false},
    [CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE] = {4, WRITE_ZERO, BY(ipc_capable), true},
    [CU_POINTER_ATTRIBUTE_RANGE_START_ADDR] = {8, KEEP, BY(range_start), true},
    [CU_POINTER_ATTRIBUTE_RANGE_SIZE] = {8, KEEP, BY(range_size), true},
    [CU_POINTER_ATTRIBUTE_MAPPED] = {4, WRITE_ZERO, BY(one), true},
    [CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES] = {8, WRITE_ZERO, BY(handle_types), false},
    [CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE] = {4, WRITE_ZERO, BY(rdma_capable), false},
    [CU_POINTER_ATTRIBUTE_ACCESS_FLAGS] = {4, WRITE_ZERO, BY(access), false},
    [CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE] = {8, WRITE_ZERO, BY(pool), false},
    [CU_POINTER_ATTRIBUTE_MAPPING_SIZE] = {8, WRITE_ZERO, FIELD(block_bytes), false},
    [CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR] = {8, WRITE_ZERO, FIELD(block_base), false},
    [CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID] = {8, WRITE_ZERO, FIELD(block_id), false},
    [CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE] = {4, WRITE_ZERO, BY(decompress_capable),
                                                       false},
    [CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL] = {4, WRITE_NO_DOMAIN, BY(domain), true},
};

static const struct pointer_attribute *attribute_find(CUpointer_attribute name)
{
    if ((size_t)name >= CUP_ARRAY_COUNT(attributes) || attributes[name].bytes == 0 ||
        !cup_driver_knows(CUP_ENUM_POINTER_ATTRIBUTE, name))
        return NULL;
    return &attributes[name];
}

/* Looks up as much of the range as the attribute needs. */
static bool look_up(const struct pointer_attribute *row, uint64_t address, struct cup_range *range)
{
    struct cup_span span;

    if (!row->shallow)
        return cup_map_describe(address, range);
    if (!cup_map_find(address, &span))
        return false;
    *range = (struct cup_range){
        .base = span.base, .size_bytes = span.size_bytes, .kind = span.kind, .flags = span.flags};
    return true;
}

CUresult impl_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    const struct pointer_attribute *row = attribute_find(attribute);
    struct cup_range range;
    struct value value = {0, 0};

    if (!data || !row)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "data is NULL, or attribute %d is invalid",
                         (int)attribute);
    if (!look_up(row, ptr, &range))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not CUDA memory",
                         (unsigned long long)ptr);
    CUresult result = row->answer(&(struct question){row, &range, ptr}, &value);
    memcpy(data, &value, row->bytes);
    return result;
}

/* One attribute of several; `range` is NULL if the pointer is not CUDA's. */
static CUresult answer_one_of_many(void *data, CUpointer_attribute attribute,
                                   const struct cup_range *range, CUdeviceptr ptr)
{
    const struct pointer_attribute *row = attribute_find(attribute);
    struct value value = {0, 0};

    if (!data || !row || row->elsewhere == REFUSE)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "an output is NULL, or attribute %d cannot be queried in a list",
                         (int)attribute);
    if (range)
        row->answer(&(struct question){row, range, ptr}, &value);
    else if (row->elsewhere == WRITE_NO_DEVICE)
        value.word = (uint64_t)CU_DEVICE_INVALID;
    else if (row->elsewhere == WRITE_NO_DOMAIN)
        value.word = NO_DOMAIN;
    else if (row->elsewhere == WRITE_ADDRESS)
        value.word = ptr;
    if (range || row->elsewhere != KEEP)
        memcpy(data, &value, row->bytes);
    return CUDA_SUCCESS;
}

/* Processes them in order: attributes before an invalid one are returned. */
CUresult impl_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *names,
                                     void **data, CUdeviceptr ptr)
{
    struct cup_range range;
    CUresult result = CUDA_SUCCESS;

    if (numAttributes == 0 || !names || !data)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid number of %u attributes, or a list is NULL", numAttributes);
    bool known = cup_map_describe(ptr, &range);
    for (unsigned i = 0; i < numAttributes && result == CUDA_SUCCESS; i++)
        result = answer_one_of_many(data[i], names[i], known ? &range : NULL, ptr);
    return result;
}

CUresult impl_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                    CUdeviceptr ptr)
{
    struct cup_span span;
    unsigned on;

    if (value && cup_map_find(ptr, &span) && span.kind == CUP_RANGE_VIRTUAL)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "SYNC_MEMOPS cannot be set for virtual memory");
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "value is NULL, or attribute %d cannot be set",
                         (int)attribute);
    if (!cup_guard_copy(&on, value, sizeof(on)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the value to set is not readable");
    if (!cup_map_set_flag(ptr, CUP_RANGE_SYNC_MEMOPS, on != 0))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not CUDA memory",
                         (unsigned long long)ptr);
    return CUDA_SUCCESS;
}

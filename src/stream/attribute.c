/* SPDX-License-Identifier: MIT */
/* The table of the launch attributes that streams have. */
#include "stream/attribute.h"

#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "stream/stream.h"

#include <stdbool.h>

struct stream_attribute {
    CUstreamAttrID id;
    void (*get_locked)(struct CUstream_st *stream, CUstreamAttrValue *value);
    bool (*set_locked)(struct CUstream_st *stream, const CUstreamAttrValue *value);
};

static void access_policy_get_locked(struct CUstream_st *stream, CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    value->accessPolicyWindow = stream->attributes.access_policy;
}

bool cup_stream_window_is_valid(const struct cup_device *device, const CUaccessPolicyWindow *window)
{
    int bytes_most = cup_device_property(device, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);

    /* NVIDIA's driver accepts a ratio that is not a number. */
    return !(window->hitRatio < 0) && !(window->hitRatio > 1) &&
           window->num_bytes <= (size_t)bytes_most &&
           window->missProp != CU_ACCESS_PROPERTY_PERSISTING;
}

static bool access_policy_set_locked(struct CUstream_st *stream, const CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    if (!cup_stream_window_is_valid(stream->context->device, &value->accessPolicyWindow))
        return false;
    stream->attributes.access_policy = value->accessPolicyWindow;
    return true;
}

static void sync_policy_get_locked(struct CUstream_st *stream, CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    value->syncPolicy = stream->attributes.sync_policy;
}

static bool sync_policy_set_locked(struct CUstream_st *stream, const CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    int policy = (int)value->syncPolicy;

    if (policy < CU_SYNC_POLICY_AUTO || policy > CU_SYNC_POLICY_BLOCKING_SYNC)
        return false;
    stream->attributes.sync_policy = value->syncPolicy;
    return true;
}

void cup_stream_set_priority(struct CUstream_st *stream, int priority)
{
    if (priority < CUP_PRIORITY_GREATEST)
        priority = CUP_PRIORITY_GREATEST;
    if (priority > CUP_PRIORITY_LEAST)
        priority = CUP_PRIORITY_LEAST;
    atomic_store(&stream->priority, priority);
}

static void priority_get_locked(struct CUstream_st *stream, CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    value->priority = atomic_load(&stream->priority);
}

static bool priority_set_locked(struct CUstream_st *stream, const CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    cup_stream_set_priority(stream, value->priority);
    return true;
}

static void domain_map_get_locked(struct CUstream_st *stream, CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    value->memSyncDomainMap = stream->attributes.domain_map;
}

static bool domain_map_set_locked(struct CUstream_st *stream, const CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    int count =
        cup_device_property(stream->context->device, CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT);

    if (value->memSyncDomainMap.default_ >= count || value->memSyncDomainMap.remote >= count)
        return false;
    stream->attributes.domain_map = value->memSyncDomainMap;
    return true;
}

static void domain_get_locked(struct CUstream_st *stream, CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    value->memSyncDomain = stream->attributes.domain;
}

static bool domain_set_locked(struct CUstream_st *stream, const CUstreamAttrValue *value)
{
    cup_lock_assert_held(&stream->lock);
    if ((unsigned)value->memSyncDomain > CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
        return false;
    stream->attributes.domain = value->memSyncDomain;
    return true;
}

static const struct stream_attribute table[] = {
    {CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, access_policy_get_locked, access_policy_set_locked},
    {CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, sync_policy_get_locked, sync_policy_set_locked},
    {CU_STREAM_ATTRIBUTE_PRIORITY, priority_get_locked, priority_set_locked},
    {CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, domain_map_get_locked, domain_map_set_locked},
    {CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, domain_get_locked, domain_set_locked},
};

static const struct stream_attribute *find(CUstreamAttrID id)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(table); i++) {
        if (table[i].id == id)
            return &table[i];
    }
    return NULL;
}

void cup_stream_attributes_init(struct CUstream_st *stream)
{
    /* Until it is set, the policy reads as a value that cannot be set. */
    stream->attributes.sync_policy = (CUsynchronizationPolicy)-1;
    stream->attributes.domain_map = (CUlaunchMemSyncDomainMap){.default_ = 0, .remote = 1};
}

CUresult cup_stream_attribute_get(struct CUstream_st *stream, CUstreamAttrID id,
                                  CUstreamAttrValue *value)
{
    const struct stream_attribute *attribute = find(id);

    if (!attribute)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid stream attribute %d", (int)id);
    cup_lock_acquire(&stream->lock);
    attribute->get_locked(stream, value);
    cup_lock_release(&stream->lock);
    return CUDA_SUCCESS;
}

CUresult cup_stream_attribute_set(struct CUstream_st *stream, CUstreamAttrID id,
                                  const CUstreamAttrValue *value)
{
    const struct stream_attribute *attribute = find(id);

    if (!attribute)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid stream attribute %d", (int)id);
    cup_lock_acquire(&stream->lock);
    bool valid = attribute->set_locked(stream, value);
    cup_lock_release(&stream->lock);
    if (!valid)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid value for stream attribute %d",
                         (int)id);
    return CUDA_SUCCESS;
}

void cup_stream_attributes_copy(struct CUstream_st *to, struct CUstream_st *from)
{
    cup_lock_acquire(&from->lock);
    struct cup_stream_attributes attributes = from->attributes;
    int priority = atomic_load(&from->priority);
    cup_lock_release(&from->lock);
    cup_lock_acquire(&to->lock);
    to->attributes = attributes;
    cup_stream_set_priority(to, priority);
    cup_lock_release(&to->lock);
}

/* SPDX-License-Identifier: MIT */
/* Names of threads, of CUDA's objects and of a program's own resources. */
#include "exports.h"
#include "open.h"
#include "report.h"

#include <cupipe.h>
#include <stdlib.h>

/* Classes of resources, in the upper half of their type; the lower half numbers the types. */
enum {
    RESOURCE_THREAD_NATIVE = 0x10003,
    RESOURCE_CUDA = 0x40000,
    RESOURCE_CUDA_RUNTIME = 0x50000,
};

#define NAME_CORE(function, type, kind, slot)                                                      \
    void function##A(type object, const char *name)                                                \
    {                                                                                              \
        nvtx_name_object(kind, (uint64_t)object, NULL, name);                                      \
        NVTX_TELL(NULL, NVTX_WORD(object), NVTX_WORD(name));                                       \
    }                                                                                              \
    void function##W(type object, const wchar_t *name)                                             \
    {                                                                                              \
        char *narrow = nvtx_narrow(name);                                                          \
                                                                                                   \
        nvtx_name_object(kind, (uint64_t)object, NULL, narrow);                                    \
        free(narrow);                                                                              \
        NVTX_TELL(NULL, NVTX_WORD(object), NVTX_WORD(name));                                       \
    }
#define NAME_CUDA NAME_CORE
#define NAME_CUDART NAME_CORE
#define NAME_OPENCL NAME_CORE
#include "names.def"

static uint64_t kind_of(uint32_t type)
{
    static const struct {
        uint32_t type;
        enum cupipe_object_kind kind;
    } kinds[] = {
        {RESOURCE_THREAD_NATIVE, CUPIPE_OBJECT_THREAD},
        {RESOURCE_CUDA | 1, CUPIPE_OBJECT_DEVICE},
        {RESOURCE_CUDA | 2, CUPIPE_OBJECT_CONTEXT},
        {RESOURCE_CUDA | 3, CUPIPE_OBJECT_STREAM},
        {RESOURCE_CUDA | 4, CUPIPE_OBJECT_EVENT},
        {RESOURCE_CUDA_RUNTIME | 0, CUPIPE_OBJECT_DEVICE},
        {RESOURCE_CUDA_RUNTIME | 1, CUPIPE_OBJECT_STREAM},
        {RESOURCE_CUDA_RUNTIME | 2, CUPIPE_OBJECT_EVENT},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (kinds[i].type == type)
            return kinds[i].kind;
    return CUPIPE_OBJECT_OTHER;
}

static struct nvtx_name *create(struct nvtx_domain *domain,
                                const struct nvtx_resource_attributes *attributes)
{
    struct nvtx_name *entry;
    char *name;

    if (!attributes)
        return NULL;
    name = nvtx_copy_message(attributes->message_type, attributes->message);
    if (!name)
        return NULL;
    entry = nvtx_name_object(kind_of((uint32_t)attributes->type), attributes->identifier,
                             domain ? domain->name : NULL, name);
    free(name);
    return entry;
}

struct nvtx_name *nvtxDomainResourceCreate(struct nvtx_domain *domain,
                                           const struct nvtx_resource_attributes *attributes)
{
    struct nvtx_name *entry = create(domain, attributes);

    NVTX_TELL(&entry, NVTX_WORD(domain), NVTX_WORD(attributes));
    return entry;
}

void nvtxDomainResourceDestroy(struct nvtx_name *resource)
{
    if (resource)
        nvtx_name_object(resource->kind, resource->object, resource->domain, NULL);
    NVTX_TELL(NULL, NVTX_WORD(resource));
}

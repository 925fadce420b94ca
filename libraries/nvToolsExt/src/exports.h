/* SPDX-License-Identifier: MIT */
/* The exported functions that do something. */
#ifndef NVTOOLSEXT_EXPORTS_H
#define NVTOOLSEXT_EXPORTS_H

#include "nvtx.h"

struct nvtx_name;
struct nvtx_sync;

struct nvtx_resource_attributes {
    uint16_t version, size;
    int32_t type;
    uint64_t identifier; /* an address or a number */
    int32_t message_type;
    union nvtx_message message;
};

struct nvtx_sync_attributes {
    uint16_t version, size;
    int32_t message_type;
    union nvtx_message message;
};

void nvtxMarkEx(const struct nvtx_attributes *attributes);
void nvtxMarkA(const char *message);
void nvtxMarkW(const wchar_t *message);
uint64_t nvtxRangeStartEx(const struct nvtx_attributes *attributes);
uint64_t nvtxRangeStartA(const char *message);
uint64_t nvtxRangeStartW(const wchar_t *message);
void nvtxRangeEnd(uint64_t id);
int nvtxRangePushEx(const struct nvtx_attributes *attributes);
int nvtxRangePushA(const char *message);
int nvtxRangePushW(const wchar_t *message);
int nvtxRangePop(void);
void nvtxNameCategoryA(uint32_t category, const char *name);
void nvtxNameCategoryW(uint32_t category, const wchar_t *name);
void nvtxDomainMarkEx(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
uint64_t nvtxDomainRangeStartEx(struct nvtx_domain *domain,
                                const struct nvtx_attributes *attributes);
void nvtxDomainRangeEnd(struct nvtx_domain *domain, uint64_t id);
int nvtxDomainRangePushEx(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
int nvtxDomainRangePop(struct nvtx_domain *domain);
void nvtxDomainNameCategoryA(struct nvtx_domain *domain, uint32_t category, const char *name);
void nvtxDomainNameCategoryW(struct nvtx_domain *domain, uint32_t category, const wchar_t *name);
const struct nvtx_string *nvtxDomainRegisterStringA(struct nvtx_domain *domain, const char *string);
const struct nvtx_string *nvtxDomainRegisterStringW(struct nvtx_domain *domain,
                                                    const wchar_t *string);
struct nvtx_domain *nvtxDomainCreateA(const char *name);
struct nvtx_domain *nvtxDomainCreateW(const wchar_t *name);
void nvtxDomainDestroy(struct nvtx_domain *domain);
struct nvtx_name *nvtxDomainResourceCreate(struct nvtx_domain *domain,
                                           const struct nvtx_resource_attributes *attributes);
void nvtxDomainResourceDestroy(struct nvtx_name *resource);
struct nvtx_sync *nvtxDomainSyncUserCreate(struct nvtx_domain *domain,
                                           const struct nvtx_sync_attributes *attributes);
void nvtxDomainSyncUserDestroy(struct nvtx_sync *sync);
void nvtxDomainSyncUserAcquireStart(struct nvtx_sync *sync);
void nvtxDomainSyncUserAcquireFailed(struct nvtx_sync *sync);
void nvtxDomainSyncUserAcquireSuccess(struct nvtx_sync *sync);
void nvtxDomainSyncUserReleasing(struct nvtx_sync *sync);

#define NAME_CORE(function, type, kind, slot)                                                      \
    void function##A(type object, const char *name);                                               \
    void function##W(type object, const wchar_t *name);
#define NAME_CUDA NAME_CORE
#define NAME_CUDART NAME_CORE
#define NAME_OPENCL NAME_CORE
#include "names.def"
#undef NAME_CORE
#undef NAME_CUDA
#undef NAME_CUDART
#undef NAME_OPENCL

/* Called by NVTX 3 in a program's headers, with a function that gives it NVTX's tables. Returns 1
 * if the library takes the calls. */
int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t id));

/* The same for an extension of NVTX 3. */
struct nvtx_extension;
int InitializeInjectionNvtxExtension(struct nvtx_extension *extension);

#endif

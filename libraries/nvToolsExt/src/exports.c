/* SPDX-License-Identifier: MIT */
/* NVTX's functions: exported for programs that link the library (version 2 of NVTX), and put into
 * the table of programs that have NVTX in their headers and load this library as an injection
 * (version 3, NVTX_INJECTION64_PATH). */
#include "exports.h"

#include "nvtx.h"

#include <stdlib.h>

void nvtxMarkEx(const struct nvtx_attributes *attributes)
{
    nvtx_mark(NULL, attributes);
}

void nvtxMarkA(const char *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(message, NULL);

    nvtx_mark(NULL, &attributes);
}

void nvtxMarkW(const wchar_t *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(NULL, message);

    nvtx_mark(NULL, &attributes);
}

uint64_t nvtxRangeStartEx(const struct nvtx_attributes *attributes)
{
    return nvtx_start(NULL, attributes);
}

uint64_t nvtxRangeStartA(const char *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(message, NULL);

    return nvtx_start(NULL, &attributes);
}

uint64_t nvtxRangeStartW(const wchar_t *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(NULL, message);

    return nvtx_start(NULL, &attributes);
}

void nvtxRangeEnd(uint64_t id)
{
    nvtx_end(NULL, id, NULL, 0);
}

int nvtxRangePushEx(const struct nvtx_attributes *attributes)
{
    return nvtx_push(NULL, attributes);
}

int nvtxRangePushA(const char *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(message, NULL);

    return nvtx_push(NULL, &attributes);
}

int nvtxRangePushW(const wchar_t *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(NULL, message);

    return nvtx_push(NULL, &attributes);
}

int nvtxRangePop(void)
{
    return nvtx_pop(NULL, NULL, 0);
}

void nvtxNameCategoryA(uint32_t category, const char *name)
{
    nvtx_name_category(NULL, category, name);
}

void nvtxNameCategoryW(uint32_t category, const wchar_t *name)
{
    nvtxDomainNameCategoryW(NULL, category, name);
}

void nvtxDomainMarkEx(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    nvtx_mark(domain, attributes);
}

uint64_t nvtxDomainRangeStartEx(struct nvtx_domain *domain,
                                const struct nvtx_attributes *attributes)
{
    return nvtx_start(domain, attributes);
}

void nvtxDomainRangeEnd(struct nvtx_domain *domain, uint64_t id)
{
    nvtx_end(domain, id, NULL, 0);
}

int nvtxDomainRangePushEx(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    return nvtx_push(domain, attributes);
}

int nvtxDomainRangePop(struct nvtx_domain *domain)
{
    return nvtx_pop(domain, NULL, 0);
}

void nvtxDomainNameCategoryA(struct nvtx_domain *domain, uint32_t category, const char *name)
{
    nvtx_name_category(domain, category, name);
}

void nvtxDomainNameCategoryW(struct nvtx_domain *domain, uint32_t category, const wchar_t *name)
{
    char *narrow = nvtx_narrow(name);

    nvtx_name_category(domain, category, narrow);
    free(narrow);
}

/* Registered strings serve all domains. */
struct nvtx_string *nvtxDomainRegisterStringA(struct nvtx_domain *domain, const char *string)
{
    (void)domain;
    return nvtx_register_string(string);
}

struct nvtx_string *nvtxDomainRegisterStringW(struct nvtx_domain *domain, const wchar_t *string)
{
    char *narrow = nvtx_narrow(string);
    struct nvtx_string *registered = nvtxDomainRegisterStringA(domain, narrow);

    free(narrow);
    return registered;
}

struct nvtx_domain *nvtxDomainCreateA(const char *name)
{
    return nvtx_domain_create(name);
}

struct nvtx_domain *nvtxDomainCreateW(const wchar_t *name)
{
    char *narrow = nvtx_narrow(name);
    struct nvtx_domain *domain = nvtx_domain_create(narrow);

    free(narrow);
    return domain;
}

/* Ranges that are still open name the domain, so it stays. */
void nvtxDomainDestroy(struct nvtx_domain *domain)
{
    (void)domain;
}

/* SPDX-License-Identifier: MIT */
/* NVTX's functions: exported for programs that link the library (version 2 of NVTX), and put into
 * the table of programs that have NVTX in their headers and load this library as an injection
 * (version 3, NVTX_INJECTION64_PATH). Each tells tools of the call when it is done. */
#include "exports.h"

#include "nvtx.h"
#include "report.h"

#include <stdlib.h>

void nvtxMarkEx(const struct nvtx_attributes *attributes)
{
    nvtx_mark(NULL, attributes);
    NVTX_TELL(NULL, NVTX_WORD(attributes));
}

void nvtxMarkA(const char *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(message, NULL);

    nvtx_mark(NULL, &attributes);
    NVTX_TELL(NULL, NVTX_WORD(message));
}

void nvtxMarkW(const wchar_t *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(NULL, message);

    nvtx_mark(NULL, &attributes);
    NVTX_TELL(NULL, NVTX_WORD(message));
}

uint64_t nvtxRangeStartEx(const struct nvtx_attributes *attributes)
{
    uint64_t id = nvtx_start(NULL, attributes);

    NVTX_TELL(&id, NVTX_WORD(attributes));
    return id;
}

uint64_t nvtxRangeStartA(const char *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(message, NULL);
    uint64_t id = nvtx_start(NULL, &attributes);

    NVTX_TELL(&id, NVTX_WORD(message));
    return id;
}

uint64_t nvtxRangeStartW(const wchar_t *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(NULL, message);
    uint64_t id = nvtx_start(NULL, &attributes);

    NVTX_TELL(&id, NVTX_WORD(message));
    return id;
}

void nvtxRangeEnd(uint64_t id)
{
    nvtx_end(NULL, id, NULL, 0);
    NVTX_TELL(NULL, id);
}

int nvtxRangePushEx(const struct nvtx_attributes *attributes)
{
    int depth = nvtx_push(NULL, attributes);

    NVTX_TELL(&depth, NVTX_WORD(attributes));
    return depth;
}

int nvtxRangePushA(const char *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(message, NULL);
    int depth = nvtx_push(NULL, &attributes);

    NVTX_TELL(&depth, NVTX_WORD(message));
    return depth;
}

int nvtxRangePushW(const wchar_t *message)
{
    const struct nvtx_attributes attributes = nvtx_plain(NULL, message);
    int depth = nvtx_push(NULL, &attributes);

    NVTX_TELL(&depth, NVTX_WORD(message));
    return depth;
}

int nvtxRangePop(void)
{
    int depth = nvtx_pop(NULL, NULL, 0);

    NVTX_TELL(&depth, 0);
    return depth;
}

static void name_category_wide(struct nvtx_domain *domain, uint32_t category, const wchar_t *name)
{
    char *narrow = nvtx_narrow(name);

    nvtx_name_category(domain, category, narrow);
    free(narrow);
}

void nvtxNameCategoryA(uint32_t category, const char *name)
{
    nvtx_name_category(NULL, category, name);
    NVTX_TELL(NULL, category, NVTX_WORD(name));
}

void nvtxNameCategoryW(uint32_t category, const wchar_t *name)
{
    name_category_wide(NULL, category, name);
    NVTX_TELL(NULL, category, NVTX_WORD(name));
}

void nvtxDomainMarkEx(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    nvtx_mark(domain, attributes);
    NVTX_TELL(NULL, NVTX_WORD(domain), NVTX_WORD(attributes));
}

uint64_t nvtxDomainRangeStartEx(struct nvtx_domain *domain,
                                const struct nvtx_attributes *attributes)
{
    uint64_t id = nvtx_start(domain, attributes);

    NVTX_TELL(&id, NVTX_WORD(domain), NVTX_WORD(attributes));
    return id;
}

void nvtxDomainRangeEnd(struct nvtx_domain *domain, uint64_t id)
{
    nvtx_end(domain, id, NULL, 0);
    NVTX_TELL(NULL, NVTX_WORD(domain), id);
}

int nvtxDomainRangePushEx(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    int depth = nvtx_push(domain, attributes);

    NVTX_TELL(&depth, NVTX_WORD(domain), NVTX_WORD(attributes));
    return depth;
}

int nvtxDomainRangePop(struct nvtx_domain *domain)
{
    int depth = nvtx_pop(domain, NULL, 0);

    NVTX_TELL(&depth, NVTX_WORD(domain));
    return depth;
}

void nvtxDomainNameCategoryA(struct nvtx_domain *domain, uint32_t category, const char *name)
{
    nvtx_name_category(domain, category, name);
    NVTX_TELL(NULL, NVTX_WORD(domain), category, NVTX_WORD(name));
}

void nvtxDomainNameCategoryW(struct nvtx_domain *domain, uint32_t category, const wchar_t *name)
{
    name_category_wide(domain, category, name);
    NVTX_TELL(NULL, NVTX_WORD(domain), category, NVTX_WORD(name));
}

/* Registered strings serve all domains. */
const struct nvtx_string *nvtxDomainRegisterStringA(struct nvtx_domain *domain, const char *string)
{
    const struct nvtx_string *registered = nvtx_register_string(string);

    NVTX_TELL(&registered, NVTX_WORD(domain), NVTX_WORD(string));
    return registered;
}

const struct nvtx_string *nvtxDomainRegisterStringW(struct nvtx_domain *domain,
                                                    const wchar_t *string)
{
    char *narrow = nvtx_narrow(string);
    const struct nvtx_string *registered = nvtx_register_string(narrow);

    free(narrow);
    NVTX_TELL(&registered, NVTX_WORD(domain), NVTX_WORD(string));
    return registered;
}

struct nvtx_domain *nvtxDomainCreateA(const char *name)
{
    struct nvtx_domain *domain = nvtx_domain_create(name);

    NVTX_TELL(&domain, NVTX_WORD(name));
    return domain;
}

struct nvtx_domain *nvtxDomainCreateW(const wchar_t *name)
{
    char *narrow = nvtx_narrow(name);
    struct nvtx_domain *domain = nvtx_domain_create(narrow);

    free(narrow);
    NVTX_TELL(&domain, NVTX_WORD(name));
    return domain;
}

/* Ranges that are still open name the domain, so it stays. */
void nvtxDomainDestroy(struct nvtx_domain *domain)
{
    NVTX_TELL(NULL, NVTX_WORD(domain));
}

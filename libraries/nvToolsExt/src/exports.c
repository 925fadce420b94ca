/* SPDX-License-Identifier: MIT */
/* NVTX's functions: exported for programs that link the library (version 2 of NVTX), and put into
 * the table of programs that have NVTX in their headers and load this library as an injection
 * (version 3, NVTX_INJECTION64_PATH). */
#include "exports.h"

#include "nvtx.h"

#include <stdlib.h>
#include <string.h>

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
    nvtx_end(NULL, id);
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
    return nvtx_pop(NULL);
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
    nvtx_end(domain, id);
}

int nvtxDomainRangePushEx(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    return nvtx_push(domain, attributes);
}

int nvtxDomainRangePop(struct nvtx_domain *domain)
{
    return nvtx_pop(domain);
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

/* A string or a domain with a text of its own, which it takes; both begin with the text. */
static void *with_text(size_t bytes, char *text)
{
    void *object = text ? calloc(1, bytes) : NULL;

    if (object)
        memcpy(object, &text, sizeof(text));
    else
        free(text);
    return object;
}

struct nvtx_string *nvtxDomainRegisterStringA(struct nvtx_domain *domain, const char *string)
{
    (void)domain;
    return with_text(sizeof(struct nvtx_string), string ? strdup(string) : NULL);
}

struct nvtx_string *nvtxDomainRegisterStringW(struct nvtx_domain *domain, const wchar_t *string)
{
    (void)domain;
    return with_text(sizeof(struct nvtx_string), nvtx_narrow(string));
}

struct nvtx_domain *nvtxDomainCreateA(const char *name)
{
    return with_text(sizeof(struct nvtx_domain), name ? strdup(name) : NULL);
}

struct nvtx_domain *nvtxDomainCreateW(const wchar_t *name)
{
    return with_text(sizeof(struct nvtx_domain), nvtx_narrow(name));
}

/* Ranges that are still open name the domain, so it stays. */
void nvtxDomainDestroy(struct nvtx_domain *domain)
{
    (void)domain;
}

/* SPDX-License-Identifier: MIT */
/* Domains, their categories, and registered strings. Two domains of one name are one, and so are
 * two strings of one text, so a program that registers them again and again does not grow. */
#include "nvtx.h"

#include <stdlib.h>
#include <string.h>

struct nvtx_domain nvtx_default_domain;

static struct nvtx_domain *domains; /* guarded by the library's lock */

struct nvtx_domain *nvtx_domain_create(const char *name)
{
    const char *kept = nvtx_keep(name);
    struct nvtx_domain *domain;

    if (!kept)
        return NULL;
    nvtx_lock();
    for (domain = domains; domain && domain->name != kept;)
        domain = domain->next;
    if (!domain) {
        domain = calloc(1, sizeof(*domain));
        if (domain) {
            domain->name = kept;
            domain->next = domains;
            domains = domain;
        }
    }
    nvtx_unlock();
    return domain;
}

const struct nvtx_string *nvtx_register_string(const char *text)
{
    return (const struct nvtx_string *)nvtx_keep(text);
}

static struct nvtx_category *find_locked(const struct nvtx_domain *domain, uint32_t number)
{
    struct nvtx_category *category = domain->categories;

    while (category && category->number != number)
        category = category->next;
    return category;
}

void nvtx_name_category(struct nvtx_domain *domain, uint32_t number, const char *name)
{
    const char *kept = nvtx_keep(name);
    struct nvtx_category *category;

    domain = domain ? domain : &nvtx_default_domain;
    if (!kept)
        return;
    nvtx_lock();
    category = find_locked(domain, number);
    if (!category) {
        category = calloc(1, sizeof(*category));
        if (category) {
            category->number = number;
            category->next = domain->categories;
            domain->categories = category;
        }
    }
    if (category)
        category->name = kept;
    nvtx_unlock();
}

const char *nvtx_category_name(const struct nvtx_domain *domain, uint32_t number)
{
    const struct nvtx_category *category;
    const char *name;

    nvtx_lock();
    category = find_locked(domain, number);
    name = category ? category->name : NULL;
    nvtx_unlock();
    return name;
}

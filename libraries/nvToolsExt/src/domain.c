/* SPDX-License-Identifier: MIT */
/* Domains, their categories, and texts. Names are kept until the process ends. */
#include "nvtx.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct nvtx_domain nvtx_default_domain;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards categories */

/* The bytes of a character in UTF-8. */
static size_t put_character(char *out, uint32_t character)
{
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (char)(0xc0 | character >> 6);
        out[1] = (char)(0x80 | (character & 63));
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (char)(0xe0 | character >> 12);
        out[1] = (char)(0x80 | (character >> 6 & 63));
        out[2] = (char)(0x80 | (character & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | (character >> 18 & 7));
    out[1] = (char)(0x80 | (character >> 12 & 63));
    out[2] = (char)(0x80 | (character >> 6 & 63));
    out[3] = (char)(0x80 | (character & 63));
    return 4;
}

char *nvtx_narrow(const wchar_t *text)
{
    size_t used = 0;
    char *bytes = text ? malloc(4 * wcslen(text) + 1) : NULL;

    if (!bytes)
        return NULL;
    for (; *text; text++)
        used += put_character(bytes + used, (uint32_t)*text);
    bytes[used] = '\0';
    return bytes;
}

struct nvtx_attributes nvtx_plain(const char *ascii, const wchar_t *unicode)
{
    struct nvtx_attributes attributes = {
        .size = sizeof(attributes),
        .message_type = unicode ? NVTX_MESSAGE_UNICODE : NVTX_MESSAGE_ASCII,
    };

    if (unicode)
        attributes.message.unicode = unicode;
    else
        attributes.message.ascii = ascii;
    return attributes;
}

static struct nvtx_category *find_locked(const struct nvtx_domain *domain, uint32_t number)
{
    struct nvtx_category *category = domain->categories;

    while (category && category->number != number)
        category = category->next;
    return category;
}

/* A second name of a number stands before the first, whose text others may still show. */
void nvtx_name_category(struct nvtx_domain *domain, uint32_t number, const char *name)
{
    struct nvtx_category *category = name ? calloc(1, sizeof(*category)) : NULL;

    domain = domain ? domain : &nvtx_default_domain;
    if (!category)
        return;
    category->number = number;
    category->name = strdup(name);
    pthread_mutex_lock(&lock);
    category->next = domain->categories;
    domain->categories = category;
    pthread_mutex_unlock(&lock);
}

const char *nvtx_category_name(const struct nvtx_domain *domain, uint32_t number)
{
    const struct nvtx_category *category;

    pthread_mutex_lock(&lock);
    category = find_locked(domain, number);
    pthread_mutex_unlock(&lock);
    return category ? category->name : NULL;
}

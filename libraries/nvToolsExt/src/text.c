/* SPDX-License-Identifier: MIT */
/* Texts: wide ones as UTF-8, and copies that stay. */
#include "nvtx.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_BUCKETS = 256 };

struct kept {
    struct kept *next;
    char text[];
};

static struct kept *all[KEPT_BUCKETS]; /* guarded by the library's lock */

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

static unsigned bucket_of(const char *text)
{
    unsigned hash = 5381;

    for (; *text; text++)
        hash = hash * 33 + (unsigned char)*text;
    return hash % KEPT_BUCKETS;
}

const char *nvtx_keep(const char *text)
{
    unsigned bucket = text ? bucket_of(text) : 0;
    size_t bytes = text ? strlen(text) + 1 : 0;
    struct kept *found;

    if (!text)
        return NULL;
    nvtx_lock();
    for (found = all[bucket]; found && strcmp(found->text, text) != 0;)
        found = found->next;
    if (!found) {
        found = malloc(sizeof(*found) + bytes);
        if (found) {
            memcpy(found->text, text, bytes);
            found->next = all[bucket];
            all[bucket] = found;
        }
    }
    nvtx_unlock();
    return found ? found->text : NULL;
}

char *nvtx_copy_message(int32_t type, union nvtx_message message)
{
    switch (type) {
    case NVTX_MESSAGE_ASCII:
        return message.ascii ? strdup(message.ascii) : NULL;
    case NVTX_MESSAGE_UNICODE:
        return nvtx_narrow(message.unicode);
    case NVTX_MESSAGE_REGISTERED:
        return message.registered ? strdup(message.registered->text) : NULL;
    default:
        return NULL;
    }
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

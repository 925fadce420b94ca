/* SPDX-License-Identifier: MIT */
/* The list of visible devices, by the observed rules of NVIDIA's driver:
 *
 * - The first entry determines the kind of the list: "GPU-" (or "MIG-") means UUIDs, anything else
 *   ordinals. An entry of the other kind is invalid.
 * - The list ends, without an error, before the first invalid entry.
 * - An ordinal is the result of strtol(), truncated to int; the rest of the entry is ignored.
 * - A UUID may be abbreviated; dashes and everything after the 32nd digit are ignored. A prefix
 * that matches several devices is invalid.
 * - A device that is named twice is an error. */
#include "core/visible_devices.h"

#include <stdlib.h>
#include <string.h>

#define UUID_DIGITS (2 * sizeof(CUuuid))

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

size_t cup_hex_parse(const char *text, unsigned char *bytes, size_t size, const char **end)
{
    size_t digits = 0;

    memset(bytes, 0, size);
    for (; *text && digits < 2 * size; text++) {
        int value = digit_value(*text);

        if (*text == '-')
            continue;
        if (value < 0)
            break;
        bytes[digits / 2] |= (unsigned char)(digits % 2 ? value : value << 4);
        digits++;
    }
    *end = text;
    return digits;
}

static bool has_uuid_prefix(const char *entry)
{
    return strncmp(entry, "GPU-", 4) == 0 || strncmp(entry, "MIG-", 4) == 0;
}

static bool same_digits(const unsigned char *a, const unsigned char *b, size_t digits)
{
    if (memcmp(a, b, digits / 2) != 0)
        return false;
    return digits % 2 == 0 || (a[digits / 2] & 0xf0) == (b[digits / 2] & 0xf0);
}

/* Both return a physical device, or -1 for an invalid entry. */
static int find_uuid(const struct cup_config *config, const char *entry)
{
    unsigned char wanted[sizeof(CUuuid)];
    const char *end;
    size_t digits;
    int found = -1;

    if (!has_uuid_prefix(entry))
        return -1;
    digits = cup_hex_parse(entry + 4, wanted, sizeof(wanted), &end);
    if (digits == 0 || (digits < UUID_DIGITS && *end != '\0' && *end != ','))
        return -1;
    for (unsigned i = 0; i < config->device_count; i++) {
        CUuuid uuid = cup_config_uuid(config, i);

        if (!same_digits(wanted, (const unsigned char *)uuid.bytes, digits))
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

static int find_ordinal(const struct cup_config *config, const char *entry)
{
    char *end;
    int ordinal = (int)strtol(entry, &end, 10);

    if (end == entry || ordinal < 0 || (unsigned)ordinal >= config->device_count)
        return -1;
    return (int)config->order[ordinal];
}

static CUresult add(struct cup_config *config, unsigned physical)
{
    for (unsigned i = 0; i < config->visible_count; i++) {
        if (config->visible[i] == physical)
            return CUDA_ERROR_INVALID_DEVICE;
    }
    config->visible[config->visible_count++] = physical;
    return CUDA_SUCCESS;
}

CUresult cup_visible_parse(struct cup_config *config, const char *value)
{
    bool by_uuid;

    config->visible_count = 0;
    if (!value) {
        for (unsigned i = 0; i < config->device_count; i++)
            config->visible[i] = config->order[i];
        config->visible_count = config->device_count;
        return CUDA_SUCCESS;
    }
    by_uuid = has_uuid_prefix(value);
    for (const char *entry = value; entry;) {
        int physical = by_uuid ? find_uuid(config, entry) : find_ordinal(config, entry);

        if (physical < 0)
            break;
        if (add(config, (unsigned)physical) != CUDA_SUCCESS)
            return CUDA_ERROR_INVALID_DEVICE;
        entry = strchr(entry, ',');
        if (entry)
            entry++;
    }
    return config->visible_count ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

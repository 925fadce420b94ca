/* SPDX-License-Identifier: MIT */
/* Where the members of a layout lie. Offsets and sizes that a program does not tell follow from the
 * types, as a C compiler would place them. */
#include "payload_layout.h"

bool nvtx_is_string(uint64_t type)
{
    return type >= NVTX_TYPE_CSTRING && type <= NVTX_TYPE_CSTRING_UTF32;
}

size_t nvtx_unit_bytes(uint64_t type)
{
    return type == NVTX_TYPE_CSTRING_UTF32 ? 4 : type == NVTX_TYPE_CSTRING_UTF16 ? 2 : 1;
}

bool nvtx_entry_is_indirect(const struct nvtx_entry *entry)
{
    return entry->flags & NVTX_ENTRY_POINTER ||
           (nvtx_is_string(entry->type) && !(entry->flags & NVTX_ENTRY_ARRAY) &&
            entry->detail == 0);
}

size_t nvtx_entry_bytes(const struct nvtx_domain *domain, const struct nvtx_entry *entry,
                        uint64_t length, int depth)
{
    if (nvtx_entry_is_indirect(entry))
        return sizeof(void *);
    if (nvtx_is_string(entry->type))
        return (size_t)length * nvtx_unit_bytes(entry->type);
    return nvtx_element_bytes(domain, entry->type, depth) * (size_t)length;
}

static size_t alignment_of(const struct nvtx_domain *domain, const struct nvtx_entry *entry,
                           int depth);

static size_t alignment_within(const struct nvtx_domain *domain, const struct nvtx_schema *schema,
                               int depth)
{
    size_t most = 1;

    for (size_t i = 0; i < schema->count; i++) {
        size_t each = alignment_of(domain, &schema->entries[i], depth);

        most = each > most ? each : most;
    }
    return schema->alignment && schema->alignment < most ? schema->alignment : most;
}

static size_t alignment_of(const struct nvtx_domain *domain, const struct nvtx_entry *entry,
                           int depth)
{
    const struct nvtx_schema *schema;

    if (nvtx_entry_is_indirect(entry))
        return sizeof(void *);
    if (nvtx_is_string(entry->type))
        return nvtx_unit_bytes(entry->type);
    if (nvtx_type_bytes(entry->type))
        return nvtx_type_bytes(entry->type);
    schema = nvtx_find_schema(domain, entry->type);
    if (!schema || depth >= NVTX_DEPTH_MAX)
        return 1;
    return schema->enumerators ? schema->bytes : alignment_within(domain, schema, depth + 1);
}

static size_t align(size_t at, size_t alignment)
{
    return alignment ? (at + alignment - 1) / alignment * alignment : at;
}

size_t nvtx_entry_place(const struct nvtx_domain *domain, const struct nvtx_schema *schema,
                        size_t index, size_t behind, int depth)
{
    const struct nvtx_entry *entry = &schema->entries[index];
    size_t alignment = alignment_of(domain, entry, depth);

    if (entry->offset || index == 0)
        return (size_t)entry->offset;
    if (schema->alignment && schema->alignment < alignment)
        alignment = schema->alignment;
    return align(behind, alignment);
}

static uint64_t fixed_length(const struct nvtx_entry *entry)
{
    uint64_t kind = entry->flags & NVTX_ENTRY_ARRAY;

    return kind == NVTX_ENTRY_FIXED || (kind == 0 && nvtx_is_string(entry->type)) ? entry->detail
                                                                                  : 1;
}

size_t nvtx_element_bytes(const struct nvtx_domain *domain, uint64_t type, int depth)
{
    const struct nvtx_schema *schema;
    size_t end = 0;

    if (nvtx_type_bytes(type))
        return nvtx_type_bytes(type);
    schema = nvtx_find_schema(domain, type);
    if (!schema || depth >= NVTX_DEPTH_MAX)
        return 0;
    if (schema->bytes)
        return schema->bytes;
    for (size_t i = 0; i < schema->count; i++) {
        const struct nvtx_entry *entry = &schema->entries[i];

        end = nvtx_entry_place(domain, schema, i, end, depth + 1) +
              nvtx_entry_bytes(domain, entry, fixed_length(entry), depth + 1);
    }
    return align(end, alignment_within(domain, schema, depth + 1));
}

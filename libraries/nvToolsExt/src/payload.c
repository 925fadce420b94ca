/* SPDX-License-Identifier: MIT */
/* Layouts that programs register. A program may choose the id, which is then unique within the
 * domain; otherwise it gets one that is unique within the process. */
#include "payload.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 4096 };

static struct nvtx_schema *schemas; /* guarded by the library's lock, and so are the next two */
static uint64_t last_dynamic = UINT64_C(1) << 32;

static struct nvtx_schema *find_locked(const struct nvtx_domain *domain, uint64_t id)
{
    struct nvtx_schema *schema = schemas;

    while (schema &&
           (schema->id != id || (id < nvtx_first_dynamic_schema && schema->domain != domain)))
        schema = schema->next;
    return schema;
}

const struct nvtx_schema *nvtx_find_schema(const struct nvtx_domain *domain, uint64_t id)
{
    const struct nvtx_schema *schema;

    nvtx_lock();
    schema = find_locked(domain, id);
    nvtx_unlock();
    return schema;
}

/* Takes the schema. A second one with the same id stands before the first. */
static uint64_t add(struct nvtx_schema *schema, uint64_t id)
{
    nvtx_lock();
    schema->id = id ? id : ++last_dynamic;
    id = schema->id;
    schema->next = schemas;
    schemas = schema;
    nvtx_unlock();
    return id;
}

/* A schema of `count` entries, which the caller adds; NULL: none or too many, or no memory. */
static struct nvtx_schema *new_schema(struct nvtx_domain *domain, size_t count)
{
    struct nvtx_schema *schema =
        count > 0 && count <= ENTRIES_MAX ? calloc(1, sizeof(*schema)) : NULL;

    if (schema) {
        schema->domain = domain ? domain : &nvtx_default_domain;
        schema->count = count;
    }
    return schema;
}

static bool copy_entries(struct nvtx_schema *schema, const struct nvtx_entry *entries)
{
    schema->entries = calloc(schema->count, sizeof(*entries));
    if (!schema->entries)
        return false;
    for (size_t i = 0; i < schema->count; i++) {
        schema->entries[i] = entries[i];
        schema->entries[i].name = nvtx_keep(entries[i].name);
        schema->entries[i].description = NULL;
    }
    return true;
}

uint64_t nvtx_schema_register(struct nvtx_domain *domain,
                              const struct nvtx_schema_attributes *attributes)
{
    const uint64_t needed = NVTX_SCHEMA_HAS_ENTRIES | NVTX_SCHEMA_HAS_COUNT;
    struct nvtx_schema *schema;

    if (!attributes || (attributes->fields & needed) != needed || !attributes->entries)
        return 0;
    schema = new_schema(domain, attributes->count);
    if (!schema)
        return 0;
    schema->type = attributes->fields & NVTX_SCHEMA_HAS_TYPE ? attributes->type : 0;
    schema->bytes = attributes->fields & NVTX_SCHEMA_HAS_BYTES ? attributes->bytes : 0;
    schema->alignment = attributes->fields & NVTX_SCHEMA_HAS_ALIGNMENT ? attributes->alignment : 0;
    if (!copy_entries(schema, attributes->entries)) {
        free(schema);
        return 0;
    }
    return add(schema, attributes->fields & NVTX_SCHEMA_HAS_ID ? attributes->id : 0);
}

uint64_t nvtx_enum_register(struct nvtx_domain *domain,
                            const struct nvtx_enum_attributes *attributes)
{
    const uint64_t needed = NVTX_ENUM_HAS_ENTRIES | NVTX_ENUM_HAS_COUNT;
    struct nvtx_schema *schema;

    if (!attributes || (attributes->fields & needed) != needed || !attributes->entries)
        return 0;
    schema = new_schema(domain, attributes->count);
    if (!schema)
        return 0;
    schema->bytes = attributes->fields & NVTX_ENUM_HAS_BYTES ? attributes->bytes : sizeof(int);
    schema->enumerators = calloc(schema->count, sizeof(*schema->enumerators));
    if (!schema->enumerators) {
        free(schema);
        return 0;
    }
    for (size_t i = 0; i < schema->count; i++) {
        schema->enumerators[i] = attributes->entries[i];
        schema->enumerators[i].name = nvtx_keep(attributes->entries[i].name);
    }
    return add(schema, attributes->fields & NVTX_ENUM_HAS_ID ? attributes->id : 0);
}

/* SPDX-License-Identifier: MIT */
/* A type is translated once. A struct that is met inside itself, through a pointer, is declared
 * there and not described. */
#include "jit/debuginfo/types.h"

#include <string.h>

enum {
    TAG_ARRAY = 0x01,
    TAG_CLASS = 0x02,
    TAG_ENUMERATION = 0x04,
    TAG_MEMBER = 0x0d,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_STRUCTURE = 0x13,
    TAG_TYPEDEF = 0x16,
    TAG_UNION = 0x17,
    TAG_BASE = 0x24,
    TAG_CONST = 0x26,
    TAG_VOLATILE = 0x35,
    TAG_RESTRICT = 0x37,
};

enum { ATE_UNSIGNED = 7, POINTER_BYTES = 8, MOST_MEMBERS = 256, DEEPEST = 32 };

struct jit_debug_known_type {
    uint32_t at;
    LLVMMetadataRef type; /* NULL: it is being translated */
    struct jit_debug_known_type *next;
};

static bool is_name_only(unsigned tag)
{
    return tag == TAG_TYPEDEF || tag == TAG_CONST || tag == TAG_VOLATILE || tag == TAG_RESTRICT;
}

uint64_t jit_debug_type_bytes(const struct ptx_debug_info *info, uint32_t at)
{
    struct ptx_debug_type type;
    uint64_t count = 1;

    for (unsigned depth = 0; depth < DEEPEST && ptx_debug_type_read(info, at, &type); depth++) {
        if (type.tag == TAG_POINTER || type.tag == TAG_REFERENCE)
            return count * POINTER_BYTES;
        if (type.tag == TAG_ARRAY)
            count *= type.count;
        else if (!is_name_only(type.tag))
            return count * type.bytes;
        at = type.type;
    }
    return 0;
}

static LLVMMetadataRef make_array(struct jit_debug_types *types, uint32_t at,
                                  const struct ptx_debug_type *type)
{
    LLVMMetadataRef element = jit_debug_type(types, type->type);
    LLVMMetadataRef range =
        LLVMDIBuilderGetOrCreateSubrange(types->builder, 0, (int64_t)type->count);

    return element ? LLVMDIBuilderCreateArrayType(types->builder,
                                                  8 * jit_debug_type_bytes(types->info, at), 8,
                                                  element, &range, 1)
                   : NULL;
}

static LLVMMetadataRef make_member(struct jit_debug_types *types,
                                   const struct ptx_debug_type *member)
{
    LLVMMetadataRef type = jit_debug_type(types, member->type);

    return type ? LLVMDIBuilderCreateMemberType(types->builder, types->unit, member->name,
                                                strlen(member->name), types->file, 0,
                                                8 * jit_debug_type_bytes(types->info, member->type),
                                                8, 8 * member->offset, LLVMDIFlagZero, type)
                : NULL;
}

static LLVMMetadataRef make_struct(struct jit_debug_types *types, const struct ptx_debug_type *type)
{
    LLVMMetadataRef members[MOST_MEMBERS];
    struct ptx_debug_type member;
    unsigned count = 0;

    for (uint32_t at = type->first_child;
         at && count < MOST_MEMBERS && ptx_debug_type_read(types->info, at, &member);
         at = member.next) {
        LLVMMetadataRef made = member.tag == TAG_MEMBER ? make_member(types, &member) : NULL;

        if (made)
            members[count++] = made;
    }
    if (type->tag == TAG_UNION)
        return LLVMDIBuilderCreateUnionType(types->builder, types->unit, type->name,
                                            strlen(type->name), types->file, 0, 8 * type->bytes, 8,
                                            LLVMDIFlagZero, members, count, 0, "", 0);
    return LLVMDIBuilderCreateStructType(types->builder, types->unit, type->name,
                                         strlen(type->name), types->file, 0, 8 * type->bytes, 8,
                                         LLVMDIFlagZero, NULL, members, count, 0, NULL, "", 0);
}

static LLVMMetadataRef translate(struct jit_debug_types *types, uint32_t at,
                                 const struct ptx_debug_type *type)
{
    LLVMMetadataRef inner = NULL;

    switch (type->tag) {
    case TAG_BASE:
        return LLVMDIBuilderCreateBasicType(types->builder, type->name, strlen(type->name),
                                            8 * type->bytes, type->encoding, LLVMDIFlagZero);
    case TAG_ENUMERATION:
        return LLVMDIBuilderCreateBasicType(types->builder, type->name, strlen(type->name),
                                            8 * type->bytes, ATE_UNSIGNED, LLVMDIFlagZero);
    case TAG_ARRAY:
        return make_array(types, at, type);
    case TAG_STRUCTURE:
    case TAG_CLASS:
    case TAG_UNION:
        return make_struct(types, type);
    case TAG_POINTER:
    case TAG_REFERENCE:
        inner = type->type ? jit_debug_type(types, type->type) : NULL;
        return LLVMDIBuilderCreatePointerType(types->builder, inner, 8 * POINTER_BYTES, 0, 0, "",
                                              0);
    default:
        return is_name_only(type->tag) && type->type ? jit_debug_type(types, type->type) : NULL;
    }
}

LLVMMetadataRef jit_debug_type(struct jit_debug_types *types, uint32_t at)
{
    struct jit_debug_known_type *known = types->known;
    struct ptx_debug_type type;

    while (known && known->at != at)
        known = known->next;
    if (!ptx_debug_type_read(types->info, at, &type))
        return NULL;
    if (known && !known->type)
        return LLVMDIBuilderCreateForwardDecl(types->builder, TAG_STRUCTURE, type.name,
                                              strlen(type.name), types->unit, types->file, 0, 0,
                                              8 * type.bytes, 8, "", 0);
    if (known)
        return known->type;
    known = jit_workspace_zeros(types->workspace, 1, sizeof(*known));
    known->at = at;
    known->next = types->known;
    types->known = known;
    known->type = translate(types, at, &type);
    return known->type;
}

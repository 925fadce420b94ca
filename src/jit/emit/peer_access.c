/* SPDX-License-Identifier: MIT */
/* Access checks. If there are several devices, a kernel checks every access to global memory: one
 * table gives the class of the page, another what the launch may do with that class. The branch to
 * the error is never taken in a correct program. Code for one device has no checks.
 *
 * Accesses to shared, local, constant and parameter memory and to variables are not checked: the
 * kernel owns them. */
#include "jit/emit/peer_access.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"

#include <stddef.h>

bool jit_access_is_checked(const struct jit_body *body, const struct ptx_operand *operand,
                           uint8_t space)
{
    bool is_variable = operand->kind == PTX_OPERAND_SYMBOL ||
                       (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE);

    return body->unit->request->limited && !is_variable &&
           (space == PTX_GLOBAL || space == PTX_SPACE_NONE);
}

static LLVMValueRef table(struct jit_body *body, size_t offset)
{
    return jit_build_field(body, body->abi.launch, offset, body->unit->ptr, true, "");
}

static LLVMValueRef entry(struct jit_body *body, LLVMValueRef base, LLVMValueRef index)
{
    LLVMValueRef load =
        LLVMBuildLoad2(body->builder, body->unit->i8, jit_build_offset(body, base, index), "");

    /* Not strictly invariant: another thread may map memory during the launch. A stale entry is
     * harmless, because the service that the failing branch calls looks the rights up again. */
    LLVMSetMetadata(load, body->unit->invariant_kind, body->unit->invariant);
    return load;
}

/* Loads the rights that the launch has to the page of an address. */
static LLVMValueRef rights_at(struct jit_body *body, LLVMValueRef address)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef page = LLVMBuildLShr(b, address, jit_i64(unit, CUP_ACCESS_SHIFT), ""), class;

    page = LLVMBuildAnd(b, page, jit_i64(unit, CUP_ACCESS_PAGES - 1), "");
    class = entry(body, table(body, offsetof(struct cup_abi_launch, access_classes)), page);
    return entry(body, table(body, offsetof(struct cup_abi_launch, access_rights)),
                 LLVMBuildZExt(b, class, unit->i64, ""));
}

static void mark_unlikely(struct jit_body *body, LLVMValueRef branch)
{
    LLVMContextRef context = body->unit->context;
    LLVMMetadataRef parts[3] = {
        LLVMMDStringInContext2(context, "branch_weights", 14),
        LLVMValueAsMetadata(jit_i32(body->unit, 1u << 20)),
        LLVMValueAsMetadata(jit_i32(body->unit, 1)),
    };

    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3)));
}

/* Branches on whether `rights` has all bits of `wanted`. The builder continues in the block for
 * missing rights; returns the block for allowed accesses. */
static LLVMBasicBlockRef part_ways(struct jit_body *body, LLVMValueRef rights, unsigned wanted)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef refused = jit_build_block(body, "refused"),
                      allowed = jit_build_block(body, "allowed");
    LLVMValueRef bits = LLVMConstInt(unit->i8, wanted, false);

    rights = LLVMBuildAnd(b, rights, bits, "");
    mark_unlikely(
        body, LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rights, bits, ""), allowed, refused));
    jit_build_at(body, refused);
    return allowed;
}

static void ask(struct jit_body *body, LLVMValueRef lanes, LLVMValueRef address, unsigned bytes,
                unsigned wanted, uint32_t line)
{
    struct jit_unit *unit = body->unit;
    LLVMValueRef lane = LLVMBuildAnd(body->builder, body->vector.first, jit_i32(unit, 31), "");
    LLVMValueRef arguments[] = {
        body->abi.block,
        body->vector.warp,
        LLVMBuildShl(body->builder, lanes, lane, ""),
        address,
        jit_i32(unit, bytes),
        jit_i32(unit, wanted),
        jit_body_line(body, line),
    };

    jit_build_service(body, offsetof(struct cup_abi_services, access), unit->nothing, arguments, 7);
}

/* An aligned access of one lane lies in one page. Consecutive lanes touch at most two pages: the
 * first and the last byte are checked. */
static void check(struct jit_body *body, LLVMValueRef lanes, bool is_one_lane, LLVMValueRef address,
                  unsigned bytes, unsigned wanted, uint32_t line)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef rights = rights_at(body, address);
    LLVMBasicBlockRef allowed;

    if (!is_one_lane)
        rights = LLVMBuildAnd(
            b, rights,
            rights_at(body, LLVMBuildAdd(b, address, jit_i64(body->unit, bytes - 1), "")), "");
    allowed = part_ways(body, rights, wanted);
    ask(body, lanes, address, bytes, wanted, line);
    LLVMBuildBr(b, allowed);
    jit_build_at(body, allowed);
}

void jit_access_check(struct jit_body *body, LLVMValueRef lanes, LLVMValueRef address,
                      unsigned bytes, unsigned wanted, uint32_t line)
{
    check(body, lanes, false, address, bytes, wanted, line);
}

void jit_access_check_lane(struct jit_body *body, LLVMValueRef lane, LLVMValueRef address,
                           unsigned bytes, unsigned wanted, uint32_t line)
{
    LLVMValueRef one = LLVMBuildShl(body->builder, jit_i32(body->unit, 1), lane, "");

    check(body, one, true, address, bytes, wanted, line);
}

void jit_access_check_each(struct jit_body *body, const LLVMValueRef *addresses, unsigned bytes,
                           unsigned wanted, uint32_t line)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef rights = NULL;
    LLVMBasicBlockRef allowed;

    for (unsigned lane = 0; lane < body->width; lane++) {
        LLVMValueRef here = rights_at(body, addresses[lane]);

        rights = rights ? LLVMBuildAnd(b, rights, here, "") : here;
    }
    allowed = part_ways(body, rights, wanted);
    for (unsigned lane = 0; lane < body->width; lane++)
        ask(body, jit_i32(body->unit, 1u << lane), addresses[lane], bytes, wanted, line);
    LLVMBuildBr(b, allowed);
    jit_build_at(body, allowed);
}

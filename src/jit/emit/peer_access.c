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
#include "jit/emit/emitter.h"
#include "jit/emit/immediates.h"
#include "jit/emit/ir.h"

#include <stddef.h>

bool jit_access_is_checked(const struct jit_emitter *e, const struct ptx_operand *operand,
                           uint8_t space)
{
    bool is_variable = operand->kind == PTX_OPERAND_SYMBOL ||
                       (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE);

    return e->unit->request->limited && !is_variable &&
           (space == PTX_GLOBAL || space == PTX_SPACE_NONE);
}

static LLVMValueRef table(struct jit_emitter *e, size_t offset)
{
    return jit_build_field(e, e->abi.launch, offset, e->unit->ptr, true, "");
}

static LLVMValueRef entry(struct jit_emitter *e, LLVMValueRef base, LLVMValueRef index)
{
    LLVMValueRef load =
        LLVMBuildLoad2(e->builder, e->unit->i8, jit_build_offset(e, base, index), "");

    /* Not strictly invariant: another thread may map memory during the launch. A stale entry is
     * harmless, because the service that the failing branch calls looks the rights up again. */
    LLVMSetMetadata(load, e->unit->invariant_kind, e->unit->invariant);
    return load;
}

/* Loads the rights that the launch has to the page of an address. */
static LLVMValueRef rights_at(struct jit_emitter *e, LLVMValueRef address)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef page = LLVMBuildLShr(b, address, jit_i64(unit, CUP_ACCESS_SHIFT), ""), class;

    page = LLVMBuildAnd(b, page, jit_i64(unit, CUP_ACCESS_PAGES - 1), "");
    class = entry(e, table(e, offsetof(struct cup_abi_launch, access_classes)), page);
    return entry(e, table(e, offsetof(struct cup_abi_launch, access_rights)),
                 LLVMBuildZExt(b, class, unit->i64, ""));
}

static void mark_unlikely(struct jit_emitter *e, LLVMValueRef branch)
{
    LLVMContextRef context = e->unit->context;
    LLVMMetadataRef parts[3] = {
        LLVMMDStringInContext2(context, "branch_weights", 14),
        LLVMValueAsMetadata(jit_i32(e->unit, 1u << 20)),
        LLVMValueAsMetadata(jit_i32(e->unit, 1)),
    };

    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3)));
}

/* Branches on whether `rights` has all bits of `wanted`. The builder continues in the block for
 * missing rights; returns the block for allowed accesses. */
static LLVMBasicBlockRef part_ways(struct jit_emitter *e, LLVMValueRef rights, unsigned wanted)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef refused = jit_build_block(e, "refused"),
                      allowed = jit_build_block(e, "allowed");
    LLVMValueRef bits = LLVMConstInt(unit->i8, wanted, false);

    rights = LLVMBuildAnd(b, rights, bits, "");
    mark_unlikely(
        e, LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rights, bits, ""), allowed, refused));
    jit_build_at(e, refused);
    return allowed;
}

static void ask(struct jit_emitter *e, LLVMValueRef lanes, LLVMValueRef address, unsigned bytes,
                unsigned wanted, uint32_t line)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef lane = LLVMBuildAnd(e->builder, e->vector.first, jit_i32(unit, 31), "");
    LLVMValueRef arguments[] = {
        e->abi.block,
        e->vector.warp,
        LLVMBuildShl(e->builder, lanes, lane, ""),
        address,
        jit_i32(unit, bytes),
        jit_i32(unit, wanted),
        jit_line_of(e, line),
    };

    jit_build_service(e, offsetof(struct cup_abi_services, access), unit->nothing, arguments, 7);
}

/* An aligned access of one lane lies in one page. Consecutive lanes touch at most two pages: the
 * first and the last byte are checked. */
static void check(struct jit_emitter *e, LLVMValueRef lanes, bool is_one_lane, LLVMValueRef address,
                  unsigned bytes, unsigned wanted, uint32_t line)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef rights = rights_at(e, address);
    LLVMBasicBlockRef allowed;

    if (!is_one_lane)
        rights = LLVMBuildAnd(
            b, rights, rights_at(e, LLVMBuildAdd(b, address, jit_i64(e->unit, bytes - 1), "")), "");
    allowed = part_ways(e, rights, wanted);
    ask(e, lanes, address, bytes, wanted, line);
    LLVMBuildBr(b, allowed);
    jit_build_at(e, allowed);
}

void jit_access_check(struct jit_emitter *e, LLVMValueRef lanes, LLVMValueRef address,
                      unsigned bytes, unsigned wanted, uint32_t line)
{
    check(e, lanes, false, address, bytes, wanted, line);
}

void jit_access_check_lane(struct jit_emitter *e, LLVMValueRef lane, LLVMValueRef address,
                           unsigned bytes, unsigned wanted, uint32_t line)
{
    LLVMValueRef one = LLVMBuildShl(e->builder, jit_i32(e->unit, 1), lane, "");

    check(e, one, true, address, bytes, wanted, line);
}

void jit_access_check_each(struct jit_emitter *e, const LLVMValueRef *addresses, unsigned bytes,
                           unsigned wanted, uint32_t line)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef rights = NULL;
    LLVMBasicBlockRef allowed;

    for (unsigned lane = 0; lane < e->width; lane++) {
        LLVMValueRef here = rights_at(e, addresses[lane]);

        rights = rights ? LLVMBuildAnd(b, rights, here, "") : here;
    }
    allowed = part_ways(e, rights, wanted);
    for (unsigned lane = 0; lane < e->width; lane++)
        ask(e, jit_i32(e->unit, 1u << lane), addresses[lane], bytes, wanted, line);
    LLVMBuildBr(b, allowed);
    jit_build_at(e, allowed);
}

/* SPDX-License-Identifier: MIT */
/* DWARF by LLVM's builder of debug information. Locations are made when an instruction is emitted;
 * LLVM keeps equal ones once. */
#include "jit/debuginfo/dwarf.h"

#include "abi/launch.h"
#include "jit/debuginfo/debug_unit.h"
#include "jit/debuginfo/mangled_name.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"

#include <limits.h>
#include <llvm-c/DebugInfo.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { DWARF_VERSION = 4, ATE_BOOLEAN = 2, ATE_FLOAT = 4, ATE_SIGNED = 5, ATE_UNSIGNED = 7 };

struct jit_debug_inlined {
    const char *name;
    LLVMMetadataRef function;
    struct jit_debug_inlined *next;
};

static LLVMMetadataRef make_file(struct jit_debug *debug, const char *name, size_t length)
{
    return LLVMDIBuilderCreateFile(debug->builder, name, length, "", 0);
}

static LLVMMetadataRef make_ptx_file(struct jit_unit *unit, const struct ptx_text *text)
{
    const char *folder = unit->request->text_folder;
    char name[PTX_TEXT_NAME_BYTES], path[PATH_MAX];

    ptx_text_name(text, name);
    snprintf(path, sizeof(path), "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    return make_file(unit->debug, path, strlen(path));
}

static struct jit_debug_text *text_of(struct jit_unit *unit, const struct ptx_text *text)
{
    struct jit_debug *debug = unit->debug;
    struct jit_debug_text *found = debug->texts;

    while (found && found->text != text)
        found = found->next;
    if (found)
        return found;
    found = jit_workspace_zeros(&unit->workspace, 1, sizeof(*found));
    found->text = text;
    found->next = debug->texts;
    debug->texts = found;
    found->source = ptx_source_read(text);
    if (!found->source)
        jit_workspace_leave(&unit->workspace);
    found->files =
        jit_workspace_zeros(&unit->workspace, found->source->files.count, sizeof(*found->files));
    for (size_t i = 0; i < found->source->files.count; i++)
        found->files[i] = make_file(debug, found->source->files.list[i].name,
                                    found->source->files.list[i].length);
    found->ptx = make_ptx_file(unit, text);
    if (unit->request->debugger)
        found->info = ptx_debug_info_read(text);
    return found;
}

void jit_debug_begin(struct jit_unit *unit)
{
    const struct ptx_function *kernel = &unit->program->functions[unit->request->function];
    static const char producer[] = "cupipe";
    LLVMModuleRef module = unit->module;
    struct jit_debug *debug;

    if ((!unit->request->debugger && !unit->request->lines) || !kernel->text)
        return;
    unit->debug = debug = jit_workspace_zeros(&unit->workspace, 1, sizeof(*debug));
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18,
                      LLVMValueAsMetadata(jit_i32(unit, LLVMDebugMetadataVersion())));
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, "Dwarf Version", 13,
                      LLVMValueAsMetadata(jit_i32(unit, DWARF_VERSION)));
    debug->builder = LLVMCreateDIBuilder(module);
    struct jit_debug_text *text = text_of(unit, kernel->text);
    LLVMMetadataRef file = text->source->files.count ? text->files[0] : text->ptx;
    debug->unit = LLVMDIBuilderCreateCompileUnit(
        debug->builder, LLVMDWARFSourceLanguageC_plus_plus, file, producer, sizeof(producer) - 1,
        false, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
    debug->no_type =
        LLVMDIBuilderCreateSubroutineType(debug->builder, file, NULL, 0, LLVMDIFlagZero);
}

void jit_debug_end(struct jit_unit *unit)
{
    if (!unit->debug)
        return;
    LLVMDIBuilderFinalize(unit->debug->builder);
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
}

void jit_debug_dispose(struct jit_unit *unit)
{
    if (!unit->debug)
        return;
    for (struct jit_debug_text *text = unit->debug->texts; text; text = text->next) {
        ptx_source_free(text->source);
        ptx_debug_info_free(text->info);
    }
    if (!unit->workspace.llvm_unusable)
        LLVMDisposeDIBuilder(unit->debug->builder);
}

static LLVMMetadataRef make_function(struct jit_debug *debug, const char *name,
                                     LLVMMetadataRef file, uint32_t line)
{
    size_t length;
    const char *short_name = jit_debug_short_name(name, &length);

    return LLVMDIBuilderCreateFunction(debug->builder, file, short_name, length, name, strlen(name),
                                       file, line, debug->no_type, true, true, line, LLVMDIFlagZero,
                                       false);
}

static LLVMMetadataRef inlined_function(struct jit_unit *unit, const char *name,
                                        LLVMMetadataRef file, uint32_t line)
{
    struct jit_debug *debug = unit->debug;
    struct jit_debug_inlined *found = debug->inlined;

    while (found && strcmp(found->name, name) != 0)
        found = found->next;
    if (found)
        return found->function;
    found = jit_workspace_zeros(&unit->workspace, 1, sizeof(*found));
    *found =
        (struct jit_debug_inlined){name, make_function(debug, name, file, line), debug->inlined};
    debug->inlined = found;
    return found->function;
}

static LLVMMetadataRef file_of(const struct jit_debug_text *text,
                               const struct ptx_location *location)
{
    return location->file == PTX_NO_LOCATION ? text->ptx : text->files[location->file];
}

/* The location of code, with the calls that were inlined on the way. */
static LLVMMetadataRef make_location(struct jit_unit *unit, uint32_t index)
{
    enum { DEEPEST = 64 };
    struct jit_debug *debug = unit->debug;
    const struct ptx_location *list = debug->text->source->locations.list;
    uint32_t chain[DEEPEST];
    unsigned depth = 0;
    LLVMMetadataRef made = NULL;

    while (index != PTX_NO_LOCATION && depth < DEEPEST) {
        chain[depth++] = index;
        index = list[index].inlined_at;
    }
    while (depth--) {
        const struct ptx_location *at = &list[chain[depth]];
        LLVMMetadataRef scope = debug->function;

        if (made)
            scope = inlined_function(unit, at->function ? at->function : "inlined",
                                     file_of(debug->text, at), at->line);
        made = LLVMDIBuilderCreateDebugLocation(unit->context, at->line, at->column, scope, made);
    }
    return made;
}

static uint32_t first_location(const struct jit_emitter *e, const struct ptx_source *source)
{
    for (uint32_t i = 0; i < e->function->ptx->instruction_count; i++) {
        uint32_t index = ptx_source_find(source, e->function->ptx->instructions[i].line);

        if (index != PTX_NO_LOCATION && source->locations.list[index].line &&
            source->locations.list[index].inlined_at == PTX_NO_LOCATION)
            return index;
    }
    return PTX_NO_LOCATION;
}

void jit_debug_function(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    struct jit_debug *debug = unit->debug;
    LLVMMetadataRef file;
    uint32_t line = e->function->ptx->line, index;

    if (!debug)
        return;
    debug->text = text_of(unit, e->function->ptx->text);
    index = first_location(e, debug->text->source);
    file = debug->text->ptx;
    if (index != PTX_NO_LOCATION) {
        const struct ptx_location *first = &debug->text->source->locations.list[index];

        file = file_of(debug->text, first);
        line = first->line;
    }
    debug->function = make_function(debug, e->function->ptx->name, file, line);
    debug->bound = NULL;
    debug->shown_node = debug->shown_location = UINT32_MAX;
    debug->start = LLVMDIBuilderCreateDebugLocation(unit->context, line, 0, debug->function, NULL);
    LLVMSetSubprogram(e->llvm, debug->function);
}

/* A text without .loc is its own source. */
static bool has_lines(const struct jit_debug_text *text)
{
    return text->source->files.count > 0;
}

void jit_debug_instruction(struct jit_emitter *e, const struct ptx_instruction *instruction)
{
    struct jit_unit *unit = e->unit;
    struct jit_debug *debug = unit->debug;
    LLVMMetadataRef location = NULL;
    uint32_t index;

    if (!debug)
        return;
    if (!instruction) {
        LLVMSetCurrentDebugLocation2(e->builder, NULL);
        return;
    }
    if (!has_lines(debug->text)) {
        location = LLVMDIBuilderCreateDebugLocation(unit->context, instruction->line, 0,
                                                    debug->function, NULL);
    } else {
        index = ptx_source_find(debug->text->source, instruction->line);
        if (index != PTX_NO_LOCATION)
            location = make_location(unit, index);
    }
    LLVMSetCurrentDebugLocation2(e->builder, location);
}

static LLVMMetadataRef basic_type(struct jit_debug *debug, enum ptx_type type)
{
    const char *name = ptx_type_name(type);
    unsigned bits = type == PTX_PRED ? 8 : ptx_type_bits(type), encoding = ATE_UNSIGNED;

    if (type == PTX_PRED)
        encoding = ATE_BOOLEAN;
    else if (type == PTX_F32 || type == PTX_F64)
        encoding = ATE_FLOAT;
    else if (ptx_type_is_signed(type))
        encoding = ATE_SIGNED;
    return LLVMDIBuilderCreateBasicType(debug->builder, name, strlen(name), bits ? bits : 32,
                                        encoding, LLVMDIFlagZero);
}

LLVMMetadataRef jit_debug_lanes(struct jit_emitter *e, LLVMMetadataRef element, uint64_t bytes,
                                uint64_t stride)
{
    struct jit_debug *debug = e->unit->debug;
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(debug->builder, 0, e->unit->width);
    LLVMMetadataRef member;

    if (e->unit->single_lane)
        return element;
    if (stride != bytes) {
        member =
            LLVMDIBuilderCreateMemberType(debug->builder, debug->unit, "value", 5, debug->text->ptx,
                                          0, 8 * bytes, 8, 0, LLVMDIFlagZero, element);
        element = LLVMDIBuilderCreateStructType(debug->builder, debug->unit, "cupipe_lane", 11,
                                                debug->text->ptx, 0, 8 * stride, 8, LLVMDIFlagZero,
                                                NULL, &member, 1, 0, NULL, "", 0);
    }
    return LLVMDIBuilderCreateArrayType(debug->builder, 8 * stride * e->unit->width, 8, element,
                                        &range, 1);
}

void jit_debug_declare(struct jit_emitter *e, const char *name, LLVMMetadataRef type,
                       LLVMValueRef memory, const uint64_t *operations, size_t count)
{
    struct jit_debug *debug = e->unit->debug;
    LLVMMetadataRef variable =
        LLVMDIBuilderCreateAutoVariable(debug->builder, debug->function, name, strlen(name),
                                        debug->text->ptx, 0, type, true, LLVMDIFlagZero, 0);
    LLVMMetadataRef expression =
        LLVMDIBuilderCreateExpression(debug->builder, (uint64_t *)operations, count);

    LLVMDIBuilderInsertDeclareRecordBefore(debug->builder, memory, variable, expression,
                                           debug->start, e->entry_end);
}

void jit_debug_register(struct jit_emitter *e, uint32_t reg, enum ptx_type type, LLVMValueRef slot)
{
    struct jit_debug *debug = e->unit->debug;
    uint64_t bytes = type == PTX_PRED ? 1 : ptx_type_bits(type) / 8;
    const char *name;

    if (!debug || !e->unit->request->debugger || reg == e->function->cfg.carry)
        return;
    name = e->function->ptx->registers[reg].name;
    jit_debug_declare(e, name[0] == '%' ? name + 1 : name,
                      jit_debug_lanes(e, basic_type(debug, type), bytes, bytes), slot, NULL, 0);
}

/* struct { unsigned x, y, z; } */
static LLVMMetadataRef triple_type(struct jit_emitter *e)
{
    struct jit_debug *debug = e->unit->debug;
    static const char *const names[] = {"x", "y", "z"};
    LLVMMetadataRef members[3], word = basic_type(debug, PTX_U32);

    for (unsigned axis = 0; axis < 3; axis++)
        members[axis] = LLVMDIBuilderCreateMemberType(debug->builder, debug->unit, names[axis], 1,
                                                      debug->text->ptx, 0, 32, 32, 32u * axis,
                                                      LLVMDIFlagZero, word);
    return LLVMDIBuilderCreateStructType(debug->builder, debug->unit, "dim3", 4, debug->text->ptx,
                                         0, 96, 32, LLVMDIFlagZero, NULL, members, 3, 0, NULL, "",
                                         0);
}

/* threadIdx of the vector's first lane, computed where the vector begins. */
static LLVMValueRef store_thread(struct jit_emitter *e)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef memory = jit_build_alloca(e, e->unit->i32, 3, "threadIdx");
    LLVMValueRef rest = e->vector.first;

    for (unsigned axis = 0; axis < 3; axis++) {
        LLVMValueRef size = e->abi.ntid[axis];
        LLVMValueRef index = axis == 2 ? rest : LLVMBuildURem(b, rest, size, "");

        LLVMBuildStore(b, index, jit_build_offset(e, memory, jit_i64(e->unit, 4u * axis)));
        rest = LLVMBuildUDiv(b, rest, size, "");
    }
    return memory;
}

void jit_debug_position(struct jit_emitter *e)
{
    static const uint64_t block_index[] = {JIT_DEBUG_DEREF, JIT_DEBUG_PLUS,
                                           offsetof(struct cup_abi_block, index)};
    static const uint64_t block_size[] = {
        JIT_DEBUG_DEREF, JIT_DEBUG_PLUS, offsetof(struct cup_abi_block, launch),
        JIT_DEBUG_DEREF, JIT_DEBUG_PLUS, offsetof(struct cup_abi_launch, block)};
    static const uint64_t grid_size[] = {
        JIT_DEBUG_DEREF, JIT_DEBUG_PLUS, offsetof(struct cup_abi_block, launch),
        JIT_DEBUG_DEREF, JIT_DEBUG_PLUS, offsetof(struct cup_abi_launch, grid)};
    LLVMMetadataRef triple, word;

    if (!e->unit->debug || !e->unit->request->debugger)
        return;
    triple = triple_type(e);
    word = basic_type(e->unit->debug, PTX_U32);
    jit_debug_declare(e, "threadIdx", triple, store_thread(e), NULL, 0);
    jit_debug_declare(e, "blockIdx", triple, e->abi.state_block, block_index, 3);
    jit_debug_declare(e, "blockDim", triple, e->abi.state_block, block_size, 6);
    jit_debug_declare(e, "gridDim", triple, e->abi.state_block, grid_size, 6);
    jit_debug_declare(e, "cupipe_first_thread", word, e->abi.state_first, NULL, 0);
    jit_debug_declare(e, "cupipe_active_lanes", word, e->mask.active, NULL, 0);
}

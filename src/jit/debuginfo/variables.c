/* SPDX-License-Identifier: MIT */
/* A variable in memory is declared where it is: a parameter of a kernel in the launch, a local
 * variable in the memory of its lane. A variable in registers moves from one to the other, so it
 * gets memory of its own, into which its register is copied where a line begins. Variables of one
 * name and size in several blocks of a function share their memory: only one of them is known at a
 * time. */
#include "jit/debuginfo/variables.h"

#include "abi/launch.h"
#include "jit/debuginfo/debug_unit.h"
#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/registers.h"

#include <stddef.h>
#include <string.h>

enum { MOST_OPERATIONS = 12 };

struct bound_place {
    uint32_t from_line, to_line, reg;
};

struct jit_debug_bound {
    const char *name;
    LLVMTypeRef word; /* an integer of the variable's size */
    LLVMValueRef memory;
    unsigned place_count;
    struct bound_place places[PTX_DEBUG_PLACES];
    struct jit_debug_bound *next;
};

struct expression {
    uint64_t operations[MOST_OPERATIONS];
    size_t count;
};

/* Follows a pointer, then adds. */
static void follow(struct expression *expression, uint64_t offset)
{
    expression->operations[expression->count++] = JIT_DEBUG_DEREF;
    expression->operations[expression->count++] = JIT_DEBUG_PLUS;
    expression->operations[expression->count++] = offset;
}

static uint32_t find_variable(const struct ptx_function *function, const struct ptx_token *name)
{
    for (uint32_t v = 0; v < function->variable_count; v++)
        if (strlen(function->variables[v].name) == name->length &&
            memcmp(function->variables[v].name, name->text, name->length) == 0)
            return v;
    return PTX_NO_INDEX;
}

static uint32_t find_register(const struct ptx_function *function, const char *name)
{
    for (uint32_t r = 0; r < function->register_count; r++)
        if (strcmp(function->registers[r].name, name) == 0)
            return r;
    return PTX_NO_REGISTER;
}

/* An alloca that holds an address which the vector's code has computed. */
static LLVMValueRef keep_address(struct jit_emitter *e, LLVMValueRef address)
{
    LLVMValueRef memory = jit_build_alloca(e, e->unit->i64, 1, "address");

    LLVMBuildStore(e->builder, address, memory);
    return memory;
}

static void declare_in_memory(struct jit_emitter *e, const struct ptx_debug_variable *variable,
                              LLVMMetadataRef type, uint64_t bytes)
{
    const struct ptx_debug_place *place = &variable->places[0];
    uint32_t index = find_variable(e->function->ptx, &place->variable);
    struct expression expression = {.count = 0};
    struct jit_value address;

    if (index == PTX_NO_INDEX || e->function->ptx->variables[index].space == PTX_SHARED)
        return;
    if (e->function->is_kernel && e->function->ptx->variables[index].space == PTX_PARAM) {
        follow(&expression, offsetof(struct cup_abi_block, launch));
        follow(&expression, offsetof(struct cup_abi_launch, params));
        follow(&expression, e->function->variable_offsets[index] + place->offset);
        jit_debug_declare(e, variable->name, type, e->abi.state_block, expression.operations,
                          expression.count);
        return;
    }
    address = jit_variable_address(e, index, true);
    if (address.vector || address.stride <= 0)
        return;
    follow(&expression, place->offset);
    jit_debug_declare(e, variable->name, jit_debug_lanes(e, type, bytes, (uint64_t)address.stride),
                      keep_address(e, address.value), expression.operations, expression.count);
}

static struct jit_debug_bound *find_bound(const struct jit_debug *debug, const char *name)
{
    struct jit_debug_bound *bound = debug->bound;

    while (bound && strcmp(bound->name, name) != 0)
        bound = bound->next;
    return bound;
}

static void declare_in_registers(struct jit_emitter *e, const struct ptx_debug_variable *variable,
                                 LLVMMetadataRef type, uint64_t bytes)
{
    struct jit_unit *unit = e->unit;
    struct jit_debug_bound *bound = find_bound(unit->debug, variable->name);
    LLVMTypeRef word = LLVMIntTypeInContext(unit->context, (unsigned)bytes * 8);

    if (bound && bound->word != word)
        return;
    if (!bound) {
        bound = jit_workspace_zeros(&unit->workspace, 1, sizeof(*bound));
        *bound = (struct jit_debug_bound){.name = variable->name, .word = word};
        bound->memory = jit_build_alloca(e, LLVMVectorType(word, unit->width), 1, bound->name);
        bound->next = unit->debug->bound;
        unit->debug->bound = bound;
        jit_debug_declare(e, bound->name, jit_debug_lanes(e, type, bytes, bytes), bound->memory,
                          NULL, 0);
    }
    for (unsigned p = 0; p < variable->place_count && bound->place_count < PTX_DEBUG_PLACES; p++) {
        const struct ptx_debug_place *place = &variable->places[p];
        uint32_t reg =
            place->reg[0] ? find_register(e->function->ptx, place->reg) : PTX_NO_REGISTER;

        if (reg != PTX_NO_REGISTER)
            bound->places[bound->place_count++] =
                (struct bound_place){place->from_line, place->to_line, reg};
    }
}

static void declare_variable(const struct ptx_debug_variable *variable, void *argument)
{
    struct jit_emitter *e = argument;
    struct jit_debug_text *text = e->unit->debug->text;
    uint64_t bytes = jit_debug_type_bytes(text->info, variable->type);
    LLVMMetadataRef type = bytes ? jit_debug_type(&text->types, variable->type) : NULL;

    if (!type)
        return;
    if (!variable->places[0].reg[0])
        declare_in_memory(e, variable, type, bytes);
    else if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
        declare_in_registers(e, variable, type, bytes);
}

void jit_debug_variables(struct jit_emitter *e)
{
    struct jit_debug *debug = e->unit->debug;

    if (!debug || !debug->text || !debug->text->info)
        return;
    debug->text->types.workspace = &e->unit->workspace;
    debug->text->types.builder = debug->builder;
    debug->text->types.unit = debug->unit;
    debug->text->types.file = debug->text->ptx;
    debug->text->types.info = debug->text->info;
    ptx_debug_variables(debug->text->info, e->function->ptx->name, declare_variable, e);
}

/* The register's bits as integers of the variable's size. */
static LLVMValueRef as_words(struct jit_emitter *e, uint32_t reg, LLVMTypeRef word)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef value = jit_value_vector(e, jit_register_read(e, reg));
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value)), wanted;
    unsigned bits;

    if (element == e->unit->f32 || element == e->unit->f64)
        value = LLVMBuildBitCast(
            b, value, jit_vector_type(e, element == e->unit->f32 ? e->unit->i32 : e->unit->i64),
            "");
    wanted = jit_vector_type(e, word);
    bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(value)));
    if (bits > LLVMGetIntTypeWidth(word))
        return LLVMBuildTrunc(b, value, wanted, "");
    return bits < LLVMGetIntTypeWidth(word) ? LLVMBuildZExt(b, value, wanted, "") : value;
}

void jit_debug_variables_update(struct jit_emitter *e, const struct ptx_instruction *instruction)
{
    struct jit_debug *debug = e->unit->debug;
    uint32_t location;

    if (!debug || !debug->bound)
        return;
    location = ptx_source_find(debug->text->source, instruction->line);
    if (location == debug->shown_location && e->node == debug->shown_node)
        return;
    debug->shown_location = location;
    debug->shown_node = e->node;
    for (struct jit_debug_bound *bound = debug->bound; bound; bound = bound->next)
        for (unsigned p = 0; p < bound->place_count; p++) {
            const struct bound_place *place = &bound->places[p];

            if (place->from_line <= instruction->line && instruction->line < place->to_line)
                LLVMBuildStore(e->builder, as_words(e, place->reg, bound->word), bound->memory);
        }
}

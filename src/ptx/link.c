/* SPDX-License-Identifier: MIT */
/* Links programs into a new one. First every external name is resolved to one entity: a definition
 * before a weak one before a declaration. Then these are copied, and the indices in the copies are
 * changed to those of the new program. */
#include "ptx/program.h"

#include "core/compiler.h"
#include "core/hashmap.h"
#include "ptx/arena.h"
#include "ptx/device_call.h"
#include "ptx/lexer.h"
#include "ptx/log.h"
#include "ptx/module.h"
#include "ptx/source.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct link_symbol {
    uint32_t program, index; /* the entity that the name resolves to */
};

/* A name, by its hash. */
struct link_name {
    uint64_t key;
    uint32_t symbol;
};

struct link_table {
    struct link_symbol *symbols;
    uint32_t count;
    CUP_HASHMAP(struct link_name, slots) names;
    uint32_t **map; /* per program: old index → new index */
};

struct linker {
    struct ptx_program *const *programs;
    size_t count;
    struct ptx_log *log;
    enum ptx_failure failure;
    struct ptx_arena *arena, *scratch;
    struct link_table variables, functions;
    const struct ptx_text **texts; /* per program: the copy of its text */
    jmp_buf out_of_memory;
};

static void *take_from(struct linker *linker, struct ptx_arena *arena, size_t size)
{
    void *piece = ptx_arena_take(arena, size);

    if (!piece)
        longjmp(linker->out_of_memory, 1);
    return piece;
}

static void *copy(struct linker *linker, const void *data, size_t size)
{
    void *piece;

    if (!data || size == 0)
        return NULL;
    piece = take_from(linker, linker->arena, size);
    memcpy(piece, data, size);
    return piece;
}

static const char *copy_name(struct linker *linker, const char *name)
{
    return copy(linker, name, strlen(name) + 1);
}

static const struct ptx_text *copy_text(struct linker *linker, uint32_t program,
                                        const struct ptx_text *text)
{
    struct ptx_text *made;

    if (text && !linker->texts[program]) {
        made = copy(linker, text, sizeof(*text));
        made->bytes = copy(linker, text->bytes, text->length + 1);
        linker->texts[program] = made;
    }
    return linker->texts[program];
}

static const char *input_of(const struct linker *linker, uint32_t program)
{
    const char *input = linker->programs[program]->input;

    return input ? input : "";
}

/* The messages have the form of NVIDIA's linker, which other programs' tests search for. */
static void fail_undefined(struct linker *linker, const char *name, uint32_t program)
{
    linker->failure = PTX_SYNTAX;
    if (linker->log->errors++ < PTX_MAX_ERRORS)
        ptx_log_add(linker->log, "error   : Undefined reference to '%.200s' in '%.200s'\n", name,
                    input_of(linker, program));
}

static void fail_twice(struct linker *linker, const char *what, const char *name, uint32_t program,
                       uint32_t first)
{
    linker->failure = PTX_SYNTAX;
    if (linker->log->errors++ < PTX_MAX_ERRORS)
        ptx_log_add(linker->log, "error   : %s '%.150s' in '%.120s', first defined in '%.120s'\n",
                    what, name, input_of(linker, program), input_of(linker, first));
}

/* Precedence of the entities of one name, from weakest to strongest. */
enum strength { DECLARED, COMMON, WEAK, DEFINED };

static enum strength variable_strength(const struct ptx_variable *variable)
{
    switch (variable->linkage) {
    case PTX_LINK_EXTERN:
        return DECLARED;
    case PTX_LINK_COMMON:
        return COMMON;
    case PTX_LINK_WEAK:
        return WEAK;
    default:
        return DEFINED;
    }
}

static enum strength function_strength(const struct ptx_function *function)
{
    if (function->is_prototype)
        return DECLARED;
    return function->linkage == PTX_LINK_WEAK ? WEAK : DEFINED;
}

static uint32_t add_symbol(struct link_table *table, uint32_t program, uint32_t index)
{
    table->symbols[table->count] = (struct link_symbol){.program = program, .index = index};
    return table->count++;
}

static const char *name_of(const struct linker *linker, const struct link_symbol *symbol,
                           bool is_function)
{
    const struct ptx_program *owner = linker->programs[symbol->program];

    return is_function ? owner->functions[symbol->index].name
                       : owner->variables[symbol->index].name;
}

/* Finds the symbol of a name, or adds one. */
static uint32_t find_symbol(struct linker *linker, struct link_table *table, const char *name,
                            bool is_function, uint32_t program, uint32_t index, bool *found)
{
    uint64_t key = cup_hashmap_key(ptx_hash_word(name, strlen(name)));
    struct link_name *entry = cup_hashmap_find(&table->names.map, key, sizeof(*entry));

    while (entry && strcmp(name_of(linker, &table->symbols[entry->symbol], is_function), name) != 0)
        entry = cup_hashmap_next(&table->names.map, entry, sizeof(*entry));
    *found = entry != NULL;
    if (entry)
        return entry->symbol;
    entry = cup_hashmap_add(&table->names.map, key, sizeof(*entry));
    if (!entry)
        longjmp(linker->out_of_memory, 1);
    return entry->symbol = add_symbol(table, program, index);
}

static void join_variable(struct linker *linker, struct link_symbol *symbol, uint32_t program,
                          uint32_t index)
{
    const struct ptx_variable *old = &linker->programs[symbol->program]->variables[symbol->index],
                              *new = &linker->programs[program]->variables[index];
    enum strength was = variable_strength(old), is = variable_strength(new);

    if (old->space != new->space ||
        (!old->unsized && !new->unsized &&
         old->size_bytes != new->size_bytes &&was != COMMON &&is != COMMON))
        fail_twice(linker, "Prototype doesn't match for", new->name, program, symbol->program);
    else if (was == DEFINED && is == DEFINED)
        fail_twice(linker, "Multiple definition of", new->name, program, symbol->program);
    else if (is > was || (is == COMMON && was == COMMON && new->size_bytes > old->size_bytes) ||
             (was == DECLARED && old->unsized && !new->unsized)) {
        symbol->program = program;
        symbol->index = index;
    }
}

static bool same_signature(const struct ptx_function *a, const struct ptx_function *b)
{
    if (a->parameter_count != b->parameter_count || a->result_count != b->result_count)
        return false;
    for (uint32_t i = 0; i < a->parameter_count; i++)
        if (a->parameters[i].size_bytes != b->parameters[i].size_bytes)
            return false;
    for (uint32_t i = 0; i < a->result_count; i++)
        if (a->results[i].size_bytes != b->results[i].size_bytes)
            return false;
    return true;
}

static void join_function(struct linker *linker, struct link_symbol *symbol, uint32_t program,
                          uint32_t index)
{
    const struct ptx_function *old = &linker->programs[symbol->program]->functions[symbol->index],
                              *new = &linker->programs[program]->functions[index];
    enum strength was = function_strength(old), is = function_strength(new);

    if (old->is_kernel != new->is_kernel || !same_signature(old, new))
        fail_twice(linker, "Prototype doesn't match for", new->name, program, symbol->program);
    else if (was == DEFINED && is == DEFINED)
        fail_twice(linker, "Multiple definition of", new->name, program, symbol->program);
    else if (is > was) {
        symbol->program = program;
        symbol->index = index;
    }
}

static void collect(struct linker *linker, uint32_t number)
{
    const struct ptx_program *program = linker->programs[number];
    uint32_t *variables, *functions;
    bool found;

    variables =
        take_from(linker, linker->scratch, (program->variable_count + 1) * sizeof(uint32_t));
    functions =
        take_from(linker, linker->scratch, (program->function_count + 1) * sizeof(uint32_t));
    linker->variables.map[number] = variables;
    linker->functions.map[number] = functions;
    for (uint32_t i = 0; i < program->variable_count; i++) {
        if (program->variables[i].linkage == PTX_LINK_LOCAL) {
            variables[i] = add_symbol(&linker->variables, number, i);
            continue;
        }
        variables[i] = find_symbol(linker, &linker->variables, program->variables[i].name, false,
                                   number, i, &found);
        if (found)
            join_variable(linker, &linker->variables.symbols[variables[i]], number, i);
    }
    for (uint32_t i = 0; i < program->function_count; i++) {
        if (program->functions[i].linkage == PTX_LINK_LOCAL) {
            functions[i] = add_symbol(&linker->functions, number, i);
            continue;
        }
        functions[i] = find_symbol(linker, &linker->functions, program->functions[i].name, true,
                                   number, i, &found);
        if (found)
            join_function(linker, &linker->functions.symbols[functions[i]], number, i);
    }
}

/* Reports names that are declared but not defined, except dynamic shared memory and system
 * functions. */
static void check_unresolved(struct linker *linker)
{
    for (uint32_t i = 0; i < linker->variables.count; i++) {
        const struct link_symbol *symbol = &linker->variables.symbols[i];
        const struct ptx_variable *variable =
            &linker->programs[symbol->program]->variables[symbol->index];

        if (variable->linkage == PTX_LINK_EXTERN && variable->space != PTX_SHARED)
            fail_undefined(linker, variable->name, symbol->program);
    }
    for (uint32_t i = 0; i < linker->functions.count; i++) {
        const struct link_symbol *symbol = &linker->functions.symbols[i];
        const struct ptx_function *function =
            &linker->programs[symbol->program]->functions[symbol->index];

        if (function->is_prototype && function->linkage == PTX_LINK_EXTERN &&
            !ptx_is_system_function(function->name))
            fail_undefined(linker, function->name, symbol->program);
    }
}

static void map_operand(struct linker *linker, uint32_t program, struct ptx_operand *operand)
{
    bool variable = operand->kind == PTX_OPERAND_SYMBOL ||
                    (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE);

    if (variable && !operand->local)
        operand->index = linker->variables.map[program][operand->index];
    else if (operand->kind == PTX_OPERAND_FUNCTION)
        operand->index = linker->functions.map[program][operand->index];
}

static const struct ptx_call *copy_call(struct linker *linker, uint32_t program,
                                        const struct ptx_call *call, bool branches)
{
    struct ptx_call *made = copy(linker, call, sizeof(*call));
    uint32_t *targets = copy(linker, call->targets, call->target_count * sizeof(*targets));

    made->results = copy(linker, call->results, call->result_count * sizeof(*call->results));
    made->arguments =
        copy(linker, call->arguments, call->argument_count * sizeof(*call->arguments));
    for (uint32_t i = 0; i < call->target_count && !branches; i++)
        targets[i] = linker->functions.map[program][targets[i]];
    made->targets = targets;
    map_operand(linker, program, &made->target);
    return made;
}

static struct ptx_variable copy_variable(struct linker *linker, uint32_t program,
                                         const struct ptx_variable *variable)
{
    struct ptx_variable made = *variable;
    struct ptx_relocation *relocations = copy(
        linker, variable->relocations, variable->relocation_count * sizeof(*variable->relocations));

    made.name = copy_name(linker, variable->name);
    made.init = copy(linker, variable->init, variable->size_bytes);
    for (uint32_t i = 0; i < variable->relocation_count; i++)
        relocations[i].index =
            (relocations[i].is_function ? linker->functions.map
                                        : linker->variables.map)[program][relocations[i].index];
    made.relocations = relocations;
    return made;
}

static const struct ptx_parameter *
copy_parameters(struct linker *linker, const struct ptx_parameter *parameters, uint32_t count)
{
    struct ptx_parameter *made = copy(linker, parameters, count * sizeof(*parameters));

    for (uint32_t i = 0; i < count; i++)
        made[i].name = copy_name(linker, parameters[i].name);
    return made;
}

static void copy_signature(struct linker *linker, struct ptx_function *function)
{
    function->name = copy_name(linker, function->name);
    function->parameters = copy_parameters(linker, function->parameters, function->parameter_count);
    function->results = copy_parameters(linker, function->results, function->result_count);
}

static const struct ptx_instruction *copy_instructions(struct linker *linker, uint32_t program,
                                                       const struct ptx_function *function)
{
    struct ptx_instruction *made =
        copy(linker, function->instructions, function->instruction_count * sizeof(*made));

    for (uint32_t i = 0; i < function->instruction_count; i++) {
        for (unsigned k = 0; k < made[i].source_count; k++)
            map_operand(linker, program, &made[i].src[k]);
        if (made[i].call)
            made[i].call = copy_call(linker, program, made[i].call, made[i].op == PTX_OP_brx);
    }
    return made;
}

/* The number of vector elements of a function: the end of the last vector. */
static uint32_t element_count(const struct ptx_function *function)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];

        for (unsigned k = 0; k < PTX_MAX_SOURCES + PTX_MAX_DESTINATIONS; k++) {
            const struct ptx_operand *operand = k < PTX_MAX_DESTINATIONS
                                                    ? &instruction->dst[k]
                                                    : &instruction->src[k - PTX_MAX_DESTINATIONS];

            if (operand->kind == PTX_OPERAND_VECTOR && operand->index + operand->count > count)
                count = operand->index + operand->count;
        }
    }
    return count;
}

static struct ptx_function copy_function(struct linker *linker, uint32_t program,
                                         const struct ptx_function *function)
{
    struct ptx_function made = *function;
    uint32_t elements = element_count(function);
    struct ptx_operand *operands = copy(linker, function->elements, elements * sizeof(*operands));
    struct ptx_register *registers =
        copy(linker, function->registers, function->register_count * sizeof(*registers));
    struct ptx_variable *variables =
        copy(linker, function->variables, function->variable_count * sizeof(*variables));
    struct ptx_function *prototypes =
        copy(linker, function->prototypes, function->prototype_count * sizeof(*prototypes));

    copy_signature(linker, &made);
    made.text = copy_text(linker, program, function->text);
    for (uint32_t i = 0; i < elements; i++)
        map_operand(linker, program, &operands[i]);
    for (uint32_t i = 0; i < function->register_count; i++)
        registers[i].name = copy_name(linker, registers[i].name);
    for (uint32_t i = 0; i < function->variable_count; i++)
        variables[i] = copy_variable(linker, program, &variables[i]);
    for (uint32_t i = 0; i < function->prototype_count; i++)
        copy_signature(linker, &prototypes[i]);
    made.elements = operands;
    made.registers = registers;
    made.variables = variables;
    made.prototypes = prototypes;
    made.instructions = copy_instructions(linker, program, function);
    return made;
}

static struct ptx_program *build(struct linker *linker)
{
    struct ptx_program *program = take_from(linker, linker->arena, sizeof(*program));
    struct ptx_variable *variables =
        take_from(linker, linker->arena, (linker->variables.count + 1) * sizeof(*variables));
    struct ptx_function *functions =
        take_from(linker, linker->arena, (linker->functions.count + 1) * sizeof(*functions));

    for (uint32_t i = 0; i < linker->variables.count; i++) {
        const struct link_symbol *symbol = &linker->variables.symbols[i];

        variables[i] = copy_variable(linker, symbol->program,
                                     &linker->programs[symbol->program]->variables[symbol->index]);
    }
    for (uint32_t i = 0; i < linker->functions.count; i++) {
        const struct link_symbol *symbol = &linker->functions.symbols[i];

        functions[i] = copy_function(linker, symbol->program,
                                     &linker->programs[symbol->program]->functions[symbol->index]);
    }
    program->variables = variables;
    program->variable_count = linker->variables.count;
    program->functions = functions;
    program->function_count = linker->functions.count;
    program->arena = linker->arena;
    for (size_t i = 0; i < linker->count; i++) {
        const struct ptx_program *part = linker->programs[i];
        uint64_t both[4] = {program->hash[0], program->hash[1], part->hash[0], part->hash[1]};

        ptx_hash_text((const char *)both, sizeof(both), program->hash);
        program->debug |= part->debug;
        if (part->version > program->version)
            program->version = part->version;
        if (part->target > program->target ||
            (part->target == program->target && part->target_suffix)) {
            program->target = part->target;
            program->target_suffix = part->target_suffix;
        }
    }
    return program;
}

static void prepare(struct linker *linker, struct link_table *table, size_t entities)
{
    table->symbols = take_from(linker, linker->scratch, (entities + 1) * sizeof(*table->symbols));
    table->map = take_from(linker, linker->scratch, (linker->count + 1) * sizeof(*table->map));
}

static struct ptx_program *join_all(struct linker *linker)
{
    size_t variables = 0, functions = 0;

    for (size_t i = 0; i < linker->count; i++) {
        variables += linker->programs[i]->variable_count;
        functions += linker->programs[i]->function_count;
    }
    prepare(linker, &linker->variables, variables);
    prepare(linker, &linker->functions, functions);
    linker->texts = take_from(linker, linker->scratch, linker->count * sizeof(*linker->texts));
    for (size_t i = 0; i < linker->count; i++)
        collect(linker, (uint32_t)i);
    check_unresolved(linker);
    return linker->failure == PTX_OK ? build(linker) : NULL;
}

/* Runs everything that allocates memory; running out of it is a longjmp to here. */
static struct ptx_program *run(struct linker *linker)
{
    if (setjmp(linker->out_of_memory) == 0)
        return join_all(linker);
    linker->failure = PTX_OUT_OF_MEMORY;
    return NULL;
}

struct ptx_program *ptx_link(struct ptx_program *const *programs, size_t count, struct ptx_log *log,
                             enum ptx_failure *failure)
{
    struct ptx_log own_log = {0};
    struct linker *linker = calloc(1, sizeof(*linker));
    struct ptx_program *program = NULL;

    *failure = PTX_OUT_OF_MEMORY;
    if (!linker)
        return NULL;
    linker->programs = programs;
    linker->count = count;
    linker->log = log ? log : &own_log;
    linker->arena = ptx_arena_create();
    linker->scratch = ptx_arena_create();
    if (linker->arena && linker->scratch) {
        program = run(linker);
        *failure = linker->failure;
    }
    cup_hashmap_finish(&linker->variables.names.map);
    cup_hashmap_finish(&linker->functions.names.map);
    ptx_arena_destroy(linker->scratch);
    if (!program)
        ptx_arena_destroy(linker->arena);
    free(linker);
    ptx_log_free(&own_log);
    return program;
}

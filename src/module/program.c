/* SPDX-License-Identifier: MIT */
/* Parsing and linking of programs, and look-ups by name. */
#include "module/program.h"

#include "core/error.h"
#include "core/log.h"
#include "exec/code/compiler.h"
#include "memory/managed.h"
#include "module/device_functions.h"
#include "module/log.h"

#include <stdlib.h>
#include <string.h>

static CUresult failure_result(enum ptx_failure failure)
{
    switch (failure) {
    case PTX_UNSUPPORTED_VERSION:
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    case PTX_OUT_OF_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_ERROR_INVALID_PTX;
    }
}

static struct ptx_program *parse_text(const struct cup_source_text *text, struct ptx_log *log,
                                      enum ptx_failure *failure)
{
    struct ptx_program *program = text->assembled
                                      ? ptx_parse_assembled(text->bytes, text->length, log, failure)
                                      : ptx_parse(text->bytes, text->length, log, failure);

    if (!program)
        return NULL;
    program->input = text->name;
    if (text->keeps_products)
        ptx_keep_products(program);
    return program;
}

/* Parses all texts and links them if there are several. Returns NULL and the failure. */
static struct ptx_program *parse_all(const struct cup_source *source, struct ptx_log *log,
                                     enum ptx_failure *failure)
{
    struct ptx_program **parsed = calloc(source->count, sizeof(struct ptx_program *));
    struct ptx_program *whole = NULL;
    size_t count = 0;

    *failure = PTX_OUT_OF_MEMORY;
    if (!parsed)
        return NULL;
    while (count < source->count) {
        parsed[count] = parse_text(&source->texts[count], log, failure);
        if (!parsed[count])
            break;
        count++;
    }
    if (count == source->count && count == 1) {
        whole = parsed[0];
        count = 0;
    } else if (count == source->count) {
        whole = ptx_link(parsed, count, log, failure);
    }
    while (count > 0)
        ptx_program_free(parsed[--count]);
    free(parsed);
    return whole;
}

/* `linked`: device functions have a place too. */
static bool index_kernels(struct cup_program *program, uint32_t max_registers, bool linked)
{
    uint32_t others = 0;

    program->kernels = calloc(program->ptx->function_count + 1, sizeof *program->kernels);
    if (!program->kernels)
        return false;
    for (uint32_t i = 0; i < program->ptx->function_count; i++)
        if (program->ptx->functions[i].is_kernel && !program->ptx->functions[i].is_prototype)
            program->kernels[program->kernel_count++] = i;
    if (linked && !cup_program_device_functions(program->ptx,
                                                program->kernels + program->kernel_count, &others))
        return false;
    program->function_count = program->kernel_count + others;
    program->resources = calloc(program->function_count + 1, sizeof *program->resources);
    return program->resources &&
           cup_code_resources_estimate(program->ptx, program->kernels, program->function_count,
                                       max_registers, program->resources);
}

/* True if the function is not defined anywhere. Functions of the driver have no PTX body. */
static bool is_missing(const struct ptx_program *ptx, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_FUNCTION && ptx->functions[operand->index].is_prototype &&
           !ptx->functions[operand->index].is_kernel &&
           !ptx_is_system_function(ptx->functions[operand->index].name);
}

/* The input of a linker is known by its name, a module by that of its function. */
static void log_missing(const struct ptx_program *ptx, const char *name, struct ptx_log *log)
{
    if (ptx->input)
        cup_module_log(log, "error   : Undefined reference to '%s' in '%s'", name, ptx->input);
    else
        cup_module_log(log, "ptxas fatal   : Unresolved extern function '%s'", name);
}

static bool calls_are_defined(const struct ptx_program *ptx, struct ptx_log *log)
{
    for (uint32_t i = 0; i < ptx->function_count; i++)
        for (uint32_t j = 0; j < ptx->functions[i].instruction_count; j++) {
            const struct ptx_instruction *instruction = &ptx->functions[i].instructions[j];
            const struct ptx_operand *operand = &instruction->src[0];
            if (instruction->op == PTX_OP_call && instruction->call)
                operand = &instruction->call->target;
            if (is_missing(ptx, operand)) {
                log_missing(ptx, ptx->functions[operand->index].name, log);
                return false;
            }
        }
    return true;
}

/* The limit of the constants, and of a kernel's shared memory, is what a multiprocessor has. */
static bool fits_device(const struct cup_program *program, const struct cup_profile *profile,
                        struct ptx_log *log)
{
    uint64_t most =
        cup_profile_value(profile, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

    for (uint32_t i = 0; i < program->kernel_count; i++) {
        if (program->resources[i].shared_bytes > most) {
            cup_module_log(
                log,
                "ptxas error   : Entry function '%s' uses too much shared data (0x%x bytes, "
                "0x%llx max)",
                program->ptx->functions[program->kernels[i]].name,
                program->resources[i].shared_bytes, (unsigned long long)most);
            return false;
        }
    }
    uint64_t constants = cup_program_constants(program->ptx);
    most = cup_profile_value(profile, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    if (constants > most) {
        cup_module_log(log, "the constants take %llu bytes; the maximum is %llu",
                       (unsigned long long)constants, (unsigned long long)most);
        return false;
    }
    return true;
}

/* Current NVIDIA drivers have no samplers separate from textures. */
static bool has_samplers(const struct ptx_program *ptx)
{
    for (uint32_t i = 0; i < ptx->variable_count; i++)
        if (ptx->variables[i].type == PTX_SAMPLERREF)
            return true;
    return false;
}

/* Nor do they support surface queries other than the extent. */
static bool lacks_query(const struct ptx_program *ptx)
{
    for (uint32_t i = 0; i < ptx->function_count; i++)
        for (uint32_t j = 0; j < ptx->functions[i].instruction_count; j++) {
            const struct ptx_instruction *instruction = &ptx->functions[i].instructions[j];
            if (instruction->op == PTX_OP_suq && !ptx_has(instruction, PTX_MOD_WIDTH) &&
                !ptx_has(instruction, PTX_MOD_HEIGHT) && !ptx_has(instruction, PTX_MOD_DEPTH))
                return true;
        }
    return false;
}

/* As in ptxas: code without a suffix compiles for all later targets, family code ('f') for later
 * targets of the family, and 'a' code for that target only. */
CUresult cup_program_check_target(const struct cup_program *program,
                                  const struct cup_profile *profile, struct ptx_log *log)
{
    const struct ptx_program *ptx = program->ptx;
    unsigned target = program->stands_in_for ? program->stands_in_for : ptx->target;
    unsigned device = cup_profile_capability(profile);
    bool suits = target <= device;

    if (ptx->target_suffix && !program->stands_in_for)
        suits = ptx->target_suffix == 'a' ? target == device : suits && target / 10 == device / 10;
    if (suits)
        return CUDA_SUCCESS;
    if (target > device)
        cup_module_log(log,
                       "ptxas fatal   : SM version specified by .target is higher than default "
                       "SM version assumed");
    else
        cup_module_log(log,
                       "ptxas fatal   : PTX with .target 'sm_%u%.1s' cannot be compiled to "
                       "architecture 'sm_%u'",
                       target, &ptx->target_suffix, device);
    return cup_error(CUDA_ERROR_INVALID_PTX, "PTX for sm_%u%.1s on a device of sm_%u", target,
                     &ptx->target_suffix, device);
}

static CUresult check(const struct cup_program *program, const struct cup_profile *profile,
                      bool whole, struct ptx_log *log)
{
    CUresult result = cup_program_check_target(program, profile, log);

    if (result != CUDA_SUCCESS)
        return result;
    if (has_samplers(program->ptx))
        return cup_error(CUDA_ERROR_NOT_FOUND,
                         "independent samplers (texmode_independent) are not supported");
    if (lacks_query(program->ptx))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "surface queries are not supported");
    if (whole && (!calls_are_defined(program->ptx, log) || !fits_device(program, profile, log)))
        return CUDA_ERROR_INVALID_PTX;
    return CUDA_SUCCESS;
}

CUresult cup_program_create(const struct cup_source *source, const struct cup_build *build,
                            bool whole, struct ptx_log *log, struct cup_program **program)
{
    enum ptx_failure failure = PTX_SYNTAX;
    struct cup_program *made = calloc(1, sizeof *made);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a program");
    atomic_init(&made->refs, 1);
    made->stands_in_for = source->stands_in_for;
    if (source->count > 0) {
        cup_compiler_load_ahead();
        made->ptx = parse_all(source, log, &failure);
    }
    CUresult result = made->ptx ? CUDA_ERROR_OUT_OF_MEMORY : failure_result(failure);
    if (made->ptx &&
        index_kernels(made, build->max_registers ? build->max_registers : source->max_registers,
                      source->linked))
        result = check(made, build->profile, whole, log);
    if (result == CUDA_SUCCESS) {
        *program = made;
        return CUDA_SUCCESS;
    }
    if (log->text)
        cup_log(CUP_LOG_WARNING, "a module cannot be loaded: %s", log->text);
    cup_program_unref(made);
    return cup_error(result, "the program is invalid");
}

CUresult cup_program_load(const void *image, size_t bytes, const struct cup_build *build,
                          struct ptx_log *log, struct cup_program **program)
{
    struct cup_source source;
    CUresult result = cup_source_read(image, bytes, build->profile, &source, log);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_program_create(&source, build, true, log, program);
    cup_source_finish(&source);
    return result;
}

CUresult cup_program_share_managed(struct cup_program *program)
{
    const struct ptx_program *ptx = program->ptx;
    CUresult result = CUDA_SUCCESS;

    program->managed = calloc(ptx->variable_count + 1, sizeof *program->managed);
    if (!program->managed)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library's variables");
    for (uint32_t i = 0; result == CUDA_SUCCESS && i < ptx->variable_count; i++) {
        const struct ptx_variable *variable = &ptx->variables[i];
        if (!variable->managed)
            continue;
        result = cup_managed_allocate_variable(NULL, variable->size_bytes, &program->managed[i]);
        if (result == CUDA_SUCCESS && variable->init)
            memcpy((void *)(uintptr_t)program->managed[i], variable->init, variable->size_bytes);
        else if (result == CUDA_SUCCESS)
            memset((void *)(uintptr_t)program->managed[i], 0, variable->size_bytes);
    }
    return result;
}

void cup_program_ref(struct cup_program *program)
{
    atomic_fetch_add(&program->refs, 1);
}

void cup_program_unref(struct cup_program *program)
{
    if (atomic_fetch_sub(&program->refs, 1) != 1)
        return;
    if (program->ptx) {
        for (uint32_t i = 0; program->managed && i < program->ptx->variable_count; i++)
            if (program->managed[i])
                cup_managed_free(program->managed[i]);
        free(program->managed);
        ptx_program_free(program->ptx);
    }
    free(program->kernels);
    free(program->resources);
    free(program->settings);
    free(program);
}

uint64_t cup_program_constants(const struct ptx_program *ptx)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < ptx->variable_count; i++)
        if (ptx->variables[i].space == PTX_CONST)
            bytes = cup_program_align(bytes, &ptx->variables[i]) + ptx->variables[i].size_bytes;
    return bytes;
}

static uint32_t find_function(const struct cup_program *program, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(program->ptx->functions[program->kernels[i]].name, name) == 0)
            return i;
    return UINT32_MAX;
}

uint32_t cup_program_kernel(const struct cup_program *program, const char *name)
{
    return find_function(program, program->kernel_count, name);
}

uint32_t cup_program_function(const struct cup_program *program, const char *name)
{
    return find_function(program, program->function_count, name);
}

uint32_t cup_program_variable(const struct cup_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->ptx->variable_count; i++) {
        const struct ptx_variable *variable = &program->ptx->variables[i];
        if ((variable->space == PTX_GLOBAL || variable->space == PTX_CONST) &&
            strcmp(variable->name, name) == 0)
            return i;
    }
    return UINT32_MAX;
}

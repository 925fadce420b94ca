/* SPDX-License-Identifier: MIT */
/* Kernels are kept until the process ends, with one row for each of their instructions; modules may
 * be long gone then. Code of one kernel for several block shapes is added once per shape, because
 * each has counters of its own; `cupipe profile` joins them. */
#include "exec/tools/profiler.h"

#include "abi/launch.h"
#include "core/collection.h"
#include "core/config.h"
#include "core/log.h"
#include "os/demangle.h"
#include "os/system.h"
#include "stream/host_work_profile.h"
#include "ptx/source.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 96,
    SECTOR_BYTES = 32,
    BANKS = 32,
    BANK_BYTES = 4,
    PATH_BYTES = 4096,
    PLAIN_NAME_BYTES = 8192,
    INLINE_DEPTH_MAX = 64
};

struct profile_row {
    uint32_t node, access; /* counters; access: UINT32_MAX if it is none */
    uint32_t line, source_line;
    uint32_t position;     /* among the function's instructions */
    char *function, *file; /* file NULL: the text does not say */
    char *inlined;         /* JSON: the calls that were inlined here, outermost first; NULL: none */
    const char *op, *type;
    uint32_t bytes; /* of one lane's access */
    uint32_t kind;  /* enum cup_abi_counter_kind */
    char text[TEXT_BYTES];
};

struct cup_profiler_kernel {
    struct cup_profiler_kernel *next;
    char *name;
    _Atomic(uint64_t) launches, blocks, threads, duration_ns;
    size_t row_count;
    struct profile_row *rows;
    size_t counter_count;
    struct cup_abi_count *counts;
    struct cup_abi_count *dropped; /* what is counted outside of the range that is collected */
};

struct cupipe_counts {
    struct cup_profiler_kernel *kernel;
    struct cup_abi_count counts[];
};

/* Leaf mutex: guards the list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_profiler_kernel *kernels;

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

/* Writes the calls outside of this one first. */
static void write_calls(FILE *file, const struct ptx_source *source,
                        const struct ptx_location *location, unsigned depth)
{
    const struct ptx_location *call;
    char plain[PLAIN_NAME_BYTES];

    if (location->inlined_at >= source->locations.count || !location->function ||
        depth == INLINE_DEPTH_MAX)
        return;
    call = &source->locations.list[location->inlined_at];
    write_calls(file, source, call, depth + 1);
    fputs(ftell(file) > 0 ? ", {\"function\": " : "{\"function\": ", file);
    write_string(file, cup_demangle(location->function, plain, sizeof(plain)) ? plain
                                                                              : location->function);
    fprintf(file, ", \"line\": %u}", call->line);
}

/* The functions that were inlined one into the other, and the line of the call of each. */
static char *describe_calls(const struct ptx_source *source, const struct ptx_location *location)
{
    char *text = NULL;
    size_t bytes;
    FILE *file;

    if (!location->function || !(file = open_memstream(&text, &bytes)))
        return NULL;
    write_calls(file, source, location, 0);
    fclose(file);
    return text;
}

static void set_source(struct profile_row *row, const struct ptx_source *source)
{
    uint32_t index = source ? ptx_source_find(source, row->line) : PTX_NO_LOCATION;

    if (index == PTX_NO_LOCATION)
        return;
    const struct ptx_location *location = &source->locations.list[index];
    const struct ptx_source_file *file = &source->files.list[location->file];
    row->source_line = location->line;
    row->file = strndup(file->name, file->length);
    row->inlined = describe_calls(source, location);
}

static bool add_rows(struct cup_profiler_kernel *kernel, const struct ptx_program *program,
                     const struct cup_abi_counter *counter, uint32_t number)
{
    const struct ptx_function *function = &program->functions[counter->function];
    uint32_t end =
        counter->end < function->instruction_count ? counter->end : function->instruction_count;
    struct ptx_source *source = function->text ? ptx_source_read(function->text) : NULL;
    struct profile_row *rows = realloc(
        kernel->rows, (kernel->row_count + (end - counter->first) + 1) * sizeof(*kernel->rows));

    if (rows) {
        kernel->rows = rows;
        for (uint32_t i = counter->first; i < end; i++) {
            const struct ptx_instruction *instruction = &function->instructions[i];
            struct profile_row *row = &rows[kernel->row_count++];

            *row = (struct profile_row){
                .node = number,
                .access = UINT32_MAX,
                .line = instruction->line,
                .position = i,
                .function = strdup(function->name),
                .op = ptx_opcode_name(instruction->op),
                .type = instruction->type_count ? ptx_type_name(instruction->types[0]) : ""};
            ptx_print_instruction(program, function, instruction, row->text, TEXT_BYTES);
            set_source(row, source);
        }
    }
    ptx_source_free(source);
    return rows != NULL;
}

/* The counter of an access belongs to the row of its instruction, which may come before or after
 * it. */
static void add_access(struct cup_profiler_kernel *kernel, const struct ptx_program *program,
                       const struct cup_abi_counter *counter, uint32_t number)
{
    const struct ptx_function *function = &program->functions[counter->function];
    const struct ptx_instruction *instruction = &function->instructions[counter->first];

    for (size_t r = 0; r < kernel->row_count; r++) {
        struct profile_row *row = &kernel->rows[r];

        if (row->line != instruction->line || row->access != UINT32_MAX ||
            strcmp(row->function, function->name) != 0 ||
            row->op != ptx_opcode_name(instruction->op))
            continue;
        row->access = number;
        row->kind = counter->kind;
        row->bytes = ptx_access_bytes(instruction);
        return;
    }
}

static bool is_valid(const struct ptx_program *program, const struct cup_abi_counter *counter)
{
    return counter->function < program->function_count &&
           counter->first < program->functions[counter->function].instruction_count &&
           counter->first <= counter->end;
}

struct cup_profiler_kernel *cup_profiler_add(const struct ptx_program *program, uint32_t function,
                                             const struct cup_abi_counter *counters, size_t count)
{
    struct cup_profiler_kernel *kernel = calloc(1, sizeof(*kernel));
    bool good = kernel != NULL;

    if (good) {
        kernel->name = strdup(program->functions[function].name);
        kernel->counts = calloc(count + 1, sizeof(*kernel->counts));
        kernel->counter_count = count;
        kernel->dropped =
            cup_collection_is_ranged() ? calloc(count + 1, sizeof(*kernel->dropped)) : NULL;
        good = kernel->name && kernel->counts && (kernel->dropped || !cup_collection_is_ranged());
    }
    for (size_t i = 0; good && i < count; i++)
        if (counters[i].kind == CUP_ABI_COUNT_NODE && is_valid(program, &counters[i]))
            good = add_rows(kernel, program, &counters[i], (uint32_t)i);
    for (size_t i = 0; good && i < count; i++)
        if (counters[i].kind != CUP_ABI_COUNT_NODE && is_valid(program, &counters[i]))
            add_access(kernel, program, &counters[i], (uint32_t)i);
    if (!good) { /* memory is out: what was taken stays with the process */
        cup_log(CUP_LOG_WARNING, "CUPIPE_PROFILE: no memory for the profile of a kernel");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    kernel->next = kernels;
    kernels = kernel;
    pthread_mutex_unlock(&lock);
    return kernel;
}

struct cup_abi_count *cup_profiler_counts(struct cup_profiler_kernel *kernel)
{
    return cup_collection_is_on() ? kernel->counts : kernel->dropped;
}

void cup_profiler_launch(struct cup_profiler_kernel *kernel, const struct cup_abi_launch *launch,
                         uint64_t duration_ns)
{
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];

    if (kernel->dropped && launch->counts == kernel->dropped)
        return;
    atomic_fetch_add(&kernel->launches, 1);
    atomic_fetch_add(&kernel->blocks, blocks);
    atomic_fetch_add(&kernel->threads, blocks * launch->block_threads);
    atomic_fetch_add(&kernel->duration_ns, duration_ns);
}

struct cupipe_counts *cup_profiler_run_begin(struct cup_profiler_kernel *kernel)
{
    struct cupipe_counts *made =
        calloc(1, sizeof(*made) + kernel->counter_count * sizeof(*made->counts));

    if (made)
        made->kernel = kernel;
    return made;
}

struct cup_abi_count *cup_profiler_run_counts(struct cupipe_counts *counts)
{
    return counts->counts;
}

void cup_profiler_run_release(struct cupipe_counts *counts)
{
    bool is_kept = counts && cup_collection_is_on();

    for (size_t i = 0; is_kept && i < counts->kernel->counter_count; i++) {
        struct cup_abi_count *total = &counts->kernel->counts[i];

        __atomic_fetch_add(&total->executions, counts->counts[i].executions, __ATOMIC_RELAXED);
        __atomic_fetch_add(&total->lanes, counts->counts[i].lanes, __ATOMIC_RELAXED);
        __atomic_fetch_add(&total->transfers, counts->counts[i].transfers, __ATOMIC_RELAXED);
    }
    free(counts);
}

size_t cup_profiler_count_instructions(const struct cupipe_counts *counts)
{
    return counts->kernel->row_count;
}

void cup_profiler_read_instruction(const struct cupipe_counts *counts, size_t index,
                                   struct cupipe_instruction_count *instruction)
{
    const struct profile_row *row = &counts->kernel->rows[index];
    const struct cup_abi_count *node = &counts->counts[row->node];

    *instruction = (struct cupipe_instruction_count){
        .function = row->function ? row->function : "",
        .position = row->position,
        .op = row->op,
        .type = row->type,
        .text = row->text,
        .file = row->file,
        .line = row->source_line,
        .executions = node->executions,
        .lanes = node->lanes,
    };
    if (row->access == UINT32_MAX)
        return;
    const struct cup_abi_count *access = &counts->counts[row->access];
    instruction->access =
        row->kind == CUP_ABI_COUNT_SHARED ? CUPIPE_ACCESS_SHARED : CUPIPE_ACCESS_GLOBAL;
    instruction->access_bytes = row->bytes;
    instruction->accesses = access->executions;
    instruction->access_lanes = access->lanes;
    instruction->transfers = access->transfers;
}

/* The number of different units of `unit` bytes that the accesses touch. */
static uint32_t count_units(uint32_t mask, const uint64_t *addresses, uint32_t bytes, unsigned unit,
                            uint64_t *units)
{
    uint32_t count = 0;

    for (unsigned lane = 0; lane < CUP_ABI_WARP_LANES; lane++) {
        if (!(mask >> lane & 1))
            continue;
        for (uint64_t at = addresses[lane] / unit; at <= (addresses[lane] + bytes - 1) / unit;
             at++) {
            uint32_t known = 0;

            while (known < count && units[known] != at)
                known++;
            if (known == count)
                units[count++] = at;
        }
    }
    return count;
}

/* A bank delivers one word at a time: the access takes as long as the bank with most words. */
static uint32_t count_passes(const uint64_t *words, uint32_t count)
{
    uint32_t of_bank[BANKS] = {0}, most = 0;

    for (uint32_t i = 0; i < count; i++)
        if (++of_bank[words[i] % BANKS] > most)
            most = of_bank[words[i] % BANKS];
    return most;
}

void cup_profiler_count_access(struct cup_abi_block *block, uint32_t mask,
                               const uint64_t *addresses, uint32_t bytes, uint32_t counter,
                               uint32_t shared)
{
    struct cup_abi_count *count = &block->launch->counts[counter];
    uint64_t units[CUP_ABI_WARP_LANES * 9]; /* an access of 32 bytes touches up to nine words */
    uint32_t found = count_units(mask, addresses, bytes, shared ? BANK_BYTES : SECTOR_BYTES, units);

    if (shared)
        found = count_passes(units, found);
    __atomic_fetch_add(&count->executions, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->lanes, (uint64_t)__builtin_popcount(mask), __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->transfers, found, __ATOMIC_RELAXED);
}

static void write_row(FILE *file, const struct cup_profiler_kernel *kernel,
                      const struct profile_row *row)
{
    const struct cup_abi_count *node = &kernel->counts[row->node];

    fputs("{\"function\": ", file);
    write_string(file, row->function ? row->function : "");
    fprintf(file, ", \"line\": %u, \"op\": \"%s\", \"text\": ", row->line, row->op);
    write_string(file, row->text);
    if (row->file) {
        fputs(", \"file\": ", file);
        write_string(file, row->file);
        fprintf(file, ", \"source_line\": %u", row->source_line);
    }
    if (row->inlined)
        fprintf(file, ", \"inlined\": [%s]", row->inlined);
    fprintf(file, ", \"executions\": %llu, \"lanes\": %llu", (unsigned long long)node->executions,
            (unsigned long long)node->lanes);
    if (row->access != UINT32_MAX) {
        const struct cup_abi_count *access = &kernel->counts[row->access];

        fprintf(file, ", \"memory\": \"%s\", \"accesses\": %llu, \"bytes\": %llu, \"%s\": %llu",
                row->kind == CUP_ABI_COUNT_SHARED ? "shared" : "global",
                (unsigned long long)access->executions,
                (unsigned long long)(access->lanes * row->bytes),
                row->kind == CUP_ABI_COUNT_SHARED ? "passes" : "sectors",
                (unsigned long long)access->transfers);
    }
    fputc('}', file);
}

static void write_kernel(FILE *file, struct cup_profiler_kernel *kernel)
{
    char plain[PLAIN_NAME_BYTES];

    fputs("{\"name\": ", file);
    write_string(file, kernel->name);
    if (cup_demangle(kernel->name, plain, sizeof(plain))) {
        fputs(", \"plain_name\": ", file);
        write_string(file, plain);
    }
    fprintf(file,
            ", \"launches\": %llu, \"blocks\": %llu, \"threads\": %llu, \"duration_ns\": %llu, "
            "\"instructions\": [",
            (unsigned long long)atomic_load(&kernel->launches),
            (unsigned long long)atomic_load(&kernel->blocks),
            (unsigned long long)atomic_load(&kernel->threads),
            (unsigned long long)atomic_load(&kernel->duration_ns));
    for (size_t r = 0; r < kernel->row_count; r++) {
        fputs(r ? ",\n  " : "\n  ", file);
        write_row(file, kernel, &kernel->rows[r]);
    }
    fputs("]}", file);
}

static void write_host_work(FILE *file, const struct cup_host_work_counts *counts)
{
    fputs("{\"name\": ", file);
    write_string(file, counts->name);
    fprintf(file,
            ", \"calls\": %llu, \"duration_ns\": %llu, \"bytes_read\": %llu, "
            "\"bytes_written\": %llu}",
            (unsigned long long)atomic_load(&counts->calls),
            (unsigned long long)atomic_load(&counts->duration_ns),
            (unsigned long long)atomic_load(&counts->bytes_read),
            (unsigned long long)atomic_load(&counts->bytes_written));
}

__attribute__((destructor)) static void write_profile(void)
{
    const struct cup_host_work_counts *host_work = cup_host_work_profile_first();
    char path[PATH_BYTES];
    FILE *file;

    if (!cup_config_get()->profile_path || (!kernels && !host_work))
        return;
    /* `%p` in the path is the process id, as in CUPIPE_TRACE. */
    bool named = cup_system_expand_path(cup_config_get()->profile_path, path, sizeof(path));
    file = named ? fopen(path, "we") : NULL;
    if (!file) {
        fprintf(stderr, "cupipe: CUPIPE_PROFILE=\"%s\" cannot be written\n",
                cup_config_get()->profile_path);
        return;
    }
    fputs("{\"kernels\": [", file);
    for (struct cup_profiler_kernel *kernel = kernels; kernel; kernel = kernel->next) {
        fputs(kernel == kernels ? "\n" : ",\n", file);
        write_kernel(file, kernel);
    }
    fputs("],\n\"host_work\": [", file);
    for (const struct cup_host_work_counts *each = host_work; each; each = each->next) {
        fputs(each == host_work ? "\n" : ",\n", file);
        write_host_work(file, each);
    }
    fputs("]}\n", file);
    fclose(file);
}

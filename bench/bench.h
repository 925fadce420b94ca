/* SPDX-License-Identifier: MIT */
/* The benchmark's rows. A row measures one thing of ours, the subject, and in most rows something
 * of libc's that everybody has a feeling for, the reference. The two take turns in many short
 * rounds, and of each the best round counts: what else runs on the machine only ever makes a round
 * worse.
 *
 * The unit of short calls is M: one malloc and free of 4 KiB. */
#ifndef BENCH_H
#define BENCH_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_unit {
    BENCH_NS,
    BENCH_MS,
    BENCH_GB_A_SECOND,      /* 10^9 bytes */
    BENCH_MILLION_A_SECOND, /* operations */
    BENCH_CORES,
    BENCH_BYTES,
};

enum bench_goal {
    BENCH_INFORM, /* none */
    BENCH_RATIO_AT_MOST,
    BENCH_RATIO_AT_LEAST,
    BENCH_VALUE_AT_MOST,
};

struct bench_result {
    double subject;
    double reference; /* 0: there is none */
    bool disturbed;   /* other work kept processors from it */
    char note[64];    /* printed behind the row; says why, when there is no subject */
};

struct bench_row {
    const char *name;
    const char *reference; /* what it is, in a word or two */
    enum bench_unit unit;
    enum bench_goal goal;
    double limit;
    struct bench_result (*measure)(const struct bench_row *row);

    /* What a short call is made of, for bench_against_malloc. */
    void (*setup)(const struct bench_row *row);
    void (*run)(const struct bench_row *row, size_t count);
    void (*finish)(const struct bench_row *row);
    size_t bytes; /* a parameter of the row */
    size_t calls; /* that one turn of `run` stands for; 0 is 1 */
};

/* Each ends with a row without a name. */
extern const struct bench_row bench_call_rows[], bench_lookup_rows[], bench_thread_rows[],
    bench_process_rows[], bench_bulk_rows[], bench_stream_rows[], bench_shape_rows[],
    bench_decompress_rows[], bench_shared_rows[], bench_flat_rows[], bench_opengl_rows[],
    bench_vulkan_rows[], bench_semaphore_rows[], bench_kernel_rows[], bench_compile_rows[],
    bench_texture_rows[], bench_sampling_rows[], bench_waiting_rows[], bench_runtime_rows[],
    bench_graph_rows[], bench_first_launch_rows[], bench_matrix_rows[], bench_check_rows[],
    bench_host_work_rows[], bench_compile_large_rows[];

/* A node that runs one block, behind `count` others. */
CUgraphNode bench_kernel_node(CUgraph graph, const CUgraphNode *before, size_t count,
                              CUfunction function, unsigned threads, void **arguments);

/* One launch of a kernel nobody has seen: what `bench --first-launch` does, for compile.c. */
void bench_first_launch(void);

/* What `bench --first-launch-of FILE KERNEL` does, for first_launch.c. */
int bench_first_launch_child(const char *path, const char *name);

/* What `bench --compile FILE` does, for compile_large.c. */
int bench_compile_child(const char *path);

/* How long a kernel of kernels.c takes, in the best of a few rounds. */
double bench_kernel_ms(const char *name);

/* ptxas of a file, in ns; 0: it is not there, or refuses the file. */
double bench_ptxas_ns(const char *path);
/* What it was recorded to take for a kernel of first_launch.c, on a machine of this speed; 0: it
 * was not recorded. */
double bench_ptxas_recorded_ns(const char *kernel);

/* What NVIDIA's driver was recorded to need, in the unit of the row; 0 when it was not. */
double bench_recorded(const char *name);

/* Ends the program, with the call and the error. */
_Noreturn void bench_fail(CUresult result, const char *call);

/* The same unless the call succeeded. */
#define must(call) bench_must((call), #call)
static inline void bench_must(CUresult result, const char *call)
{
    if (__builtin_expect(result != CUDA_SUCCESS, 0))
        bench_fail(result, call);
}

/* cuInit and the primary context of device 0, made current for the calling thread. */
void bench_open(void);

double bench_now_ns(void);
double bench_processor_ns(void); /* that all threads of the process have used */
unsigned bench_cpu_count(void);

/* Rounds that want every processor go on until enough of them had every processor, or until the
 * time is up. Begin with {0}; the rounds told of are those that would use all. */
struct bench_patience {
    double start_ns, round_start_ns, round_processor_ns;
    unsigned rounds, quiet_rounds;
};

bool bench_go_on(struct bench_patience *patience);
void bench_round_starts(struct bench_patience *patience);
double bench_round_ends(struct bench_patience *patience); /* how many processors it has used */
bool bench_was_disturbed(const struct bench_patience *patience);

/* An optimiser cannot know that nobody looks at the memory. */
static inline void bench_keep(const void *pointer)
{
    __asm__ volatile("" : : "r"(pointer) : "memory");
}

/* A random number that costs next to nothing. The state must not be 0. */
static inline uint64_t bench_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One side of a comparison: runs `count` turns. */
struct bench_side {
    void (*run)(void *argument, size_t count);
    void *argument;
};

/* The least time of a turn on either side, in ns. */
struct bench_result bench_short(struct bench_side subject, struct bench_side reference);

/* The same for turns that take milliseconds: one turn a round. The reference uses all processors;
 * where it did not get them, the note says how the processor times compare. */
struct bench_result bench_long(struct bench_side subject, struct bench_side reference);

/* The least time of a turn of one side alone. */
double bench_least_ns(struct bench_side side);

/* `run` of the row against M. */
struct bench_result bench_against_malloc(const struct bench_row *row);

/* M itself. */
extern const struct bench_side bench_malloc;

/* Threads of the benchmark's own, as many as there are processors and started beforehand: the
 * reference of what the library splits over its workers. One team at a time. */
void bench_team_start(void (*share)(unsigned index, unsigned count));
void bench_team_turn(void *argument, size_t count); /* everybody's share, once each turn */
void bench_team_end(void);

/* Where share `index` of `count` begins when so much is split; that of `count` is the end. */
static inline size_t bench_share_start(size_t total, unsigned index, unsigned count)
{
    return index < count ? total / count * index : total;
}

/* A mode of the program that process.c starts in processes of their own; prints one number. */
int bench_child_main(const char *mode);

/* The program in such a mode, in a process that ends when `writer` is closed. */
struct bench_child {
    int pid, reader, writer;
};

struct bench_child bench_child_start(const char *mode);
void bench_child_end(struct bench_child *child);

/* The number that a process of its own prints. */
double bench_child_ask(const char *mode);

/* Prints what the start of a program with many kernels costs; see runtime.c. */
int bench_registered_main(void);
extern const char bench_mode_registered[];

/* Prints the times of a product of matrices by this kernel, and the reference's; see matrix.c. */
int bench_matrix_main(const char *kernel);
/* Sets OpenBLAS's variables in the environment, before a restart. */
void bench_set_up_openblas(void);
extern const char bench_mode_matrix[];

/* Exports memory to the process that started this one, until that closes its end. */
int bench_exporter_main(void);
extern const char bench_mode_exporter[];

/* Prints how long the kernel takes whose name follows; see checks.c. */
extern const char bench_mode_kernel[];

/* Prints what mappings cost, among few and among many; see flat.c. */
int bench_mappings_main(void);
extern const char bench_mode_mappings[];

/* The bytes the process has grown by, for each of a million allocations of 512 bytes. */
double bench_bookkeeping_bytes(void);

#endif

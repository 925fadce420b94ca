/* SPDX-License-Identifier: MIT */
/* What a program file says about itself before it runs: which runtime it has, which device code,
 * which libraries it asks for. */
#ifndef CUP_COMMAND_PROGRAM_H
#define CUP_COMMAND_PROGRAM_H

#include "command/command.h"

enum program_kind { PROGRAM_UNKNOWN, PROGRAM_SCRIPT, PROGRAM_ELF };

enum program_runtime {
    RUNTIME_NONE,    /* none is linked */
    RUNTIME_SHARED,  /* libcudart.so is loaded */
    RUNTIME_CUPIPE,  /* ours is linked in */
    RUNTIME_FOREIGN, /* another one is linked in: NVIDIA's */
};

struct program {
    enum program_kind kind;
    char interpreter[PATH_BYTES]; /* of a script, or the loader of an executable; "" if static */
    bool wrong_machine;           /* for another processor */
    unsigned elf_machine;         /* which: e_machine of the file */
    bool is_library;              /* a shared library, not an executable */
    bool python;                  /* Python, or a script of it */
    enum program_runtime runtime;
    bool asks_for_cuda;    /* a library of CUDA is linked */
    bool loads_or_starts;  /* it loads libraries or starts programs, which may use CUDA */
    bool other_libraries;  /* it is linked with more than the C and C++ libraries */
    unsigned ptx, machine; /* how many images of device code are PTX, or machine code alone */
    unsigned lowest_ptx;   /* the lowest architecture that runs it: 75 for compute_75 */
    unsigned machine_architecture; /* of the first image of machine code */
};

/* Reads the file. What is damaged or unknown is left zero. Returns false if it cannot be read. */
bool program_read(const char *path, struct program *program);

/* Tells why the program cannot run on this cupipe, a call for each reason; false if nothing is
 * known against it. */
typedef void program_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool program_explain(const char *name, const struct program *program, const struct places *places,
                     program_tell *tell);

/* Of a script: writes the name of the program behind #!, also where env looks for it, and its path.
 * Returns false if it is not there. */
bool program_find_interpreter(const struct program *program, char name[PATH_BYTES],
                              char found[PATH_BYTES]);

/* Nothing that cupipe offers can reach the program. */
bool program_is_alien(const struct program *program);

#endif

/* SPDX-License-Identifier: MIT */
/* What a handle of our libnvrtc points to: a program of one of NVIDIA's compilers. It keeps what it
 * was made of, so that a newer compiler can take it over. */
#ifndef CUP_NVRTC_PROGRAM_H
#define CUP_NVRTC_PROGRAM_H

#include "core/dynarray.h"
#include "nvrtc/compiler.h"

struct nvrtc_texts {
    CUP_DYNARRAY(char *, items);
};

struct nvrtc_program {
    struct nvrtc_program *next;
    const struct nvrtc_compiler *compiler;
    nvrtcProgram inner; /* NVIDIA's */
    char *source, *name;
    struct nvrtc_texts headers, header_names, expressions;
    int (*callback)(void *, void *);
    void *payload;
    unsigned capability; /* of the machine code that was asked for; 0: none */
    bool relocatable;
    void *cubin; /* made when it is asked for */
    size_t cubin_bytes;
};

/* Makes a program of the compiler that is taken. */
nvrtcResult nvrtc_program_create(nvrtcProgram *program, const char *source, const char *name,
                                 int count, const char *const *headers, const char *const *names);

/* Returns false if this is not a program that was created here. */
bool nvrtc_program_exists(nvrtcProgram program);

/* Ends it, and sets the handle to NULL. */
nvrtcResult nvrtc_program_destroy(nvrtcProgram *program);

nvrtcResult nvrtc_program_add_expression(nvrtcProgram program, const char *expression);

/* Gives the program to the next newer compiler. Returns false, and changes nothing, if there is
 * none or it does not take the program. */
bool nvrtc_program_move(nvrtcProgram program);

#endif

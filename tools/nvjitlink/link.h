/* SPDX-License-Identifier: MIT */
/* The state of a link: options, inputs and results. */
#ifndef CUP_NVJITLINK_LINK_H
#define CUP_NVJITLINK_LINK_H

#include "core/dynarray.h"
#include "module/source.h"
#include "nvjitlink/nvjitlink.h"

#include <stdbool.h>

/* An input of LTO-IR, kept for NVIDIA's library. */
struct lto_input {
    void *data;
    size_t bytes;
    char *name;
};

struct lto_inputs {
    CUP_DYNARRAY(struct lto_input, items);
};

struct nvJitLink {
    char **options; /* as given */
    uint32_t option_count;
    unsigned capability; /* 90 for -arch=sm_90 */
    bool lto, ptx;
    struct cup_source source; /* the texts */
    struct lto_inputs lto_inputs;
    bool has_others;  /* inputs that are not LTO-IR */
    bool has_library; /* a static library is among them */
    struct ptx_log errors;
    bool complete;
    void *cubin; /* the results; NULL: none */
    size_t cubin_bytes;
    char *linked_ptx;
    size_t linked_ptx_bytes; /* with the NUL */
};

/* Reads the options. The log says what is wrong. */
nvJitLinkResult link_options(struct nvJitLink *link, uint32_t count, const char **options);

/* Has NVIDIA's library compile the LTO-IR to PTX; the caller frees it. */
nvJitLinkResult link_compile_lto(struct nvJitLink *link, char **ptx, size_t *bytes);

/* The version of NVIDIA's library; false if there is none. */
bool link_lto_version(unsigned *major, unsigned *minor);

#endif

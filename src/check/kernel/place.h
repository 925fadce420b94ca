/* SPDX-License-Identifier: MIT */
/* Where in a kernel something happened: the instruction of a site, its line in the source, the
 * thread; for reports (check/report/report.h). */
#ifndef CUP_CHECK_KERNEL_PLACE_H
#define CUP_CHECK_KERNEL_PLACE_H

#include "check/report/records.h"
#include "check/report/report.h"
#include "ptx/program.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_abi_block;
struct cup_grid;

/* Where an instruction comes from. Strings belong to the program. */
struct cup_kcheck_place {
    const char *function;                      /* that has the instruction */
    const struct ptx_instruction *instruction; /* NULL: unknown */
    uint32_t line;                             /* of the PTX text */
    uint32_t source_line;                      /* 0: unknown */
    char file[512];                            /* of the source line */
    char text[200];                            /* the instruction */
};

/* Finds the instruction of a site. It reads the PTX text, so it is for reports only. */
void cup_kcheck_place_find(const struct cup_grid *grid, uint32_t site,
                           struct cup_kcheck_place *place);

/* "kernel sum, block (1,0,0), thread (37,0,0), sum.cu:12": what reports begin with. */
void cup_kcheck_describe(const struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                         uint32_t site, char *text, size_t size);

/* The place of a report about a thread. Its strings live as long as the process. */
struct cup_report_place cup_kcheck_report_place(const struct cup_abi_block *block, uint32_t warp,
                                                uint32_t lane, uint32_t site);

struct cup_kcheck_where {
    struct cup_kcheck_place place;  /* has the strings */
    struct cup_report_place report; /* valid as long as this structure */
    char detail[240];
};

/* `thread`: its index in the block, in the order of threads. */
void cup_kcheck_where_set(struct cup_kcheck_where *where, const struct cup_grid *grid,
                          uint32_t site, const uint32_t block[3], uint32_t thread,
                          const char *role);

/* The instruction of a site, and its function; NULL: there is none. */
const struct ptx_instruction *cup_kcheck_instruction(const struct cup_grid *grid, uint32_t site,
                                                     const struct ptx_function **function);

/* The name of the variable in the address of an access; NULL: it names none. */
const char *cup_kcheck_variable_name(const struct cup_grid *grid, uint32_t site);

/* The record of the memory at an address. False: there is none. */
bool cup_kcheck_find_memory(uint64_t address, struct cup_tracked *record);

#endif

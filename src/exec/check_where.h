/* SPDX-License-Identifier: MIT */
/* The place of a thread of a kernel in a report (core/check_report.h). */
#ifndef CUP_EXEC_CHECK_WHERE_H
#define CUP_EXEC_CHECK_WHERE_H

#include "core/check_report.h"
#include "exec/check.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_grid;

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
bool cup_kcheck_find_memory(uint64_t address, struct cup_check_record *record);

#endif

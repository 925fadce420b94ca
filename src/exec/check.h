/* SPDX-License-Identifier: MIT */
/* Checks of kernels while they run (CUPIPE_CHECK). Compiled code calls the three services
 * before each access to memory and each synchronisation; what the runtime executes for a kernel
 * (bulk copies, matrices in memory) calls cup_kcheck_on_range.
 *
 * A check is a module check_<name>.c. To add one: a bit in abi/check.h, which
 * cup_kcheck_init sets if the configuration has the check (core/config.c:
 * cup_config_checks_kernels), and its functions in the tables of check.c. A module
 * sees every access of all threads; it must be thread-safe, since blocks run in several threads. A
 * block is run by one thread at a time. */
#ifndef CUP_EXEC_CHECK_H
#define CUP_EXEC_CHECK_H

#include "abi/check.h"
#include "core/check_report.h"
#include "core/compiler.h"
#include "ptx/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_abi_block;
struct cup_grid;

/* One access of the lanes of a warp. Either all lanes of the mask access `bytes` bytes, each at its
 * address; or the mask has one lane, which accesses any number of bytes. */
struct cup_kcheck_access {
    struct cup_abi_block *block;
    uint32_t warp, mask;
    const uint64_t *addresses; /* by lane */
    uint64_t bytes;
    uint32_t site;
    uint32_t access;      /* enum cup_abi_access */
    enum ptx_space space; /* PTX_SPACE_NONE: cup_kcheck_space_of tells */
    enum cup_abi_order order;
    enum cup_abi_scope scope;
    const uint8_t *values; /* see check_access in abi/services.h */
    uint32_t element_bytes;
};

/* One access of lanes whose addresses are evenly apart. None writes what another one writes. */
struct cup_kcheck_lanes {
    struct cup_abi_block *block;
    uint32_t warp, mask;
    uint64_t address; /* of lane 0 */
    int64_t stride;
    uint32_t bytes, site;
    uint32_t how; /* cup_abi_how */
};

struct cup_kcheck_sync {
    struct cup_abi_block *block;
    uint32_t warp, mask;
    enum cup_abi_sync_kind kind;
    const uint64_t *values; /* by lane; the kind tells what they are */
    uint32_t site;
    enum cup_abi_order order;
    enum cup_abi_scope scope;
};

/* The checks that the configuration has, as bits of enum cup_abi_check; set once. */
extern uint32_t cup_kcheck_enabled;
void cup_kcheck_init(void);

/* The space of a generic address: PTX_SHARED (of any block of the cluster), PTX_LOCAL, or
 * PTX_GLOBAL. */
enum ptx_space cup_kcheck_space_of(struct cup_abi_block *block, uint64_t address);

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

/* Before a worker runs blocks with the structure. */
void cup_kcheck_block_bind(struct cup_abi_block *block);

/* Calls the function with the same access, lane by lane. */
void cup_kcheck_lanes_expand(const struct cup_kcheck_lanes *run,
                             void (*tell)(const struct cup_kcheck_access *access));

/* A launch is about to run, and has ended. */
void cup_kcheck_on_launch(struct cup_grid *grid);
void cup_kcheck_launch_end(struct cup_grid *grid);

/* The memory of a block is put back for other blocks. `abandoned`: it did not come to its end. */
void cup_kcheck_block_put(struct cup_abi_block *block, bool abandoned);
/* Frees what the checks keep of a block. */
void cup_kcheck_block_free(struct cup_abi_block *block);

/* The services. */
void cup_kcheck_on_block(struct cup_abi_block *block);
void cup_kcheck_on_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, uint32_t bytes, uint32_t site, uint32_t how,
                          const uint8_t *values, uint32_t element_bytes);
void cup_kcheck_on_range(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                         uint64_t address, uint64_t bytes, uint32_t site, uint32_t how);
void cup_kcheck_on_rows(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                        const struct cup_abi_rows *rows);
void cup_kcheck_on_lanes(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, int32_t stride, uint32_t bytes, uint32_t site,
                         uint32_t how);
void cup_kcheck_on_reads(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, const struct cup_abi_reads *reads);
void cup_kcheck_on_sync(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint32_t kind,
                        const uint64_t *values, uint32_t site, uint32_t how);

/* Tells of an access that the runtime executes for a lane. Costs little if nothing is checked. */
static inline void cup_kcheck_tell(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                                   const void *address, uint64_t bytes, uint32_t site,
                                   uint32_t access)
{
    if (cup_unlikely(cup_kcheck_enabled != 0))
        cup_kcheck_on_range(block, warp, lane, (uint64_t)(uintptr_t)address, bytes, site,
                            cup_abi_how(access, PTX_SPACE_NONE, CUP_ABI_ORDER_WEAK, 0));
}

#endif

/* SPDX-License-Identifier: MIT */
/* Misuse of mbarriers, of CUPIPE_CHECK=sync: use of one that is not initialised, or is not valid
 * any more, and initialisation of one in the middle of a phase. */
#ifndef CUP_EXEC_CHECK_MBARRIER_H
#define CUP_EXEC_CHECK_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct cup_abi_block;

/* The mbarriers of a unit that are initialised. Zeros: none. */
struct cup_mbarrier_set {
    struct cup_known_mbarrier {
        uint64_t address, word; /* word: its value, as the last operation left it */
        bool is_valid;
    } * list;
    uint32_t count, capacity;
};

void cup_mbarrier_set_finish(struct cup_mbarrier_set *set);

/* What a thread does with the mbarrier of an address. */
struct cup_mbarrier_use {
    struct cup_abi_block *block;
    uint32_t warp, lane, site;
    bool inits;
    uint64_t address, before, after; /* the values of its word */
    bool was_busy;                   /* before, some of the phase's arrivals or bytes had come */
};

void cup_mbarrier_set_use(struct cup_mbarrier_set *set, const struct cup_mbarrier_use *use);
/* mbarrier.inval */
void cup_mbarrier_set_end(struct cup_mbarrier_set *set, uint64_t address);

#endif

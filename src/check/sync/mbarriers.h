/* SPDX-License-Identifier: MIT */
/* Misuse of mbarriers, of CUPIPE_CHECK=sync: use of one that is not initialised, or is not valid
 * any more, and initialisation of one in the middle of a phase. */
#ifndef CUP_CHECK_SYNC_MBARRIERS_H
#define CUP_CHECK_SYNC_MBARRIERS_H

#include <stdbool.h>
#include <stdint.h>

struct cup_mbarrier_use;

/* The mbarriers of a unit that are initialised. Zeros: none. */
struct cup_mbarset {
    struct cup_mbarset_known {
        uint64_t address, word; /* word: its value, as the last operation left it */
        bool is_valid;
    } * list;
    uint32_t count, capacity;
};

void cup_mbarset_finish(struct cup_mbarset *set);

void cup_mbarset_use(struct cup_mbarset *set, const struct cup_mbarrier_use *use);
/* mbarrier.inval */
void cup_mbarset_end(struct cup_mbarset *set, uint64_t address);

#endif

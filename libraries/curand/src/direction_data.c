/* SPDX-License-Identifier: MIT */
/* data/directions.bin as part of the library. */
#include "directions.h"

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".globl rand_direction_data\n"
        ".hidden rand_direction_data\n"
        ".type rand_direction_data, %object\n"
        "rand_direction_data:\n"
        ".incbin \"" DIRECTION_DATA "\"\n"
        ".size rand_direction_data, . - rand_direction_data\n"
        ".previous\n");

/* SPDX-License-Identifier: MIT */
/* A note in every program that has this runtime linked in. It outlives strip, so that the command
 * cupipe can tell such a program from one with NVIDIA's runtime. */
#include <elf.h>

static const struct {
    Elf64_Nhdr header;
    char name[8];
} note __attribute__((section(".note.cupipe.runtime"), used, aligned(4))) = {
    {sizeof "cupipe", 0, 1}, "cupipe"};

/* SPDX-License-Identifier: MIT */
/* A note in every program that has this runtime linked in, and in libcudart.so. It outlives strip,
 * so that the command cupipe can tell such a program from one with NVIDIA's runtime.
 *
 * Its contents are two 32-bit distances, each from itself: to the first byte of the functions that
 * are marked RT_HOLDS, and to the byte behind them. The linker defines both symbols. */
__asm__(".pushsection .note.cupipe.runtime, \"a\", %note\n"
        ".balign 4\n"
        ".long 7, 8, 1\n" /* bytes of the name, bytes of the contents, type */
        ".asciz \"cupipe\"\n"
        ".balign 4\n"
        ".hidden __start_cupipe_runtime_holds\n"
        ".hidden __stop_cupipe_runtime_holds\n"
        ".long __start_cupipe_runtime_holds - .\n"
        ".long __stop_cupipe_runtime_holds - .\n"
        ".popsection\n");

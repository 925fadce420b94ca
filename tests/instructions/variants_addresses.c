/* SPDX-License-Identifier: MIT */
/* Addresses of 32 bits where no state space is named: instructions that only know shared memory. */
#include "variants.h"

void variants_addresses(void)
{
    variant_add("mbarrier", "mbarrier-narrow-address", "64 32", "",
                ".shared .align 8 .b64 bar; mov.u32 %%r0, bar; mov.u32 %%r1, %%tid.x;\n"
                "setp.eq.u32 %%p0, %%r1, 0; @%%p0 mbarrier.init.b64 [%%r0], 128; bar.sync 0;\n"
                "mbarrier.arrive.b64 %%d0, [%%r0];\n"
                "wait: mbarrier.try_wait.b64 %%p1, [%%r0], %%d0; @!%%p1 bra wait;\n"
                "mbarrier.test_wait.parity.b64 %%p1, [%%r0], 0; selp.u32 %%d1, 1, 0, %%p1;\n"
                "mov.u64 %%d0, 0;")
        ->lanes = 128;
    variant_add("ldmatrix", "ldmatrix-narrow-address", "32 32", "i32",
                ".shared .align 16 .b8 rows[2048]; mov.u32 %%r0, rows; mov.u32 %%r1, %%tid.x;\n"
                "shl.b32 %%r2, %%r1, 4; add.u32 %%r2, %%r2, %%r0; xor.b32 %%r3, %%a, %%r1;\n"
                "st.shared.v4.b32 [%%r2], {%%a,%%r3,%%r1,%%r2}; bar.sync 0;\n"
                "ldmatrix.sync.aligned.m8n8.x1.b16 {%%d0}, [%%r2];\n"
                "stmatrix.sync.aligned.m8n8.x1.trans.b16 [%%r2], {%%d0}; bar.sync 0;\n"
                "ld.shared.b32 %%d1, [%%r2+4];")
        ->lanes = 128;
}

/* SPDX-License-Identifier: MIT */
/* LLVM names temporary files with arc4random(), which glibc has from 2.36 on. This one takes its
 * place where LLVM is linked in, so that the compiler runs on older systems than the one that
 * built it. */
#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void);

uint32_t arc4random(void)
{
    uint32_t value = 0;

    while (getrandom(&value, sizeof value, 0) != sizeof value)
        ;
    return value;
}

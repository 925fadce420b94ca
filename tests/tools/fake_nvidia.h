/* SPDX-License-Identifier: MIT */
/* What the libraries that take the place of NVIDIA's in tests share. A library has the version
 * 13.MINOR and refuses whatever asks for a higher one: a text "needs13.N". Its PTX is a kernel that
 * stores MINOR. */
#ifndef FAKE_NVIDIA_H
#define FAKE_NVIDIA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

static const char fake_ptx[] = ".version 8.0\n"
                               ".target sm_80\n"
                               ".address_size 64\n"
                               ".visible .entry ask(.param .u64 out)\n"
                               "{\n"
                               "    .reg .b64 %rd<3>;\n"
                               "    ld.param.u64 %rd1, [out];\n"
                               "    cvta.to.global.u64 %rd2, %rd1;\n"
                               "    st.global.u32 [%rd2], " TEXT(MINOR) ";\n"
                                                                        "    ret;\n"
                                                                        "}\n";

static inline int is_newer(const char *text, size_t bytes)
{
    static const char mark[] = "needs13.";
    const char *at = memmem(text, bytes, mark, sizeof mark - 1);

    return at && atoi(at + sizeof mark - 1) > MINOR;
}

#endif

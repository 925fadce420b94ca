/* SPDX-License-Identifier: MIT */
/* What the groups share: kernels, and symbols by name. */
#include "rest.h"
#include <dlfcn.h>
const char kernels_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .b8 gv[256];\n.visible .const .align 4 .u32 cv = 7;\n"
    ".visible .entry nop() { ret; }\n"
    ".visible .entry incr(.param .u64 pp, .param .u32 pn) { .reg .b64 a, o; .reg .b32 i, t, b, n, "
    "v; .reg .pred q;\n"
    " ld.param.u64 a, [pp]; ld.param.u32 n, [pn]; cvta.to.global.u64 a, a; mov.u32 i, %ctaid.x; "
    "mov.u32 b, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 i, i, b, t;\n"
    " setp.ge.u32 q, i, n; @q bra D; mul.wide.u32 o, i, 4; add.u64 a, a, o; ld.global.u32 v, [a]; "
    "add.u32 v, v, 1; st.global.u32 [a], v;\nD: ret; }\n"
    /* marks p[smid]; p[255] counts blocks; spins a while so that the grid spreads */
    ".visible .entry smids(.param .u64 p, .param .u32 spin) { .reg .b64 a, o; .reg .b32 i, v, n; "
    ".reg .pred q;\n"
    " ld.param.u64 a, [p]; ld.param.u32 n, [spin]; cvta.to.global.u64 a, a; mov.u32 i, %smid; "
    "mul.wide.u32 o, i, 4; add.u64 o, a, o; atom.global.add.u32 v, [o], 1; atom.global.add.u32 v, "
    "[a+4092], 1;\n"
    " mov.u32 i, 0;\nL: setp.ge.u32 q, i, n; @q bra D; add.u32 i, i, 1; ld.volatile.global.u32 v, "
    "[a+4088]; bra L;\nD: ret; }\n"
    ".visible .entry big(.param .u64 p) { .shared .align 4 .b8 s[32768]; .reg .b32 v; .reg .b64 a; "
    "ld.param.u64 a, [p]; cvta.to.global.u64 a, a; st.shared.u32 [s], 1; bar.sync 0; ld.shared.u32 "
    "v, [s]; st.global.u32 [a], v; ret; }\n";

void *library_symbol(const char *name)
{
    const char *path = getenv("LIBCUDA");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    return library ? dlsym(library, name) : NULL;
}

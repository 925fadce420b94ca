#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes PTX whose instructions are those that kernels use most, with operands that are the same in all lanes
(u, y, z), different (v, w, x), or immediates (i): the library of outlined operations is made of it. An operation that
is not there is compiled with the kernel that needs it, so the list need not be complete.

usage: corpus.py OUTPUT"""
import itertools
import sys

FLOATS = ["f32", "f64"]
INTEGERS = ["s32", "u32", "s64", "u64"]
ORDERED = ["lt", "le", "gt", "ge"]
LOAD_TYPES = ["u8", "s8", "u16", "s16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"]
IMMEDIATES = {"f32": "0f3F800000", "f64": "0d3FF0000000000000"}
LETTERS = {"f32": "f", "f64": "g", "pred": "p", "8": "h", "16": "h", "32": "r", "64": "d"}

HEAD = """.visible .entry {name}(.param .u64 p, .param .u32 q, .param .f32 x, .param .f64 y)
{{
{registers}
ld.param.u64 %du, [p]; ld.param.u32 %ru, [q]; ld.param.f32 %fu, [x]; ld.param.f64 %gu, [y];
mov.u64 %dy, %du; mov.u32 %ry, %ru; mov.f32 %fy, %fu; mov.f64 %gy, %gu; mov.u64 %dz, %du; mov.u32 %rz, %ru; mov.f32 %fz, %fu; mov.f64 %gz, %gu;
cvt.u16.u32 %hu, %ru; cvt.u16.u32 %hy, %ru; cvt.u16.u32 %hz, %ru; setp.eq.u32 %pu, %ru, 3; setp.eq.u32 %py, %ru, 4;
mov.u32 %rv, %tid.x; mov.u32 %rw, %tid.x; mov.u32 %rx, %laneid; cvt.u64.u32 %dv, %rv; cvt.u64.u32 %dw, %rw;
cvt.u64.u32 %dx, %rx; cvt.u16.u32 %hv, %rv; cvt.u16.u32 %hw, %rv; cvt.u16.u32 %hx, %rv;
cvt.rn.f32.u32 %fv, %rv; cvt.rn.f32.u32 %fw, %rv; cvt.rn.f32.u32 %fx, %rv;
cvt.rn.f64.u32 %gv, %rv; cvt.rn.f64.u32 %gw, %rv; cvt.rn.f64.u32 %gx, %rv;
setp.lt.s32 %pv, %rv, %rw; setp.gt.s32 %pw, %rv, %rw; setp.gt.s32 %px, %rv, %rw;
@%pv bra apart; st.global.u32 [%dv], %rv; apart:
"""


def letter(kind):
    return LETTERS.get(kind) or LETTERS[kind[1:]]


def ways(text, count):
    """All choices of `count` classes but immediates alone. Operands of one class are different registers."""
    for way in itertools.product(text, repeat=count):
        if way != ("i",) * count:
            names = {"v": iter("vwx"), "u": iter("uyz"), "i": itertools.repeat("i")}
            yield "".join(next(names[one]) for one in way)


class Kernel:
    """A kernel with registers of every type and class."""

    def __init__(self, name):
        self.name, self.lines, self.count = name, [], 0

    def fresh(self, kind):
        self.count += 1
        return f"%{letter(kind)}t{self.count}"

    def put(self, text):
        self.lines.append(text + ";")

    def operand(self, kind, one):
        return IMMEDIATES.get(kind, "5") if one == "i" else f"%{letter(kind)}{one}"

    def emit(self, op, result, kinds, classes=None):
        """The instruction with the given classes of operands; without: all of them."""
        for way in classes or ways("vui", len(kinds)):
            sources = ", ".join(self.operand(kind, one) for kind, one in zip(kinds, way))
            self.put(f"{op} {self.varying(result)}, {sources}")

    def varying(self, kind):
        """A new register whose value differs from lane to lane, whatever is written to it next."""
        name = self.fresh(kind)
        self.put(f"mov.{kind if kind in ('pred', 'f32', 'f64') else 'b' + kind[1:]} {name}, %{letter(kind)}v")
        return name

    def text(self):
        registers = []
        for one, kind in (("r", "b32"), ("d", "b64"), ("h", "b16"), ("f", "f32"), ("g", "f64"), ("p", "pred")):
            registers.append(f".reg .{kind} %{one}t<{self.count + 1}>;")
            registers += [f".reg .{kind} %{one}{name};" for name in "uyzvwx"]
        return HEAD.format(name=self.name, registers="\n".join(registers)) + "\n".join(self.lines) + "\nret;\n}\n"


def integers(kernel):
    for kind in INTEGERS:
        for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            kernel.emit(f"{op}.{kind}", kind, [kind] * 2)
        kernel.emit(f"mad.lo.{kind}", kind, [kind] * 3)
    for kind in ("s16", "u16"):
        for op in ("add", "sub", "mul.lo", "min", "max"):
            kernel.emit(f"{op}.{kind}", kind, [kind] * 2, ["vw", "vi", "vu"])
    for kind in ("s32", "u32"):
        wide = kind[0] + "64"
        kernel.emit(f"mul.wide.{kind}", wide, [kind] * 2)
        kernel.emit(f"mad.wide.{kind}", wide, [kind, kind, wide])
        kernel.emit(f"mad.hi.{kind}", kind, [kind] * 3, ["vwx", "viw", "vuw"])
        kernel.emit(f"mul.wide.{kind[0]}16", kind, [kind[0] + "16"] * 2, ["vw", "vi", "vu"])
    for kind in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            kernel.emit(f"{op}.{kind}", kind, [kind] * 2)
        kernel.emit(f"not.{kind}", kind, [kind])
        kernel.emit(f"shl.{kind}", kind, [kind, "b32"])
        for sign in "su":
            kernel.emit(f"shr.{sign}{kind[1:]}", kind, [kind, "b32"])
        kernel.emit(f"shr.{kind}", kind, [kind, "b32"], ["vi"])
    for side, mode in itertools.product("lr", ("wrap", "clamp")):
        kernel.emit(f"shf.{side}.{mode}.b32", "b32", ["b32"] * 3, ["vwi", "vwx", "vwu", "viw", "ivw", "vii"])
    for op, kind in itertools.product(("neg", "abs"), ("s32", "s64", "s16")):
        kernel.emit(f"{op}.{kind}", kind, [kind])
    for kind in ("b32", "b64"):
        for op in ("popc", "clz"):
            kernel.emit(f"{op}.{kind}", "b32", [kind])
        kernel.emit(f"brev.{kind}", kind, [kind])
        for sign in "su":
            kernel.emit(f"bfe.{sign}{kind[1:]}", kind, [kind, "b32", "b32"], ["vii", "vwi", "vuu", "vui", "vwu", "vwx"])
            kernel.emit(f"bfind.{sign}{kind[1:]}", "b32", [kind])
        kernel.emit(f"bfi.{kind}", kind, [kind, kind, "b32", "b32"], ["vwii", "viii", "ivii", "vwxi"])
    for table in (0x96, 0xE8, 0xCA, 0xD8, 0xE2, 0xB8, 0xAC, 0x80, 0xFE, 0xF8, 0xEA, 0x39, 0x2D, 0x78, 0x6A, 0x1E, 0xC0, 0x3C, 0x5A):
        for third in ("%rx", "%ru", "5"):
            kernel.put(f"lop3.b32 {kernel.fresh('b32')}, %rv, %rw, {third}, {table}")
    for select in ("0x123", "0x3340", "0x5410", "0x7632", "0x7610", "0x6540", "0x4440", "0x1054", "0x3210", "0x3214"):
        for second in ("%rw", "%ru", "0"):
            kernel.put(f"prmt.b32 {kernel.fresh('b32')}, %rv, {second}, {select}")
    for op, kind in itertools.product(("div", "rem"), INTEGERS):
        kernel.emit(f"{op}.{kind}", kind, [kind] * 2, ["vw", "vu", "uv"])


def floats(kernel):
    for kind in FLOATS:
        modes = ("", ".ftz", ".rn") if kind == "f32" else (".rn",)
        for op, mode in itertools.product(("add", "sub", "mul"), modes):
            kernel.emit(f"{op}{mode}.{kind}", kind, [kind] * 2)
        for mode in (".rn", ".rn.ftz") if kind == "f32" else (".rn",):
            kernel.emit(f"fma{mode}.{kind}", kind, [kind] * 3)
            for op in ("div", "rcp", "sqrt"):
                kernel.emit(f"{op}{mode}.{kind}", kind, [kind] * (2 if op == "div" else 1))
        for op, mode in itertools.product(("min", "max"), modes[:2] if kind == "f32" else ("",)):
            kernel.emit(f"{op}{mode}.{kind}", kind, [kind] * 2)
        for op in ("neg", "abs"):
            kernel.emit(f"{op}.{kind}", kind, [kind])
    for op, mode in itertools.product(("sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos"), ("approx", "approx.ftz")):
        kernel.emit(f"{op}.{mode}.f32", "f32", ["f32"])
    for op in ("div.approx", "div.approx.ftz", "div.full"):
        kernel.emit(f"{op}.f32", "f32", ["f32"] * 2)
    kernel.emit("neg.ftz.f32", "f32", ["f32"])
    kernel.emit("abs.ftz.f32", "f32", ["f32"])
    kernel.emit("tanh.approx.f32", "f32", ["f32"])


def compare(kernel):
    for kind in INTEGERS + ["b32", "s16", "u16"]:
        for test in ["eq", "ne"] + (ORDERED if kind[0] != "b" else []):
            kernel.emit(f"setp.{test}.{kind}", "pred", [kind] * 2)
    for kind in FLOATS:
        for test in ["eq", "ne", "equ", "neu", "ltu", "leu", "gtu", "geu", "nan", "num"] + ORDERED:
            kernel.emit(f"setp.{test}.{kind}", "pred", [kind] * 2)
            if kind == "f32" and len(test) == 2:
                kernel.emit(f"setp.{test}.ftz.f32", "pred", [kind] * 2, ["vw", "vi", "vu"])
    for kind in ("b32", "b64", "s32", "u32", "s64", "u64", "f32", "f64", "b16", "u16", "s16"):
        for first, second in itertools.product("vui", "wyi"):
            for predicate in ("%pv", "%pu"):
                kernel.put(f"selp.{kind} {kernel.varying(kind)}, {kernel.operand(kind, first)}, {kernel.operand(kind, second)}, {predicate}")
    for op in ("and", "or", "xor"):
        kernel.emit(f"{op}.pred", "pred", ["pred"] * 2, ["vw", "vu", "uv", "uy"])
    kernel.put(f"not.pred {kernel.fresh('pred')}, %pv")
    kernel.put(f"mov.pred {kernel.fresh('pred')}, %pv")


def guarded(kernel):
    """What compilers put under a predicate instead of a branch."""
    for kind in ("s32", "b32", "f32"):
        for guard in ("@%pv", "@!%pv"):
            for first in "vui":
                kernel.put(f"{guard} mov.{'u32' if kind == 's32' else kind} {kernel.fresh(kind)}, {kernel.operand(kind, first)}")
            if kind != "b32":
                for second in ("w", "i", "u"):
                    kernel.put(f"{guard} add.{kind} {kernel.fresh(kind)}, {kernel.operand(kind, 'v')}, {kernel.operand(kind, second)}")
    for op in ("not.b32", "neg.s32"):
        kernel.put(f"@%pv {op} {kernel.fresh('b32')}, %rv")
        kernel.put(f"@!%pv {op} {kernel.fresh('b32')}, %rv")


def move(kernel):
    for kind in ("u32", "b32", "s32", "u64", "b64", "s64", "f32", "f64", "u16", "b16", "s16"):
        for one in "vui":
            kernel.put(f"mov.{kind} {kernel.varying(kind)}, {kernel.operand(kind, one)}")
    for special in ("%tid.x", "%tid.y", "%tid.z", "%laneid", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_eq"):
        kernel.put(f"mov.u32 {kernel.fresh('u32')}, {special}")
    for first, second in itertools.product("vu", "wyi"):
        kernel.put(f"mov.b64 {kernel.varying('b64')}, {{{kernel.operand('b32', first)}, {kernel.operand('b32', second)}}}")
        kernel.put(f"mov.b32 {kernel.varying('b32')}, {{{kernel.operand('b16', first)}, {kernel.operand('b16', second)}}}")
    for wide, narrow in (("b64", "b32"), ("b32", "b16")):
        kernel.put(f"mov.{wide} {{{kernel.fresh(narrow)}, {kernel.fresh(narrow)}}}, %{letter(wide)}v")
    for to, source in (("b32", "f32"), ("f32", "b32"), ("b64", "f64"), ("f64", "b64")):
        kernel.put(f"mov.b{to[1:]} {kernel.fresh(to)}, %{letter(source)}v")
    kinds = ["s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"]
    for to, source in itertools.product(kinds, kinds):
        if to[1:] != source[1:]:
            kernel.put(f"cvt.{to}.{source} {kernel.fresh('b16' if to[1:] == '8' else to)}, %{letter(source)}v")
            if to[1:] == "8":
                kernel.put(f"cvt.{to}.{source} {kernel.fresh('b32')}, %{letter(source)}v")
    for kind, real in itertools.product(INTEGERS + ["s16", "u16", "u8"], FLOATS):
        kernel.put(f"cvt.rn.{real}.{kind} {kernel.fresh(real)}, %{letter(kind)}v")
        if kind != "u8":
            kernel.put(f"cvt.rzi.{kind}.{real} {kernel.fresh(kind)}, %{letter(real)}v")
            kernel.put(f"cvt.rni.{kind}.{real} {kernel.fresh(kind)}, %{letter(real)}v")
    for form in ("cvt.f64.f32", "cvt.rn.f32.f64"):
        kernel.put(f"{form} {kernel.fresh(form.split('.')[-2])}, %{letter(form.split('.')[-1])}v")
    for mode, real in itertools.product(("rni", "rzi", "rmi", "rpi", "sat"), FLOATS):
        kernel.put(f"cvt.{mode}.{real}.{real} {kernel.fresh(real)}, %{letter(real)}v")
    kernel.put(f"cvt.f32.f16 {kernel.fresh('f32')}, %hv")
    kernel.put(f"cvt.rn.f16.f32 {kernel.fresh('b16')}, %fv")
    for mode in (".to", ""):
        for space in ("global", "shared", "local"):
            kernel.put(f"cvta{mode}.{space}.u64 {kernel.fresh('b64')}, %dv")


def accesses(kernel):
    for kind in LOAD_TYPES:
        value = "b16" if kind[1:] == "8" else kind
        for place in ("global:%dv", "shared:%rv", "shared:%dv", ":%dv", "local:%dv", "const:%dv"):
            space, register = place.split(":")
            dot = f".{space}" if space else ""
            for cache, strength in (("", ""), (".nc", ""), ("", ".volatile")):
                if (cache and space != "global") or (strength and space not in ("global", "shared", "")):
                    continue
                for wide in (value, "b32") if kind[1:] == "8" else (value,):
                    # a load whose value is not used would be dropped
                    loaded = kernel.fresh(wide)
                    kernel.put(f"ld{strength}{dot}{cache}.{kind} {loaded}, [{register}]")
                    kernel.put(f"st.b{wide[1:]} [%dw], {loaded}")
                    if cache or space == "const":
                        continue
                    for target, source in itertools.product((register, f"%{register[1]}u"), "wyi"):
                        if not (source == "i" and kind[1:] == "8"):
                            kernel.put(f"st{strength}{dot}.{kind} [{target}], {kernel.operand(wide, source)}")
    vectors = {2: ("u8", "u16", "u32", "b32", "s32", "f32", "u64", "b64", "f64"), 4: ("u8", "u16", "u32", "b32", "s32", "f32")}
    for width, space in itertools.product(vectors, ("global", "shared", "", "global.nc")):
        register = "%rv" if space == "shared" else "%dv"
        dot = f".{space}" if space else ""
        for kind in vectors[width]:
            many = ", ".join(kernel.fresh("b16" if kind[1:] == "8" else kind) for _ in range(width))
            kernel.put(f"ld{dot}.v{width}.{kind} {{{many}}}, [{register}]")
            kernel.put(f"st{dot.replace('.nc', '')}.v{width}.{kind} [{register}], {{{many}}}")


def atomics(kernel):
    for place in ("global:%dv", "global:%du", "shared:%rv", "shared:%ru", ":%dv"):
        space, register = place.split(":")
        dot = f".{space}" if space else ""
        for kind in ("u32", "s32", "u64", "f32", "f64"):
            for op, value in itertools.product(["add"] if kind[0] == "f" else ["add", "min", "max"], "wyi"):
                operand = kernel.operand(kind, value)
                if op == "add" or value == "w":
                    kernel.put(f"atom{dot}.{op}.{kind} {kernel.varying(kind)}, [{register}], {operand}")
                    kernel.put(f"red{dot}.{op}.{kind} [{register}], {operand}")
        for kind in ("b32", "b64"):
            for op in ("and", "or", "xor", "exch"):
                kernel.put(f"atom{dot}.{op}.{kind} {kernel.varying(kind)}, [{register}], %{letter(kind)}w")
            for old, new in itertools.product("wi", "xyi"):
                kernel.put(f"atom{dot}.cas.{kind} {kernel.varying(kind)}, [{register}], {kernel.operand(kind, old)}, {kernel.operand(kind, new)}")


def warps(kernel):
    # lanes that leave a loop that waits arrive one after the other
    kernel.put("spin: ld.volatile.global.u32 %rx, [%dv]; setp.eq.u32 %px, %rx, 0; @%px bra spin")
    for mode, kind in itertools.product(("down", "up", "bfly", "idx"), ("b32", "f32")):
        one, limit = letter(kind), "0" if mode == "up" else "31"
        choices = [(by, limit) for by in ("1", "2", "4", "8", "16", "%rw")] + [("%ru", "%ry"), ("%rw", "%ry")]
        for (by, last), members in itertools.product(choices, ("-1", "%rz")):
            kernel.put(f"shfl.sync.{mode}.b32 {kernel.varying(kind)}|{kernel.varying('pred')}, %{one}v, {by}, {last}, {members}")
            if kind == "b32":
                kernel.put(f"shfl.sync.{mode}.b32 {kernel.varying(kind)}, %{one}v, {by}, {last}, {members}")
    for members in ("-1", "%ru", "%rv"):
        for predicate in ("%pv", "%pu"):
            kernel.put(f"vote.sync.ballot.b32 {kernel.varying('b32')}, {predicate}, {members}")
            for mode in ("any", "all"):
                kernel.put(f"vote.sync.{mode}.pred {kernel.varying('pred')}, {predicate}, {members}")
        kernel.put(f"match.any.sync.b32 {kernel.varying('b32')}, %rw, {members}")
        for op, kind in itertools.product(("add", "min", "max"), ("u32", "s32")):
            kernel.put(f"redux.sync.{op}.{kind} {kernel.varying(kind)}, %rw, {members}")
        kernel.put(f"bar.warp.sync {members}")


def main():
    texts = [".version 8.0\n.target sm_80\n.address_size 64\n"]
    for fill in (integers, floats, compare, guarded, move, accesses, atomics, warps):
        kernel = Kernel(fill.__name__)
        fill(kernel)
        texts.append(kernel.text())
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(texts))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""What a profile says of kernels. Work is counted by what instructions compute, not by how: an fma is two operations, a
matrix product of m x n x k is 2mnk. Bytes are those of the 32-byte sectors of global memory that warps touched."""
import collections
import re

LANES = 32
SECTOR = 32
COUNTS = ("executions", "lanes", "accesses", "bytes", "sectors", "passes")
KINDS = {
    "memory": "ld ldu st atom red cp prefetch prefetchu suld sust sured cvta isspacep applypriority discard",
    "texture": "tex tld4 txq suq istypep",
    "matrix": "mma wmma wgmma ldmatrix stmatrix movmatrix",
    "control": "bra brx call ret exit trap brkpt bar barrier membar fence nanosleep setmaxnreg griddepcontrol mbarrier",
    "warp": "shfl vote match redux activemask elect",
}
KIND_OF = {op: kind for kind, ops in KINDS.items() for op in ops.split()}
FLOATS = ("f16", "bf16", "f16x2", "bf16x2", "f32", "f32x2", "f64", "tf32", "e4m3", "e5m2")
# Float operations of one lane. What is not here (moves, comparisons, conversions, signs) computes nothing.
OPERATIONS = {**dict.fromkeys("add sub mul div rcp sqrt rsqrt ex2 lg2 sin cos tanh".split(), 1), "fma": 2, "mad": 2}
WHOLE = {**dict.fromkeys("add sub mul mul24 div rem sad and or xor not shl shr shf min max abs neg popc clz bfe bfi lop3 "
                         "addc subc brev prmt dp4a dp2a".split(), 1), "mad": 2, "mad24": 2, "madc": 2}
SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)")
WARPS_OF_A_GROUP = 4


def types_of(row):
    return row["text"].split(" ")[0].split(".")[1:]


def kind_of(row):
    """memory, texture, matrix, control, warp; all other instructions compute: float or integer."""
    return KIND_OF.get(row["op"]) or ("float" if any(name in FLOATS for name in types_of(row)) else "integer")


def matrix_operations(row):
    """Of the multiplications of matrices among the instructions, by the shape in their names."""
    words = row["text"].split(" ")[0]
    shape = SHAPE.search(words)
    if not shape or not re.search(r"\bmma(_async)?\b", words):
        return 0
    work = 2 * int(shape[1]) * int(shape[2]) * int(shape[3]) * row["executions"]
    return work // WARPS_OF_A_GROUP if row["op"] == "wgmma" else work


def operations(row):
    """(float, float64, integer) operations that the executions of an instruction did."""
    types = types_of(row)
    if row["op"] in ("mma", "wmma", "wgmma"):
        work = matrix_operations(row)
        whole = any(name in types for name in ("s8", "u8", "s4", "u4", "b1"))
        return (0, 0, work) if whole else (work, work if "f64" in types else 0, 0)
    if kind_of(row) == "float":
        work = OPERATIONS.get(row["op"], 0) * row["lanes"] * (2 if any(name.endswith("x2") for name in types) else 1)
        return work, work if "f64" in types else 0, 0
    return 0, 0, WHOLE.get(row["op"], 0) * row["lanes"] if kind_of(row) == "integer" else 0


def join(kernels):
    """The kernels of one name, which were compiled for several block shapes, as one; in order of work."""
    joined = {}
    for kernel in kernels:
        one = joined.setdefault(kernel["name"], {
            "name": kernel["name"], "plain_name": kernel.get("plain_name", kernel["name"]), "instructions": {},
            **dict.fromkeys(("launches", "blocks", "threads", "duration_ns"), 0)})
        for key in ("launches", "blocks", "threads", "duration_ns"):
            one[key] += kernel[key]
        seen = collections.Counter()
        for row in kernel["instructions"]:
            place = (row["function"], row["line"], row["text"])
            seen[place] += 1
            known = one["instructions"].setdefault((*place, seen[place]), dict(row, **dict.fromkeys(
                [key for key in row if key in COUNTS], 0)))
            for key in COUNTS:
                if key in row:
                    known[key] = known.get(key, 0) + row[key]
    for one in joined.values():
        one["instructions"] = list(one["instructions"].values())
    return sorted(joined.values(), key=lambda one: (-sum(row["executions"] for row in one["instructions"]), one["name"]))


def join_host_work(rows):
    """Calls of libraries and operators of PyTorch by name; in order of time."""
    joined = collections.defaultdict(collections.Counter)
    for row in rows:
        joined[row["name"]].update({key: row[key] for key in ("calls", "duration_ns", "bytes_read", "bytes_written")})
    return sorted(joined.items(), key=lambda item: (-item[1]["duration_ns"], item[0]))


def total(rows, key, **wanted):
    return sum(row.get(key, 0) for row in rows if all(row.get(name) == value for name, value in wanted.items()))


def per(part, whole):
    return part / whole if whole else 0.0


def sum_up(kernel):
    """The numbers of a kernel that do not depend on the machine."""
    rows = kernel["instructions"]
    executed = total(rows, "executions")
    kinds, work = collections.Counter(), [0, 0, 0]
    for row in rows:
        kinds[kind_of(row)] += row["executions"]
        work = [sum(pair) for pair in zip(work, operations(row))]
    loads = [row for row in rows if row.get("memory") == "global" and row["op"] in ("ld", "ldu", "atom")]
    stores = [row for row in rows if row.get("memory") == "global" and row["op"] in ("st", "red", "atom")]
    return {
        "kernel": kernel["name"], "launches": kernel["launches"], "blocks": kernel["blocks"],
        "threads": kernel["threads"], "instructions": executed, "kinds": dict(sorted(kinds.items())),
        "lanes_on": round(per(total(rows, "lanes"), executed * LANES), 4),
        "bytes_loaded": total(loads, "bytes"), "bytes_stored": total(stores, "bytes"),
        "sectors": total(rows, "sectors"), "global_accesses": total(rows, "accesses", memory="global"),
        "shared_passes": total(rows, "passes"), "shared_accesses": total(rows, "accesses", memory="shared"),
        "float_operations": work[0], "float64_operations": work[1], "integer_operations": work[2],
    }


def size(number):
    for unit in ("", "K", "M", "G", "T"):
        if number < 10000 or unit == "T":
            return f"{number:.0f}{unit}" if number >= 100 or number == int(number) else f"{number:.1f}{unit}"
        number /= 1000
    return ""

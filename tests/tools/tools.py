# SPDX-License-Identifier: MIT
"""Shared by the tests of tools/: temporary files, commands, and a kernel that is run through libcuda."""
import collections
import ctypes
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

LIBRARY = Path(sys.argv[1]).resolve()
PTXAS = LIBRARY / "bin" / "ptxas"
NVLINK = LIBRARY / "bin" / "nvlink"
OBJDUMP = LIBRARY / "bin" / "cupipe-objdump"
SCRATCH = tempfile.TemporaryDirectory()
FOLDER = Path(SCRATCH.name)
failures = []

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
ASK = HEAD + """
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry ask(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 21;
    {
        .param .b32 argument;
        .param .b32 answer;
        st.param.b32 [argument], %r1;
        call.uni (answer), twice, (argument);
        ld.param.b32 %r2, [answer];
    }
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], %r2;
    ret;
}
"""
TWICE = HEAD + """
.visible .func (.param .b32 result) twice(.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [value];
    add.s32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
"""
WHOLE = TWICE + ASK.replace(HEAD, "").replace(
    ".extern .func (.param .b32 result) twice(.param .b32 value);\n", "")


def check(condition, text):
    if not condition:
        failures.append(text)
        print("not ok:", text)


def write(name, text):
    path = FOLDER / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=240, cwd=FOLDER,
                            **options)
    return result.returncode, result.stdout, result.stderr


Symbol = collections.namedtuple("Symbol", "binding defined size content")


def symbols(elf):
    """The symbol table of an ELF file; content is None where the file has none."""
    offset, count = struct.unpack_from("<Q", elf, 40)[0], struct.unpack_from("<H", elf, 60)[0]
    # of a section: name, type, flags, address, offset, size, link, info, alignment, entry size
    sections = [struct.unpack_from("<2I4Q2I2Q", elf, offset + 64 * i) for i in range(count)]
    found = {}
    for _, kind, _, _, start, size, link, *_ in sections:
        if kind != 2:
            continue
        for at in range(start + 24, start + size, 24):
            name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", elf, at)
            first = sections[link][4] + name
            text = elf[first:elf.index(b"\0", first)].decode()
            home = sections[section]
            content = elf[home[4] + value:home[4] + value + length] if section and home[1] == 1 else None
            found[text] = Symbol(("local", "global", "weak")[info >> 4], section != 0, length, content)
    return found


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL(str(LIBRARY / "libcuda.so.1"))
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result:
            raise RuntimeError(f"{name}: {result}")

    def ask(self, image, name=b"ask"):
        """The number that the kernel stores."""
        module, function, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
        value = ctypes.c_uint32()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name)
        self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4))
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
        self.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
        self.call("cuMemcpyDtoH_v2", ctypes.byref(value), memory, ctypes.c_size_t(4))
        self.call("cuModuleUnload", module)
        return value.value


def finish():
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)

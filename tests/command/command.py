# SPDX-License-Identifier: MIT
"""Shared by the tests of the command cupipe: temporary files, programs to run, what is checked.

Every test is started as check_NAME.py BUILD SOURCE CC.
"""
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from compilers import nvcc  # noqa: E402

BUILD, SOURCE, CC = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
CUPIPE = BUILD / "bin" / "cupipe"
LIBRARY = BUILD / "lib"
SCRATCH = tempfile.TemporaryDirectory()
FOLDER = Path(SCRATCH.name)
NVCC = nvcc()
# Variables of whoever runs the test must not decide it.
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("CUPIPE_", "TRITON_", "VK_", "XLA_", "JAX_", "LD_", "CUDA_"))}
failures = []
counted = [0]


def check(condition, text):
    counted[0] += 1
    if not condition:
        failures.append(text)
        print("not ok:", text)


def run(*command, env=None, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, cwd=FOLDER,
                            env={**CLEAN, **(env or {})}, **options)
    return result.returncode, result.stdout, result.stderr


def cupipe(*words, env=None, **options):
    return run(CUPIPE, *words, env=env, **options)


def write(name, text, mode=0o644):
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def compile_c(name, text, *options):
    """Compiles a C program against cuda.h."""
    write(name + ".c", text)
    code, _, err = run(CC, name + ".c", "-o", name, f"-I{SOURCE / 'include'}", *options)
    check(code == 0, f"{name} compiles: {err}")
    return FOLDER / name


def fatbins(*images):
    """A container with an entry for each image: its kind (1 is PTX, 2 machine code), its bytes and its architecture."""
    entries = b""
    for kind, payload, architecture in images:
        payload += b"\0" * (-len(payload) % 8)
        entries += struct.pack("<HHIQIIIIIIQQQ", kind, 0x101, 64, len(payload), 0, 0, 0, architecture, 0, 0, 0, 0, 0) + payload
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(entries)) + entries


def fatbin(kind, payload, architecture):
    return fatbins((kind, payload, architecture))


def with_device_code(image):
    """C that puts a fatbin where nvcc puts it."""
    return ('__attribute__((section(".nv_fatbin"), used, aligned(8))) static const unsigned char code[] = {%s};\n'
            % ",".join(map(str, image)))


# An ELF header whose machine is CUDA.
CUBIN = (b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 0, 90 << 16 | 90, 64, 0, 0, 0, 0, 0))


def cubin_with(section_type, section_flags):
    """A cubin of one section, without contents."""
    header = CUBIN[:16] + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64, 90 << 16 | 90, 64, 0, 0, 64, 2, 0)
    return header + bytes(64) + struct.pack("<IIQQQQIIQQ", 0, section_type, section_flags, 0, 64, 0, 0, 0, 8, 0)


PTX = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n ret;\n}\n\0"


def finish():
    print(f"{counted[0] - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)

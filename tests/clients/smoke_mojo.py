# SPDX-License-Identifier: MIT
"""Mojo: a kernel in a program that its compiler builds and runs."""
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = """
from max.gpu import thread_idx
from max.gpu.host import DeviceContext


def twice(p: Pointer[Float32, MutAnyOrigin]):
    p[unsafe_offset=thread_idx.x] *= 2


def main() raises:
    var context = DeviceContext()
    var buffer = context.enqueue_create_buffer[DType.float32](32)
    with buffer.map_to_host() as host:
        for i in range(32):
            host[i] = Float32(i)
    context.enqueue_function[twice](buffer, grid_dim=1, block_dim=32)
    with buffer.map_to_host() as host:
        for i in range(32):
            if host[i] != Float32(2 * i):
                raise Error("wrong")
"""
with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "twice.mojo"
    program.write_text(SOURCE)
    sys.exit(subprocess.run([Path(sys.executable).parent / "mojo", "run", program]).returncode)

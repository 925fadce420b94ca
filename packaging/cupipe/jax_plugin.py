# SPDX-License-Identifier: MIT
"""What JAX calls when it looks for devices, by the entry point of the group jax_plugins.

In a process whose driver is cupipe's it answers two questions of JAX's. Elsewhere it does nothing: it neither loads a
driver nor calls one.
"""
import os

from cupipe import driver


def initialize():
    folder = driver.folder()
    if folder is None:
        return
    from jax._src import hardware_utils, lib
    hardware_utils.has_visible_nvidia_gpu = lambda: True  # else files such as /dev/nvidia0 tell
    if os.path.exists(os.path.join(folder, "bin", "ptxas")):
        lib.cuda_path = folder  # where XLA takes ptxas and nvlink from; else the folder of NVIDIA's wheels

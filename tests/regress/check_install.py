#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Found by an installation under a prefix of one's own: the manifest of the Vulkan layer named /usr/local whatever
the prefix was. Installs the build, under a prefix and below DESTDIR, and loads the layer from there: by the path in
the manifest, and by Vulkan's loader if it is there.

usage: check_install.py CMAKE BUILD"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile

LAYER = "VK_LAYER_CUPIPE_external_semaphore"

CREATE = """
import ctypes
class Info(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32),
                ("application", ctypes.c_void_p), ("layers", ctypes.c_uint32), ("layer_names", ctypes.c_void_p),
                ("extensions", ctypes.c_uint32), ("extension_names", ctypes.c_void_p)]
instance = ctypes.c_void_p()
ctypes.CDLL("libvulkan.so.1").vkCreateInstance(ctypes.byref(Info(1)), None, ctypes.byref(instance))
print("".join(line for line in open("/proc/self/maps") if "VkLayer_cupipe" in line))
"""


def install(cmake, build, prefix, destdir):
    environment = dict(os.environ)
    if destdir:
        environment["DESTDIR"] = destdir
    subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, env=environment,
                   stdout=subprocess.DEVNULL)
    return (destdir or "") + prefix


def check(root):
    manifest = os.path.join(root, "share", "vulkan", "implicit_layer.d", "VkLayer_cupipe.json")
    with open(manifest) as file:
        layer = json.load(file)["layer"]
    assert layer["name"] == LAYER
    library = os.path.normpath(os.path.join(os.path.dirname(manifest), layer["library_path"]))
    assert library.startswith(root + os.sep), library
    ctypes.CDLL(library).vkNegotiateLoaderLayerInterfaceVersion
    try:
        ctypes.CDLL("libvulkan.so.1")
    except OSError:
        return "the loader is not here"
    folders = [os.path.join(root, "share"), "/usr/local/share", "/usr/share"]  # the drivers are in the others
    environment = dict(os.environ, XDG_DATA_DIRS=":".join(folders), CUPIPE_VULKAN_LAYER="1")
    for name in ("VK_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH", "CUPIPE_VULKAN_LAYER_DISABLE"):
        environment.pop(name, None)
    done = subprocess.run([sys.executable, "-c", CREATE], env=environment, capture_output=True, text=True)
    assert library in done.stdout, done.stdout + done.stderr
    return "by the loader"


def main():
    cmake, build = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        for i, destdir in enumerate([None, os.path.join(folder, "stage")]):
            root = install(cmake, build, os.path.join(folder, "a prefix %d" % i), destdir)
            print("ok %d - the layer is loaded from %s: %s" % (i + 1, "DESTDIR" if destdir else "a prefix", check(root)))
    print("1..2")


main()

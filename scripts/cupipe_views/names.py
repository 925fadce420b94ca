# SPDX-License-Identifier: MIT
"""Names of C++ functions."""
import shutil
import subprocess


def demangle(names):
    """{name: as in the source}, where c++filt is installed; {name: name} otherwise."""
    filt = shutil.which("c++filt")
    if not filt or not any(name.startswith("_Z") for name in names):
        return {name: name for name in names}
    listed = sorted(names)
    result = subprocess.run([filt], input="\n".join(listed), capture_output=True, text=True)
    lines = result.stdout.splitlines()
    return dict(zip(listed, lines)) if len(lines) == len(listed) else {name: name for name in names}

# SPDX-License-Identifier: MIT
"""UCX: tests/programs/ucx_perftest with the installed packages of libucx and cupipe."""
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import cupipe

program = Path(__file__).resolve().parent.parent / "programs" / "ucx_perftest"
os.environ["CUPIPE_TEST_UCX"] = f"{sysconfig.get_path('purelib')}/libucx/lib"
sys.exit(subprocess.run([program, cupipe.library_folder()]).returncode)

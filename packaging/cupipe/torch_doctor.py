# SPDX-License-Identifier: MIT
"""What `cupipe doctor` says of PyTorch. Runs in the Python in question, with the variables of `cupipe run`; it looks at
files and at the process, and does not import torch. Ends with 1 if it finds a problem."""
import importlib.metadata
import importlib.util
import os
import sys

from cupipe import driver, torch_build, torch_object

CUDA_MAJORS = ("12", "13")
_problems = []


def _tell_problem(text):
    _problems.append(text)
    print("problem:", text)


def _check_cuda(torch):
    """Whether it is a PyTorch that could use cupipe at all."""
    if not torch.cuda:
        kind = "for ROCm" if "rocm" in torch.version else "without CUDA"
        _tell_problem(f"PyTorch {torch.version} is built {kind}. Install one that is built with CUDA 12 or 13: pip install "
                      f"--force-reinstall torch{'>=2.11' if os.uname().machine == 'aarch64' else ''}")
        return False
    if torch.cuda.split(".")[0] not in CUDA_MAJORS:
        _tell_problem(f"PyTorch {torch.version} is built with CUDA {torch.cuda}; cupipe has the runtimes of CUDA 12 and 13. "
                      "Install a newer PyTorch: pip install --upgrade torch")
        return False
    return True


def _check_runtime(torch):
    """PyTorch's libraries take the runtime that is loaded before them; without one, that of NVIDIA's wheel."""
    name = f"libcudart.so.{torch.cuda.split('.')[0]}"
    folder = driver.folder_of(name, "cudaGetDeviceCount")
    if folder is None:
        blank = " The loader cannot preload it, because its path has a blank: install cupipe elsewhere." \
            if " " in torch_object.FOLDER else ""
        _tell_problem(f"{name} of cupipe is not preloaded, so PyTorch takes NVIDIA's, which does not work with cupipe's driver."
                      + blank)
    elif not driver.is_ours(folder):
        _tell_problem(f"{name} is preloaded from {folder}, and is not cupipe's. Take it out of LD_PRELOAD.")
    else:
        print(f"ok: {name} is cupipe's")


def _check_entry_point():
    """Whether `import torch` calls cupipe."""
    autoload = os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1")
    if autoload != "1":
        _tell_problem(f"TORCH_DEVICE_BACKEND_AUTOLOAD={autoload} keeps PyTorch from calling cupipe as it is imported: its "
                      "operators would not run. Unset it.")
    groups = importlib.metadata.entry_points()
    found = groups.select(group="torch.backends") if hasattr(groups, "select") else groups.get("torch.backends", ())
    if not any(entry.value.startswith("cupipe.") for entry in found):
        _tell_problem("PyTorch does not find cupipe's entry point in the group torch.backends: this cupipe is not complete")


def _check_object(torch):
    path = torch_object.find(torch)
    if path:
        print(f"ok: its operators are in {path}")
        return
    ready = ", ".join(torch_object.ready_versions())
    try:
        compiler = torch_build.find_compiler()
    except torch_build.BuildError as error:
        _tell_problem(f"for PyTorch {torch.version} the operators have to be compiled, and {error}"
                      + (f"; or install a PyTorch that needs none: {ready}" if ready else ""))
        return
    print(f"note: its operators are compiled with {' '.join(compiler)} when a program first uses cuda, once"
          + (f"; they are ready for PyTorch {ready}" if ready else ""))


def main():
    found = importlib.util.find_spec("torch")
    if not found or not found.submodule_search_locations:
        return 0
    try:
        torch = torch_build.Torch(found.submodule_search_locations[0])
    except torch_build.BuildError as error:
        _tell_problem(str(error))
        return 1
    print(f"PyTorch {torch.version} in {torch.folder}:")
    if _check_cuda(torch):
        _check_runtime(torch)
        _check_entry_point()
        _check_object(torch)
    return 1 if _problems else 0


if __name__ == "__main__":
    sys.exit(main())

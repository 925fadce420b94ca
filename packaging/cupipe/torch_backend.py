# SPDX-License-Identifier: MIT
"""What `import torch` calls, by the entry point of the group torch.backends.

In a process whose driver is cupipe's it loads the shared object that has PyTorch's operators computed on the processor.
Elsewhere it does nothing: it neither loads a driver nor calls one. It never fails: what is wrong becomes an error when the
program first uses cuda.
"""
import atexit
import ctypes
import importlib.abc
import os
import sys
import warnings

from cupipe import driver

_library = None


class _Refusal(Exception):
    """The object is loaded and says why it cannot be used."""


# Packages whose operators for CUDA are machine code and have CPU kernels beside them. Operators of the user's own
# libraries stay as they are: their kernels run as PTX.
_PACKAGES = ("torchvision", "torchaudio", "bitsandbytes")


class _AfterImport(importlib.abc.MetaPathFinder):
    """Redirects the operators of a package after its import. The import of a package that imports torch itself has begun
    before: there it is done after each part of the package that is imported since."""

    def __init__(self):
        self._depth = 0  # imports within each other

    def find_spec(self, name, path, target=None):
        package = name.partition(".")[0]
        if package not in _PACKAGES:
            return None
        spec = None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                break
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_redirect(module):
            self._depth += 1
            try:
                execute(module)
            finally:
                self._depth -= 1
            if not self._depth:
                sys.modules["torch"].ops.cupipe.redirect_namespace(package)

        spec.loader.exec_module = execute_and_redirect
        return spec


def _redirect_packages(torch):
    """Redirects the operators of packages: when they are imported, and of those that were imported before when cuda is
    first used."""
    def redirect_imported():
        for name in _PACKAGES:
            if name in sys.modules:
                torch.ops.cupipe.redirect_namespace(name)

    torch.cuda._lazy_call(redirect_imported)
    sys.meta_path.insert(0, _AfterImport())


def _replace_functions(torch):
    """Functions of torch that launch a kernel, or ask cuDNN, without an operator."""
    functions = getattr(torch, "_C", None)
    if hasattr(functions, "_cuda_sleep"):
        functions._cuda_sleep = lambda cycles: torch.ops.cupipe.sleep(cycles)
    if hasattr(functions, "_get_cudnn_batch_norm_reserve_space_size"):
        functions._get_cudnn_batch_norm_reserve_space_size = lambda tensor, training: 0  # the kernels here keep nothing


def _accept_cudnn():
    """PyTorch refuses a cuDNN that is older than the one it was compiled with. cupipe's has all the names, whatever
    version it tells, and the operators do not call it."""
    os.environ.setdefault("PYTORCH_SKIP_CUDNN_COMPATIBILITY_CHECK", "1")


def _wait_at_exit(torch):
    """Waits for pending work while Python still runs, because kernels may be written in Python. A lazy schedule runs none
    that nobody waits for."""
    def wait():
        if torch.cuda.is_initialized() and not os.environ.get("CUPIPE_SCHEDULE", "").startswith("lazy"):
            try:
                torch.cuda.synchronize()
            except RuntimeError:
                pass  # the program has seen the error, or never asked
    atexit.register(wait)


def _start(path):
    """Loads the object and has it register its kernels. Raises OSError if it does not fit the libraries of torch."""
    global _library
    torch = sys.modules["torch"]
    library = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_GLOBAL)  # packages of AOTInductor find its functions first
    try:
        install = library.cupipe_torch_install
    except AttributeError as error:
        raise OSError(str(error)) from None
    install.restype = ctypes.c_char_p
    refusal = install()
    if refusal:
        raise _Refusal(refusal.decode(errors="replace"))
    _library = library
    _redirect_packages(torch)
    _wait_at_exit(torch)
    _accept_cudnn()
    _replace_functions(torch)
    from cupipe import torch_symmetric_memory
    torch_symmetric_memory.install(torch)


def _build_and_start(torch):
    """For a version that has no object: at the first use of cuda, in the thread that uses it."""
    from cupipe import torch_object
    if _library is not None:
        return
    try:
        _start(torch_object.build(torch_object.describe(torch)))
    except (torch_object.BuildError, OSError, _Refusal) as error:
        raise RuntimeError(f"cupipe: PyTorch {torch.__version__} cannot run on cupipe: {error}") from None


def _fail_at_first_use(torch, path, error):
    def refuse():
        raise RuntimeError(f"cupipe: PyTorch {torch.__version__} cannot run on cupipe: {path}: {error}")
    torch.cuda._lazy_call(refuse)


def _load(torch):
    major = (torch.version.cuda or "").split(".")[0]
    if not major:
        return  # a PyTorch without CUDA says so itself
    if driver.folder() is None:
        return
    runtime = driver.folder_of(f"libcudart.so.{major}", "cudaGetDeviceCount")
    if not driver.is_ours(runtime):
        warnings.warn(f"PyTorch has loaded NVIDIA's libcudart.so.{major} from {runtime}, which does not work with cupipe's "
                      "driver. Start the program as `cupipe run python ...`, or call cupipe.enable() before `import torch`; "
                      "`cupipe doctor python` says more.", RuntimeWarning, stacklevel=2)
        return
    from cupipe import torch_object  # only here: elsewhere `import torch` is not to take longer
    path = torch_object.find(torch_object.describe(torch))
    try:
        if path:
            _start(path)
            return
    except _Refusal as error:
        _fail_at_first_use(torch, path, error)
        return
    except OSError as error:
        if not torch_object.is_ready(path):
            _fail_at_first_use(torch, path, f"{error}. Remove that file")
            return
        print(f"cupipe: {path} does not fit this PyTorch, so another one is compiled when cuda is used: {error}",
              file=sys.stderr)
    torch.cuda._lazy_call(lambda: _build_and_start(torch))


def load():
    """The entry point."""
    torch = sys.modules.get("torch")
    if torch is None or _library is not None:
        return
    try:
        _load(torch)
    except Exception as error:  # whatever it is, `import torch` goes on
        warnings.warn(f"cupipe: PyTorch runs without its operators on cupipe: {type(error).__name__}: {error}", RuntimeWarning,
                      stacklevel=2)

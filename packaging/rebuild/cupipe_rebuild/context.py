# SPDX-License-Identifier: MIT
"""What the recipes share: the environment that gets the package, the toolkit with cupipe's runtime, sources, and commands
whose output goes into a file."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

OLDEST_CUDA = 13    # cupipe has the static runtime of CUDA 13 alone
MARKS = b".note.cupipe.runtime", b"libcudart.so.1"
TOOLS = Path(__file__).resolve().parents[1]
# PyPI's packages that have headers of the toolkit.
PACKAGES = {"nvidia-cuda-runtime": ("cuda.h", "cuda_runtime.h", "cuda_runtime_api.h"),
            "nvidia-cuda-profiler-api": ("cudaProfiler.h", "cuda_profiler_api.h"), "nvidia-cuda-cccl": ("cub/cub.cuh", "thrust/version.h"),
            "nvidia-cuda-nvrtc": ("nvrtc.h",), "nvidia-nvptxcompiler": ("nvPTXCompiler.h",), "nvidia-cublas": ("cublas_v2.h",),
            "nvidia-cufft": ("cufft.h",), "nvidia-curand": ("curand.h",), "nvidia-cusolver": ("cusolverDn.h",),
            "nvidia-cusparse": ("cusparse.h",), "nvidia-cufile": ("cufile.h",)}

# Asked of the environment's Python: versions of distributions, the folder of packages, whether pip and headers are there.
QUESTION = """
import importlib.metadata as m, importlib.util as u, json, os, sys, sysconfig
versions = {}
for name in sys.argv[1:]:
    try:
        versions[name] = m.version(name)
    except m.PackageNotFoundError:
        pass
paths = sysconfig.get_paths()
headers = paths["include"]
print(json.dumps({"versions": versions, "packages": paths["platlib"], "pip": u.find_spec("pip") is not None,
                  "headers": os.path.isfile(headers + "/Python.h"),
                  "writable": os.access(paths["platlib"], os.W_OK), "prefix": sys.prefix}))
"""


class Failure(Exception):
    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


class Context:
    """A package that is built for an environment."""

    def __init__(self, recipe, python, options):
        self.recipe, self.python, self.options = recipe, python, options
        self.environment = self.ask()
        self.version = options.version or next(iter(self.environment["versions"].values()), recipe.VERSION)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.work = (options.work or cache / "cupipe-rebuild" / options.name).resolve()
        self.toolkit, self.log = self.work / "toolkit", self.work / "build.log"
        self.library = TOOLS.parent

    def ask(self):
        answer = subprocess.run([self.python, "-c", QUESTION, *self.recipe.DISTRIBUTIONS], capture_output=True, text=True,
                                env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"})
        if answer.returncode:
            raise Failure(f"{self.python} is not an interpreter of Python 3.8 or later: {answer.stderr.strip()[-300:]}")
        return json.loads(answer.stdout)

    @property
    def packages(self):
        return Path(self.environment["packages"])

    # What is there and what is not

    def toolkit_source(self):
        """The toolkit's folder; None if there is none. The same rule as cupipe-toolkit's."""
        if self.options.toolkit:
            return self.options.toolkit
        for nvcc in sorted(self.packages.glob("nvidia/cu[0-9]*/bin/nvcc"), reverse=True):
            return nvcc.parents[1]
        if os.environ.get("CUDA_HOME"):
            return Path(os.environ["CUDA_HOME"])
        nvcc = shutil.which("nvcc")
        return Path(nvcc).resolve().parents[1] if nvcc else None

    def missing_of_toolkit(self):
        toolkit = self.toolkit_source()
        if not toolkit:
            return ["a CUDA toolkit with nvcc: name its folder with --toolkit, or pip install nvidia-cuda-nvcc into the environment"]
        if not (toolkit / "bin" / "nvcc").is_file():
            return [f"{toolkit}/bin/nvcc: name the folder of a toolkit with --toolkit"]
        lines = [f"{toolkit}/include/{header}: {self.package_of(header, toolkit)}"
                 for header in ("cuda.h", "cuda_runtime.h", *self.recipe.HEADERS)
                 if not any((toolkit / folder / header).is_file() for folder in ("include", "include/cccl"))]
        version = self.cuda_version(toolkit)
        if version and version[0] < OLDEST_CUDA:
            lines.append(f"a toolkit of CUDA {OLDEST_CUDA}, of which cupipe has the static runtime: {toolkit} is of CUDA "
                         f"{version[0]}.{version[1]}. Name another with --toolkit")
        return lines

    def package_of(self, header, toolkit):
        """What to install for a header of the toolkit: a package of pip where pip has installed the toolkit."""
        name = next((name for name, headers in PACKAGES.items() if header in headers), None)
        if name and self.packages in toolkit.parents:
            return f"pip install {name} into the environment"
        return "install the toolkit's package that has it" + \
            (f", or have the toolkit of pip in the environment: pip install nvidia-cuda-nvcc {name}" if name else "")

    @staticmethod
    def cuda_version(toolkit):
        header = toolkit / "include" / "cuda.h"
        found = re.search(r"#define CUDA_VERSION (\d+)", header.read_text(errors="replace")) if header.is_file() else None
        return divmod(int(found[1]) // 10, 100) if found else None

    def driver_version(self):
        """Of the driver that the package will run on."""
        text = f"import ctypes; n = ctypes.c_int(); ctypes.CDLL({str(self.library / 'libcuda.so.1')!r}).cuDriverGetVersion(" + \
            "ctypes.byref(n)); print(n.value)"
        return divmod(int(subprocess.run([self.python, "-c", text], capture_output=True, text=True, check=True).stdout) // 10, 100)

    def missing(self):
        """Everything that is missing, a line each."""
        lines = [f"{command}: {package}" for command, package in self.recipe.NEEDS.items()
                 if command != "nvcc" and not (self.options.source and command == "git") and not shutil.which(command)]
        lines += self.missing_of_toolkit()
        if not self.environment["pip"]:
            lines.append(f"pip in the environment of {self.python}: {self.python} -m ensurepip")
        if not self.environment["headers"]:
            lines.append(f"the headers of {self.python}: Debian has them in python3-dev")
        if not self.environment["writable"]:
            lines.append(f"the right to write into {self.packages}: build for an environment of your own (python3 -m venv)")
        if not self.version and not self.options.source:
            lines.append(f"a version: {self.recipe.TITLE} is not installed in the environment; name one with --version")
        if not (self.library / "libcudart_static.a").is_file():
            lines.append(f"{self.library}/libcudart_static.a: Debian's package cupipe-dev has it")
        return lines + list(getattr(self.recipe, "missing", lambda context: [])(self))

    # Steps

    def prepare(self):
        """Makes the folder and in it the toolkit, in which the runtime and ptxas are cupipe's."""
        self.work.mkdir(parents=True, exist_ok=True)
        self.log.write_text("")
        print(f"building {self.recipe.TITLE} {self.version or ''} for {self.python}; what compilers say goes to {self.log}", flush=True)
        shutil.rmtree(self.toolkit, ignore_errors=True)
        self.run([TOOLS / "cupipe-toolkit", self.toolkit, self.toolkit_source()])

    def put(self, file, *names):
        """Libraries of cupipe's in the toolkit, in place of NVIDIA's."""
        for name in names:
            for folder in {path.resolve() for path in (self.toolkit / "lib64", self.toolkit / "lib") if path.is_dir()}:
                (folder / name).unlink(missing_ok=True)
                (folder / name).symlink_to(file)

    def run(self, words, folder=None, **variables):
        """Runs a command; its output goes to the file, the last of it into the message if it fails."""
        words = [str(word) for word in words]
        with self.log.open("a", encoding="utf-8") as log:
            print("$", *words, file=log, flush=True)
            status = subprocess.run(words, stdout=log, stderr=subprocess.STDOUT, cwd=folder, stdin=subprocess.DEVNULL,
                                    env={**self.variables(), **variables}).returncode
        if status:
            last = "\n".join(self.log.read_text(errors="replace").splitlines()[-12:])
            raise Failure(f"{words[0]} failed, exit status {status}; {self.log} has all it said, which ends\n{last}")

    def variables(self):
        """Those of the process, with the toolkit before others."""
        names = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "PYTHONPATH")}
        path = os.pathsep.join((str(self.toolkit / "bin"), str(Path(self.python).parent), os.environ.get("PATH", "")))
        return {**names, "PATH": path, "CUDA_HOME": str(self.toolkit), "CUDA_PATH": str(self.toolkit),
                "CUDACXX": str(self.toolkit / "bin" / "nvcc"), "CUDAARCHS": f"{self.options.ptx}-virtual",
                "CMAKE_BUILD_PARALLEL_LEVEL": str(self.options.jobs), "MAX_JOBS": str(self.options.jobs)}

    def pip(self, *words, **variables):
        self.run([self.python, "-m", "pip", "--disable-pip-version-check", *words], **variables)

    def wheel(self, name, *options, **variables):
        """Builds the wheel of a package of PyPI, or of the sources that were given."""
        wheels = self.work / "wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        what = self.copy_source() if self.options.source else f"{name}=={self.version}"
        self.pip("wheel", "-v", "--no-deps", "--no-cache-dir", "--no-binary", name, "-w", wheels, *options, what, **variables)
        return next(wheels.glob("*.whl"))

    def install(self, wheel):
        """Installs a wheel in place of the distributions that have the same files."""
        if self.environment["versions"]:
            self.pip("uninstall", "-y", *self.environment["versions"])
        self.pip("install", wheel)

    def copy_source(self):
        copy = self.work / "source"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.options.source, copy, symlinks=True)
        return copy

    def clone(self, url, tag):
        """A copy of the sources that were given, or those of a tag."""
        if self.options.source:
            return self.copy_source()
        shutil.rmtree(self.work / "source", ignore_errors=True)
        self.run(["git", "clone", "--depth", "1", "--branch", tag, "--recurse-submodules", "--shallow-submodules", url,
                  self.work / "source"])
        return self.work / "source"

    def finish(self, libraries):
        """Holds the libraries against what was to be built: each has cupipe's runtime, or loads a shared one."""
        libraries = list(libraries)
        for file in libraries:
            contents = file.read_bytes()
            if not any(mark in contents for mark in MARKS):
                raise Failure(f"{file} is built, but without cupipe's runtime; see {self.log}")
        if not libraries:
            raise Failure(f"{self.recipe.TITLE} is built, but none of its libraries are where they were expected; see {self.log}")
        print(f"{self.recipe.TITLE} is built and installed for {self.python}. Run programs with: cupipe run {self.python}")

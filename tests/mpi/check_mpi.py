#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks of MPI, each with a cupipe of its own, pass device pointers to MPI: on one host, or on two that are network
namespaces with a cable between them.

usage: check_mpi.py one-host|two-hosts LIBRARY_FOLDER MPI_HEAT HEAT_PTX EXCHANGE

It needs Open MPI, and for two hosts the rights to make namespaces; where they are missing it says so and skips (77).
CUPIPE_TEST_UCX may name the folder of a libucp.so.0 that has the CUDA transports (docs/MPI.md): that one is used, too.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
WHERE, LIBRARY, HEAT, PTX, EXCHANGE = sys.argv[1:6]
SECONDS = 200
# Open MPI prefers UCX for certain network cards alone, unless told otherwise.
UCX = ["--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"]
OWN, TCP = ["--mca", "pml", "ob1"], ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
NO_LEAK = "CUPIPE_CHECK: 0 left behind"
SMALL = ["128", "128", "50"]
failures = []


def quiet(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIP)


def check(title, result, wanted):
    good = result.returncode == 0 and wanted in result.stdout
    # Neither UCX nor the checks of cupipe have anything to say.
    said = result.stdout.replace(NO_LEAK, "")
    good = good and not any(word in said for word in ("CUPIPE_CHECK", "WARN", "ERROR"))
    print("ok:" if good else "not ok:", title)
    if not good:
        failures.append(title)
        print(f"status {result.returncode}, wanted {wanted}\n{result.stdout}")


class OneHost:
    """Runs everything here."""
    hosts = 1

    def words(self, ranks):
        return ["mpirun", "--oversubscribe", "-n", str(ranks)]

    def close(self):
        pass


class TwoHosts:
    """Two namespaces with a cable between them. Each has its own network, host name, processes and shared memory, so that
    nothing but the cable leads from one to the other. The agent does what ssh does elsewhere: it runs a command on a host."""
    hosts = 2
    AGENT = """#!/bin/sh
host=$1
shift
exec ip netns exec "{name}-${{host##*.}}" unshare --uts --ipc --pid --fork --kill-child --mount-proc \\
    sh -c 'hostname "$0"; sh -c "$*"' "{name}-${{host##*.}}" "$@"
"""

    def __init__(self, folder):
        self.name = f"cupipe-{os.getpid()}"
        self.addresses = [f"198.18.{os.getpid() % 250}.{i}" for i in (1, 2)]
        self.agent = folder / "agent"
        self.agent.write_text(self.AGENT.format(name=self.name))
        self.agent.chmod(0o755)

    def open(self):
        """None, or why there are no namespaces."""
        names = [f"{self.name}-{i}" for i in (1, 2)]
        steps = [["netns", "add", name] for name in names]
        steps += [["link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1]]]
        for name, address in zip(names, self.addresses):
            steps += [["-n", name, "addr", "add", f"{address}/24", "dev", "cable"]]
            steps += [["-n", name, "link", "set", link, "up"] for link in ("cable", "lo")]
        for step in steps:
            result = quiet("ip", *step)
            if result.returncode:
                return f"ip {' '.join(step)}: {result.stdout.strip()}"
        probe = quiet(self.agent, self.addresses[0], "hostname")
        return None if probe.stdout.strip() == names[0] else f"unshare: {probe.stdout.strip()}"

    def words(self, ranks):
        hosts = ",".join(f"{address}:{ranks // 2}" for address in self.addresses)
        return [self.agent, self.addresses[0], "mpirun", "--mca", "plm_rsh_agent", self.agent, "-H", hosts, "-n", ranks]

    def close(self):
        for i in (1, 2):
            quiet("ip", "netns", "delete", f"{self.name}-{i}")


def mpirun(place, ranks, options, program, first="", **variables):
    """Runs a program on so many ranks; `first` is a folder of libraries before cupipe's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUPIPE_", "UCX_", "LD_"))}
    environment.update(LD_LIBRARY_PATH=f"{first}:{LIBRARY}" if first else LIBRARY, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **variables)
    passed = [word for name in variables for word in ("-x", name)]
    words = ["timeout", "-k", "5", SECONDS, *place.words(ranks), *options, *passed, *program]
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment)


def heat(place, title, ranks, options, **more):
    result = mpirun(place, ranks, options, [HEAT, PTX, *SMALL], **more)
    check(f"heat, {title}, {ranks} ranks", result, f"{ranks} ranks on {place.hosts} hosts")
    check(f"heat, {title}, {ranks} ranks: bit by bit", result, " 0 wrong cells")


def exchange(place, title, ranks, options, *arguments, **more):
    result = mpirun(place, ranks, options, [EXCHANGE, *arguments], **more)
    check(f"exchange, {title}, {ranks} ranks", result, f"{ranks} ranks on {place.hosts} hosts: 0 of")


def check_all(place):
    for ranks in (2, 4):
        heat(place, "by default", ranks, [])
        exchange(place, "by Open MPI's own transports", ranks, OWN)
    if place.hosts == 1:
        exchange(place, "one-sided", 2, OWN, "windows")
        exchange(place, "by TCP", 2, TCP)
        exchange(place, "two devices", 2, OWN, CUPIPE_DEVICES="2")
    exchange(place, "memory checked", 2, OWN, CUPIPE_CHECK="memory,leaks")
    exchange(place, "lazily", 2, OWN, CUPIPE_SCHEDULE="lazy")
    if "MCA pml: ucx" in quiet("ompi_info").stdout:
        exchange(place, "by UCX", 4, UCX)
    folder = os.environ.get("CUPIPE_TEST_UCX")
    if folder:
        exchange(place, "by UCX with CUDA", 4, UCX, first=folder)
        exchange(place, "by UCX with CUDA, staged", 2, UCX, first=folder, UCX_TLS="cuda_copy,tcp,self")
        heat(place, "by UCX with CUDA", 4, UCX, first=folder)


def main():
    if not os.access(HEAT, os.X_OK):
        skip("there was no MPI when cupipe was configured (packages openmpi-bin, libopenmpi-dev)")
    if not shutil.which("mpirun") or "Open MPI" not in quiet("mpirun", "--version").stdout:
        skip("mpirun is not there, or not Open MPI's (package openmpi-bin)")
    with tempfile.TemporaryDirectory() as scratch:
        place = OneHost()
        if WHERE == "two-hosts":
            if os.geteuid() != 0:
                skip("only root makes network namespaces")
            if not shutil.which("ip"):
                skip("ip is not there (package iproute2)")
            place = TwoHosts(Path(scratch))
        try:
            reason = place.open() if WHERE == "two-hosts" else None
            if reason:
                skip(f"no network namespaces here: {reason}")
            check_all(place)
        finally:
            place.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program with CUPIPE_TRACE and reads the trace as a viewer would.

    check_trace.py TRACE_PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(program, path, *arguments):
    environment = dict(os.environ, CUPIPE_TRACE=str(path))
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=60)


def events_of(text):
    events = json.loads(text)
    for event in events:
        assert {"name", "ph", "pid", "tid"} <= event.keys(), event
        if event["ph"] == "X":
            assert event["ts"] > 0 and event["dur"] >= 0, event
    return events


def calls(events, name):
    found = [e for e in events if e["ph"] == "X" and e["name"] == name]
    assert found, f"no {name} in the trace"
    return found


def check_calls(events):
    pid = calls(events, "cuInit")[0]["pid"]
    assert calls(events, "cuInit")[0]["args"] == {"result": "CUDA_SUCCESS", "Flags": 0}
    good, bad = calls(events, "cuMemAlloc_v2")
    assert good["args"]["result"] == "CUDA_SUCCESS" and good["args"]["bytesize"] == 4096
    assert good["args"]["dptr"].startswith("0x") and int(good["args"]["*dptr"], 16) > 0
    assert bad["args"]["result"] == "CUDA_ERROR_INVALID_VALUE" and "*dptr" not in bad["args"]
    copy = calls(events, "cuMemcpyHtoD_v2")[0]["args"]
    assert copy["dstDevice"] == good["args"]["*dptr"] and copy["ByteCount"] == 4096
    assert calls(events, "cuGetProcAddress_v2")[0]["args"]["symbol"] == 'cuNo"Such\n'
    stream = calls(events, "cuStreamCreate")[0]["args"]["*phStream"]
    assert calls(events, "cuStreamSynchronize")[0]["args"]["hStream"] == stream
    assert len({call["tid"] for call in calls(events, "cuCtxSetCurrent")}) == 2
    assert not [e for e in events if e["name"] == "cuDriverGetVersion"], "the child wrote"
    return pid


def check_rows(events, pid):
    """Every row and every process has a name, and device work has its own."""
    names = {(e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else None): e["args"]["name"]
             for e in events if e["ph"] == "M" and e["name"] in ("process_name", "thread_name")}
    for event in events:
        if event["ph"] == "X":
            assert ("process_name", event["pid"], None) in names, event
            assert ("thread_name", event["pid"], event["tid"]) in names, event
    work = [e for e in events if e["ph"] == "X" and e["pid"] != pid]
    assert work, "no device work in the trace"
    for event in work:
        assert names["process_name", event["pid"], None] == "cupipe device 0"
        assert names["thread_name", event["pid"], event["tid"]].startswith("stream ")
    assert any(e.get("args", {}).get("bytes") == 4096 for e in work), work


def check_complete(program, folder):
    result = run(program, folder / "trace-%p.json")
    assert result.returncode == 0, result
    files = list(folder.glob("trace-*.json"))
    assert len(files) == 1, files
    events = events_of(files[0].read_text())
    pid = check_calls(events)
    assert files[0].name == f"trace-{pid}.json"
    check_rows(events, pid)


def check_graph(program, folder):
    """The nodes of a graph lie within its launch, in rows of its stream; no two in one row overlap."""
    path = folder / "graph.json"
    result = run(program, path, "graph")
    assert result.returncode == 0, result
    events = events_of(path.read_text())
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    graph, = [e for e in events if e["name"] == "graph"]
    assert graph["args"] == {"nodes": 3}, graph
    stream = names[graph["pid"], graph["tid"]]
    ours = [e for e in events if e["ph"] == "X" and e is not graph and e["pid"] == graph["pid"]
            and names[e["pid"], e["tid"]].split(",")[0] == stream]
    assert sorted(e["name"] for e in ours) == ["fill", "host function", "host function"], ours
    for event in ours:
        assert graph["ts"] <= event["ts"], (graph, event)
        assert event["ts"] + event["dur"] <= graph["ts"] + graph["dur"] + 0.001, (graph, event)
    rows = {names[e["pid"], e["tid"]] for e in ours if e["name"] == "host function"}
    assert rows == {stream, stream + ", branch 1"}, rows
    timeline = pathlib.Path(__file__).parents[2] / "scripts" / "timeline.py"
    svg = folder / "graph.svg"
    drawn = subprocess.run([sys.executable, timeline, path, "--svg", svg], capture_output=True, text=True)
    assert drawn.returncode == 0 and stream + ", branch 1" in drawn.stdout, drawn
    assert "<title>graph\n" in svg.read_text() and svg.read_text().count("<title>host function\n") == 2


def check_structures(program, folder):
    """Structures appear by member: unions by what selects them, enumerations by name, arrays by length."""
    path = folder / "structures.json"
    result = run(program, path, "structures")
    assert result.returncode == 0, result
    events = events_of(path.read_text())

    def structures(name, argument):
        return [e["args"]["*" + argument] for e in calls(events, name)]

    wild, listed, long = structures("cuOccupancyMaxActiveClusters", "config")
    assert wild["gridDimX"] == 7 and wild["attrs"] == ["unreadable"], wild
    assert [a["value"] for a in listed["attrs"]] == [{"clusterDim": {"x": 2, "y": 3, "z": 4}}, {"priority": -5}]
    assert listed["attrs"][0]["id"] == "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION", listed
    assert len(long["attrs"]) == 9 and long["attrs"][8] == "...", long
    refused, made = structures("cuArray3DCreate_v2", "pAllocateArray")
    assert refused == "unreadable", refused
    assert made == {"Width": 32, "Height": 16, "Depth": 0, "Format": "CU_AD_FORMAT_FLOAT", "NumChannels": 1, "Flags": 0}
    assert structures("cuArray3DGetDescriptor_v2", "pArrayDescriptor") == [made]
    array = calls(events, "cuArray3DCreate_v2")[1]["args"]["*pHandle"]
    resource, unknown = structures("cuTexObjectCreate", "pResDesc")
    assert resource == {"resType": "CU_RESOURCE_TYPE_ARRAY", "res": {"array": {"hArray": array}}, "flags": 0}, resource
    assert unknown["resType"] == 77 and set(unknown["res"]) <= set("0123456789abcdef."), unknown
    texture = structures("cuTexObjectCreate", "pTexDesc")[0]
    assert texture["filterMode"] == "CU_TR_FILTER_MODE_LINEAR" and texture["borderColor"] == [0.5, 0, 0, 0], texture
    pool, = structures("cuMemPoolCreate", "poolProps")
    assert pool["location"] == {"type": "CU_MEM_LOCATION_TYPE_DEVICE", "id": 0} and "reserved" not in pool, pool
    operations, = structures("cuStreamBatchMemOp_v2", "paramArray")
    assert operations[0]["writeValue"]["value"] == 41 and "value64" not in operations[0]["writeValue"], operations
    assert operations[1]["writeValue"]["value64"] == 42, operations
    reduction = operations[2]["atomicReduction"]
    assert reduction["reductionOp"] == "CU_STREAM_ATOMIC_REDUCTION_OP_OR" and reduction["value"] == 43, reduction
    assert structures("cuStreamSetAttribute", "value") == [{"syncPolicy": "CU_SYNC_POLICY_YIELD"}]
    node, = structures("cuGraphAddNode_v2", "nodeParams")
    assert node["type"] == "CU_GRAPH_NODE_TYPE_HOST" and int(node["host"]["fn"], 16), node
    assert node["host"]["syncMode"] == 1 and int(node["host"]["ctx"], 16), node
    assert structures("cuGraphNodeGetParams", "nodeParams") == [node]
    attribute = calls(events, "cuStreamSetAttribute")[0]["args"]["attr"]
    assert attribute == "CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY", attribute


def check_killed(program, folder):
    """The file of a killed process lacks its end only."""
    path = folder / "killed.json"
    result = run(program, path, "kill")
    assert result.returncode == -9, result
    events = events_of(path.read_text() + "]")
    calls(events, "cuMemAlloc_v2")


def check_impossible(program, folder):
    path = folder / "no" / "such" / "folder"
    result = run(program, path)
    assert result.returncode == 3 and str(path) in result.stderr, result


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for check in (check_complete, check_graph, check_structures, check_killed, check_impossible):
            check(sys.argv[1], folder)
            print(f"ok {check.__name__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

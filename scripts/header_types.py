# SPDX-License-Identifier: MIT
"""Structures, unions and enumerations of the public headers, as the tables of src/core/type.h.

scripts/entrypoints.py uses it: Types reads the declarations, TypeTable takes in the types that
parameters have, with what they contain, and writes types.c. The compiler supplies offsets, sizes and
values. What the headers do not say stands in the tables below: which member of a union is valid, and
how many structures a pointer points to.
"""

import dataclasses
import re

# The member that selects the member of a union, and the values for which each one is valid. The names
# are those of the structures without their versions. "": the union begins with its own selector. None with
# the value 0: nothing selects, and this member shows what all of them are.
SELECTORS = {
    "CUexecAffinityParam.param": ("type", {"smCount": ["CU_EXEC_AFFINITY_TYPE_SM_COUNT"]}),
    "CUdevResource.": ("type", {
        "sm": ["CU_DEV_RESOURCE_TYPE_SM"], "wqConfig": ["CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG"],
        "wq": ["CU_DEV_RESOURCE_TYPE_WORKQUEUE"]}),
    "CUlogicalEndpointProp.": ("type", {
        "unicast": ["CU_LOGICAL_ENDPOINT_TYPE_UNICAST"], "multicast": ["CU_LOGICAL_ENDPOINT_TYPE_MULTICAST"]}),
    "CUmemLocation.": ("type", {
        "id": ["CU_MEM_LOCATION_TYPE_NONE", "CU_MEM_LOCATION_TYPE_DEVICE", "CU_MEM_LOCATION_TYPE_HOST",
               "CU_MEM_LOCATION_TYPE_HOST_NUMA", "CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT",
               "CU_MEM_LOCATION_TYPE_INVISIBLE"],
        "localized": ["CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN"]}),
    "CUarrayMapInfo.resource": ("resourceType", {
        "mipmap": ["CU_RESOURCE_TYPE_MIPMAPPED_ARRAY"], "array": ["CU_RESOURCE_TYPE_ARRAY"]}),
    "CUarrayMapInfo.subresource": ("subresourceType", {
        "sparseLevel": ["CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL"],
        "miptail": ["CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL"]}),
    "CUarrayMapInfo.memHandle": ("memHandleType", {"memHandle": ["CU_MEM_HANDLE_TYPE_GENERIC"]}),
    "CUmemcpy3DOperand.op": ("type", {
        "ptr": ["CU_MEMCPY_OPERAND_TYPE_POINTER"], "array": ["CU_MEMCPY_OPERAND_TYPE_ARRAY"]}),
    "CUDA_RESOURCE_DESC.res": ("resType", {
        "array": ["CU_RESOURCE_TYPE_ARRAY"], "mipmap": ["CU_RESOURCE_TYPE_MIPMAPPED_ARRAY"],
        "linear": ["CU_RESOURCE_TYPE_LINEAR"], "pitch2D": ["CU_RESOURCE_TYPE_PITCH2D"]}),
    "CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle": ("type", {
        "fd": ["CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD"],
        "win32": ["CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32", "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT",
                  "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP", "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE",
                  "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE",
                  "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT"],
        "nvSciBufObject": ["CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF"]}),
    "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle": ("type", {
        "fd": ["CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD",
               "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD"],
        "win32": ["CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32",
                  "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT",
                  "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE",
                  "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE",
                  "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX",
                  "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT",
                  "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32"],
        "nvSciSyncObj": ["CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC"]}),
    "CUstreamBatchMemOpParams": ("", {
        "waitValue": ["CU_STREAM_MEM_OP_WAIT_VALUE_32", "CU_STREAM_MEM_OP_WAIT_VALUE_64"],
        "writeValue": ["CU_STREAM_MEM_OP_WRITE_VALUE_32", "CU_STREAM_MEM_OP_WRITE_VALUE_64"],
        "flushRemoteWrites": ["CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES"],
        "memoryBarrier": ["CU_STREAM_MEM_OP_BARRIER"],
        "atomicReduction": ["CU_STREAM_MEM_OP_ATOMIC_REDUCTION"]}),
    "CUstreamBatchMemOpParams.waitValue.": ("operation", {
        "value": ["CU_STREAM_MEM_OP_WAIT_VALUE_32"], "value64": ["CU_STREAM_MEM_OP_WAIT_VALUE_64"]}),
    "CUstreamBatchMemOpParams.writeValue.": ("operation", {
        "value": ["CU_STREAM_MEM_OP_WRITE_VALUE_32"], "value64": ["CU_STREAM_MEM_OP_WRITE_VALUE_64"]}),
    "CUlaunchAttribute.value": ("id", {}),
    "CUlaunchAttributeValue": (None, {
        "accessPolicyWindow": ["CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW"],
        "cooperative": ["CU_LAUNCH_ATTRIBUTE_COOPERATIVE"],
        "syncPolicy": ["CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY"],
        "clusterDim": ["CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"],
        "clusterSchedulingPolicyPreference": ["CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE"],
        "programmaticStreamSerializationAllowed": ["CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION"],
        "programmaticEvent": ["CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT"],
        "launchCompletionEvent": ["CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT"],
        "priority": ["CU_LAUNCH_ATTRIBUTE_PRIORITY"],
        "memSyncDomainMap": ["CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP"],
        "memSyncDomain": ["CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN"],
        "preferredClusterDim": ["CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION"],
        "deviceUpdatableKernelNode": ["CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE"],
        "sharedMemCarveout": ["CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT"],
        "nvlinkUtilCentricScheduling": ["CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING"],
        "portableClusterSizeMode": ["CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE"],
        "sharedMemoryMode": ["CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE"]}),
    "CUgraphNodeParams.": ("type", {
        "kernel": ["CU_GRAPH_NODE_TYPE_KERNEL"], "memcpy": ["CU_GRAPH_NODE_TYPE_MEMCPY"],
        "memset": ["CU_GRAPH_NODE_TYPE_MEMSET"], "host": ["CU_GRAPH_NODE_TYPE_HOST"],
        "graph": ["CU_GRAPH_NODE_TYPE_GRAPH"], "eventWait": ["CU_GRAPH_NODE_TYPE_WAIT_EVENT"],
        "eventRecord": ["CU_GRAPH_NODE_TYPE_EVENT_RECORD"],
        "extSemSignal": ["CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL"],
        "extSemWait": ["CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT"], "alloc": ["CU_GRAPH_NODE_TYPE_MEM_ALLOC"],
        "free": ["CU_GRAPH_NODE_TYPE_MEM_FREE"], "memOp": ["CU_GRAPH_NODE_TYPE_BATCH_MEM_OP"],
        "conditional": ["CU_GRAPH_NODE_TYPE_CONDITIONAL"]}),
    "CUDA_HOST_NODE_PARAMS.": (None, {"ctx": ["0"]}),
    "CUDA_EVENT_RECORD_NODE_PARAMS.": (None, {"ctx": ["0"]}),
    "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.": (None, {"ctx": ["0"]}),
    "CUDA_EXT_SEM_WAIT_NODE_PARAMS.": (None, {"ctx": ["0"]}),
    "CUeglFrame.frame": ("frameType", {
        "pArray": ["CU_EGL_FRAME_TYPE_ARRAY"], "pPitch": ["CU_EGL_FRAME_TYPE_PITCH"]}),
}

# The member or parameter that counts the structures behind a pointer; the first that is passed by value.
COUNTS = {
    "accessDescs": ["accessDescCount"], "attrs": ["numAttrs"], "dependencyData": ["numDependencies"],
    "edgeData": ["numDependencies"], "execAffinityParams": ["numExecAffinityParams"],
    "launchParamsList": ["numDevices"], "map": ["count"], "mapInfoList": ["count"], "opList": ["numOps"],
    "paramArray": ["count"], "paramsArray": ["numExtSems", "numParams", "count"],
    "prefetchLocs": ["numPrefetchLocs"], "resources": ["nbResources"], "result": ["nbGroups"],
    "desc": ["count"],
}
# Not an array here, although the name is one of COUNTS.
SINGLE = {"cuTexRefSetAddress2D.desc"}

RESERVED = re.compile(r"reserved\d*$|pad(ding)?$|_")


@dataclasses.dataclass
class Member:
    type: str  # without const; ends with * for pointers
    name: str  # "": an anonymous union
    count: str = ""  # the C expression of its length; "": not an array
    body: object = None  # of a structure or union that has no name of its own


@dataclasses.dataclass
class Declaration:
    form: str  # enum, struct or union
    members: list  # names of constants, or Member


class Types:
    """Every declaration of the headers by its name, and the names that are other names for one."""

    def __init__(self):
        self.declarations = {}
        self.aliases = {}

    def read(self, text):
        for match in re.finditer(r"\btypedef\s+(enum|struct|union)\b[^;{}()]*\{", text):
            body, end = body_of(text, match.end())
            name = re.match(r"\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)", text[end:])
            if name:
                self.declarations.setdefault(name[1], declaration_of(match[1], body))
        for match in re.finditer(r"\btypedef\s+(?:enum\s+)?(\w+)\s+(\w+)\s*;", text):
            self.aliases.setdefault(match[2], match[1])

    def resolve(self, name):
        """The name that has a declaration, or None."""
        while name not in self.declarations and name in self.aliases:
            name = self.aliases[name]
        return name if name in self.declarations else None


def body_of(text, start):
    depth, end = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start:end - 1], end


def declaration_of(form, body):
    if form == "enum":
        return Declaration(form, re.findall(r"(?:^|,)\s*(\w+)\s*(?==|,|$)", re.sub(r"=[^,]*", "", body)))
    return Declaration(form, list(members_of(body)))


def members_of(body):
    position = 0
    while match := re.compile(r"\s*(?:(struct|union)\b\s*\w*\s*\{|([^;{}]+);)").match(body, position):
        position = match.end()
        if match[1]:
            inner, position = body_of(body, position)
            tail = re.compile(r"\s*(\w*)\s*(?:\[(\w+)\])?\s*;").match(body, position)
            position = tail.end()
            yield Member("", tail[1], tail[2] or "", declaration_of(match[1], inner))
        else:
            yield plain_member(match[2])


def plain_member(text):
    pointer = re.match(r".*\(\s*(?:CUDA_CB\s*)?\*\s*(\w+)\s*\)\s*\(", text, flags=re.S)
    if pointer:
        return Member("void *", pointer[1])
    match = re.match(r"(.*?)(\w+)\s*(?:\[(.*)\])?\s*$", text, flags=re.S)
    kind = re.sub(r"\bconst\b|\bstruct\b|\benum\b", "", match[1])
    return Member(" ".join(kind.replace("*", " * ").split()), match[2], match[3] or "")


def unversioned(name):
    return re.sub(r"_v\d+$", "", name)


class TypeTable:
    """The types that parameters have, numbered in the order in which they were asked for."""

    def __init__(self, types, kind_of):
        self.types = types
        self.kind_of = kind_of  # the kind of a scalar's name
        self.numbers = {}
        self.rows = ["    {CUP_TYPE_STRUCT, 0, 0, 0, false}, /* CUP_TYPE_NONE */"]
        self.constants = []
        self.members = []
        self.pool = {"": 0}
        self.pool_bytes = 1

    def number(self, name):
        """The index of the type that goes by this name; 0: it is not a type of the tables."""
        name = self.types.resolve(name)
        if not name:
            return 0
        if name not in self.numbers:
            self.add(name, self.types.declarations[name], name, "", unversioned(name))
        return self.numbers[name]

    def form(self, name):
        name = self.types.resolve(name)
        return self.types.declarations[name].form if name else None

    def text(self, string):
        if string not in self.pool:
            self.pool[string] = self.pool_bytes
            self.pool_bytes += len(string) + 1
        return self.pool[string]

    def add(self, key, declaration, root, path, label):
        """`root` and `path` say where the compiler finds it, `label` how SELECTORS names it."""
        number = self.numbers[key] = len(self.rows)
        self.rows.append(None)
        own_key = False
        if declaration.form == "enum":
            first, size = len(self.constants), f"sizeof({root})"
            self.constants += [f"    {{(int32_t){name}, {self.text(name)}}}," for name in declaration.members]
            count = len(declaration.members)
        else:
            rows = list(self.rows_of(declaration, root, path, label))
            first, count = len(self.members), len(rows)
            self.members += rows
            size = f"sizeof({place(root, path)})"
            own_key = SELECTORS.get(label, (None,))[0] == ""
        self.rows[number] = (f"    {{CUP_TYPE_{declaration.form.upper()}, {first}, {count}, {size}, "
                             f"{'true' if own_key else 'false'}}}, /* {key} */")
        return number

    def rows_of(self, declaration, root, path, label):
        valid = SELECTORS.get(label, (None, {}))[1] if declaration.form == "union" else None
        names = [member.name for member in declaration.members]
        for member in declaration.members:
            if valid is None:
                yield self.row(member, names, root, path, label, "0")
            for constant in (valid or {}).get(member.name, ()):
                yield self.row(member, names, root, path, label, constant)

    def row(self, member, names, root, path, label, selector):
        where = f"{path}.{member.name}" if path and member.name else path or member.name
        inner = f"{label}.{member.name}"
        kind, number, key = self.describe(member, names, root, where, inner)
        if member.body is not None and not member.name:
            first = member.body.members[0].name
            offset = f"offsetof({root}, {path + '.' if path else ''}{first})"
            size = "0"  # its members have theirs
        else:
            offset = f"offsetof({root}, {where})"
            size = f"sizeof({place(root, where)})"
        if path:
            offset += f" - offsetof({root}, {path})"
        count = member.count
        if count and kind == "BYTES":
            count = ""
        elif count:
            size = f"sizeof({place(root, where)}[0])"
        reserved = "true" if RESERVED.match(member.name) else "false"
        return (f"    {{{self.text(member.name)}, {offset}, {size}, {count or 0}, {number}, {key}, "
                f"CUP_ARGUMENT_{kind}, {reserved}, {selector}}}, /* {inner} */")

    def describe(self, member, names, root, where, label):
        """The kind of a member, the number of its type, and 1 + the index of its key."""
        selector = SELECTORS.get(label, (None,))[0]
        key = 1 + names.index(selector) if selector else 0
        if member.body is not None:
            return "STRUCT", self.add(f"{root}.{where}#{len(self.rows)}", member.body, root, where, label), key
        if member.type.endswith("*"):
            count = next((name for name in COUNTS.get(member.name, ()) if name in names), None)
            number = self.number(member.type[:-1].strip()) if count else 0
            return "POINTER", number, 1 + names.index(count) if number else 0
        if member.type in ("char", "unsigned char") and member.count:
            return "BYTES", 0, 0
        kind = self.kind_of(member.type)
        form = self.form(member.type)
        if kind == "RESULT" or not form:
            return ("ENUM", self.number(member.type), 0) if kind == "RESULT" and form else (kind, 0, 0)
        return "ENUM" if form == "enum" else "STRUCT", self.number(member.type), key

    def source(self):
        """The text of types.c after its head."""
        lines = ["#include \"core/call.h\"", "#include \"core/type.h\"", "", "#include <stddef.h>", "",
                 "const char cup_type_names[] ="]
        lines += [f'    "{name}\\0"' for name in self.pool] + ["    ;", "", "const struct cup_type cup_types[] = {"]
        lines += self.rows + ["};", "", "const struct cup_type_constant cup_type_constants[] = {"]
        lines += self.constants + ["};", "", "const struct cup_type_member cup_type_members[] = {"]
        lines += self.members + ["};", ""]
        lines += [f"_Static_assert(sizeof({name}) <= CUP_TYPE_BYTES, \"{name}\");" for name in self.numbers
                  if "#" not in name]
        return "\n".join(lines + [""])


def place(root, path):
    return f"(({root} *)0)->{path}" if path else root

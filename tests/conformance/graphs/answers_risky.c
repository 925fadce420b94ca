/* SPDX-License-Identifier: MIT */
/* Graphs, nodes and executable graphs whose handles are garbage or stale: each call has a process.
 */
#include "graphs.h"

static void CUDA_CB do_nothing(void *u)
{
    (void)u;
}

static CUgraphNode risky_node;
static size_t risky_size;
static CUgraph risky_graph;
static CUgraphExec risky_exec;
#define BAD_GRAPH ((CUgraph)bad_handle)
#define BAD_NODE ((CUgraphNode)bad_handle)
#define BAD_EXEC ((CUgraphExec)bad_handle)

RISKY_HANDLE(1000, gGetNodes, cuda.cuGraphGetNodes(BAD_GRAPH, NULL, &risky_size))

RISKY_HANDLE(1000, gGetEdges, cuda.cuGraphGetEdges(BAD_GRAPH, NULL, NULL, NULL, &risky_size))

RISKY_HANDLE(1000, gDestroy, cuda.cuGraphDestroy(BAD_GRAPH))

RISKY_HANDLE(1000, gClone, cuda.cuGraphClone(&risky_graph, BAD_GRAPH))

RISKY_HANDLE(1000, gAddEmpty, cuda.cuGraphAddEmptyNode(&risky_node, BAD_GRAPH, NULL, 0))

RISKY_HANDLE(1000, gInstantiate, cuda.cuGraphInstantiate(&risky_exec, BAD_GRAPH, 0))

RISKY_HANDLE(1000, gNodeType, cuda.cuGraphNodeGetType(BAD_NODE, (CUgraphNodeType *)risky_host))

RISKY_HANDLE(1000, gNodeDeps, cuda.cuGraphNodeGetDependencies(BAD_NODE, NULL, NULL, &risky_size))

RISKY_HANDLE(1000, gDestroyNode, cuda.cuGraphDestroyNode(BAD_NODE))

RISKY_HANDLE(1000, gKernelGet,
             cuda.cuGraphKernelNodeGetParams(BAD_NODE, (CUDA_KERNEL_NODE_PARAMS *)risky_host))

RISKY_HANDLE(1000, gMemsetGet,
             cuda.cuGraphMemsetNodeGetParams(BAD_NODE, (CUDA_MEMSET_NODE_PARAMS *)risky_host))

RISKY_HANDLE(1000, gLaunch, cuda.cuGraphLaunch(BAD_EXEC, risky_stream))

RISKY_HANDLE(1000, gUpload, cuda.cuGraphUpload(BAD_EXEC, risky_stream))

RISKY_HANDLE(1000, gExecDestroy, cuda.cuGraphExecDestroy(BAD_EXEC))

RISKY_HANDLE(1000, gExecFlags, cuda.cuGraphExecGetFlags(BAD_EXEC, (cuuint64_t *)risky_host))

RISKY_HANDLE(1000, gUserRetain, cuda.cuUserObjectRetain((CUuserObject)bad_handle, 1))

RISKY_HANDLE(1000, gUserRelease, cuda.cuUserObjectRelease((CUuserObject)bad_handle, 1))

RISKY_HANDLE(1000, gBeginCapture, cuda.cuStreamBeginCapture((CUstream)bad_handle, 2))

RISKY_HANDLE(1000, gEndCapture, cuda.cuStreamEndCapture((CUstream)bad_handle, &risky_graph))

RISKY_HANDLE(1000, gIsCapturing,
             cuda.cuStreamIsCapturing((CUstream)bad_handle, (CUstreamCaptureStatus *)risky_host))

RISKY_HANDLE(1000, gAddDepsNode,
             (risky_graph = graph_new(), risky_node = BAD_NODE,
              cuda.cuGraphAddDependencies(risky_graph, &risky_node, &risky_node, NULL, 1)))

RISKY_HANDLE(1000, gAddEmptyDep,
             (risky_graph = graph_new(), risky_node = BAD_NODE,
              cuda.cuGraphAddEmptyNode(&risky_node, risky_graph, &risky_node, 1)))

RISKY_HANDLE(1000, gChild,
             (risky_graph = graph_new(),
              cuda.cuGraphAddChildGraphNode(&risky_node, risky_graph, NULL, 0, BAD_GRAPH)))

RISKY_HANDLE(1000, gEventRecord,
             (risky_graph = graph_new(),
              cuda.cuGraphAddEventRecordNode(&risky_node, risky_graph, NULL, 0,
                                             (CUevent)bad_handle)))

RISKY_HANDLE(1000, gMemsetCtx, ({
                 CUDA_MEMSET_NODE_PARAMS m = memset_params(risky_device, 1, 4, 16, 1, 0);
                 risky_graph = graph_new();
                 cuda.cuGraphAddMemsetNode(&risky_node, risky_graph, NULL, 0, &m,
                                           (CUcontext)bad_handle);
             }))

RISKY_HANDLE(1000, gKernelFunc, ({
                 CUDA_KERNEL_NODE_PARAMS k;
                 memset(&k, 0, sizeof k);
                 k.func = (CUfunction)bad_handle;
                 k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
                 risky_graph = graph_new();
                 cuda.cuGraphAddKernelNode(&risky_node, risky_graph, NULL, 0, &k);
             }))

RISKY_HANDLE(1000, gHostFn, ({
                 CUDA_HOST_NODE_PARAMS h;
                 memset(&h, 0, sizeof h);
                 h.fn = (CUhostFn)bad_handle;
                 risky_graph = graph_new();
                 cuda.cuGraphAddHostNode(&risky_node, risky_graph, NULL, 0, &h);
             }))

RISKY_HANDLE(1000, gUpdate, ({
                 risky_graph = graph_new();
                 CUgraphExecUpdateResultInfo i;
                 memset(&i, 0, sizeof i);
                 cuda.cuGraphExecUpdate(BAD_EXEC, risky_graph, &i);
             }))

RISKY_HANDLE(1000, gSem, ({
                 CUexternalSemaphore s = (CUexternalSemaphore)bad_handle;
                 CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS sp;
                 memset(&sp, 0, sizeof sp);
                 CUDA_EXT_SEM_SIGNAL_NODE_PARAMS n;
                 memset(&n, 0, sizeof n);
                 n.extSemArray = &s;
                 n.paramsArray = &sp;
                 n.numExtSems = 1;
                 risky_graph = graph_new();
                 cuda.cuGraphAddExternalSemaphoresSignalNode(&risky_node, risky_graph, NULL, 0, &n);
             }))

/* stale handles */
static CUgraph destroyed_graph(void)
{
    CUgraph g = graph_new();
    risky_node = add_empty(g, NULL, 0);
    cuda.cuGraphDestroy(g);
    return g;
}

static CUgraphExec destroyed_exec(void)
{
    risky_graph = graph_new();
    risky_node = add_empty(risky_graph, NULL, 0);
    CUgraphExec x = instantiate(risky_graph, 0);
    if (x)
        cuda.cuGraphExecDestroy(x);
    return x;
}

RISKY(1001, staleDestroy, cuda.cuGraphDestroy(destroyed_graph()))

RISKY(1001, staleGetNodes, cuda.cuGraphGetNodes(destroyed_graph(), NULL, &risky_size))

RISKY(1001, staleClone, cuda.cuGraphClone(&risky_graph, destroyed_graph()))

RISKY(1001, staleInstantiate, cuda.cuGraphInstantiate(&risky_exec, destroyed_graph(), 0))

RISKY(1001, staleAddEmpty, cuda.cuGraphAddEmptyNode(&risky_node, destroyed_graph(), NULL, 0))

RISKY(1001, staleNodeType,
      (destroyed_graph(), cuda.cuGraphNodeGetType(risky_node, (CUgraphNodeType *)risky_host)))

RISKY(1001, staleNodeDestroy, (destroyed_graph(), cuda.cuGraphDestroyNode(risky_node)))

RISKY(1001, staleExecDestroy, cuda.cuGraphExecDestroy(destroyed_exec()))

RISKY(1001, staleExecLaunch, cuda.cuGraphLaunch(destroyed_exec(), risky_stream))

RISKY(1001, staleExecUpload, cuda.cuGraphUpload(destroyed_exec(), risky_stream))

RISKY(1001, staleExecFlags, cuda.cuGraphExecGetFlags(destroyed_exec(), (cuuint64_t *)risky_host))

RISKY(1001, staleChild,
      (risky_graph = graph_new(),
       cuda.cuGraphAddChildGraphNode(&risky_node, risky_graph, NULL, 0, destroyed_graph())))

RISKY(1001, doubleNodeDestroy, ({
          risky_graph = graph_new();
          risky_node = add_empty(risky_graph, NULL, 0);
          cuda.cuGraphDestroyNode(risky_node);
          cuda.cuGraphDestroyNode(risky_node);
      }))

RISKY(1001, destroyedNodeDep, ({
          risky_graph = graph_new();
          risky_node = add_empty(risky_graph, NULL, 0);
          cuda.cuGraphDestroyNode(risky_node);
          CUgraphNode o = 0;
          cuda.cuGraphAddEmptyNode(&o, risky_graph, &risky_node, 1);
      }))

RISKY(1001, userOverRelease, ({
          CUuserObject o = 0;
          cuda.cuUserObjectCreate(&o, risky_host, do_nothing, 1, 1);
          cuda.cuUserObjectRelease(o, 2);
      }))

RISKY(1001, userReleaseTwice, ({
          CUuserObject o = 0;
          cuda.cuUserObjectCreate(&o, risky_host, do_nothing, 1, 1);
          cuda.cuUserObjectRelease(o, 1);
          cuda.cuUserObjectRelease(o, 1);
      }))

RISKY(1001, nodesCountOnly, cuda.cuGraphGetNodes(graph_new(), (CUgraphNode *)risky_host, NULL))

RISKY(1001, eventDestroyedInst, ({
          CUevent e = 0;
          cuda.cuEventCreate(&e, 0);
          risky_graph = graph_new();
          add_event_record(risky_graph, NULL, 0, e);
          cuda.cuEventDestroy(e);
          cuda.cuGraphInstantiate(&risky_exec, risky_graph, 0);
      }))

RISKY(1001, eventDestroyedLaunch, ({
          CUevent e = 0;
          cuda.cuEventCreate(&e, 0);
          risky_graph = graph_new();
          add_event_record(risky_graph, NULL, 0, e);
          risky_exec = instantiate(risky_graph, 0);
          cuda.cuEventDestroy(e);
          cuda.cuGraphLaunch(risky_exec, risky_stream);
      }))

RISKY(1001, condHandleGarbage, ({
          CUgraphNodeParams p;
          memset(&p, 0, sizeof p);
          p.type = 13;
          p.conditional.handle = 0x1234;
          p.conditional.size = 1;
          risky_graph = graph_new();
          cuda.cuCtxGetCurrent(&p.conditional.ctx);
          cuda.cuGraphAddNode(&risky_node, risky_graph, NULL, NULL, 0, &p);
      }))

RISKY(1001, memFreedInst, ({
          CUdeviceptr d = device_alloc(4096);
          risky_graph = graph_new();
          CUDA_MEMSET_NODE_PARAMS m = memset_params(d, 1, 4, 16, 1, 0);
          CUcontext c = 0;
          cuda.cuCtxGetCurrent(&c);
          cuda.cuGraphAddMemsetNode(&risky_node, risky_graph, NULL, 0, &m, c);
          cuda.cuMemFree(d);
          cuda.cuGraphInstantiate(&risky_exec, risky_graph, 0);
      }))

RISKY(1001, captureDestroyGraph, ({
          cuda.cuStreamBeginCapture(risky_stream, 2);
          CUstreamCaptureStatus s = 0;
          CUgraph g = 0;
          cuda.cuStreamGetCaptureInfo(risky_stream, &s, NULL, &g, NULL, NULL, NULL);
          CUresult r = cuda.cuGraphDestroy(g);
          r;
      }))

RISKY(1001, extraDepsHuge,
      (risky_graph = graph_new(),
       cuda.cuGraphAddEmptyNode(&risky_node, risky_graph, (CUgraphNode *)risky_host,
                                (size_t)1 << 60)))

RISKY(1001, depsHuge,
      (risky_graph = graph_new(),
       cuda.cuGraphAddDependencies(risky_graph, (CUgraphNode *)risky_host,
                                   (CUgraphNode *)risky_host, NULL, (size_t)1 << 60)))

/* SPDX-License-Identifier: MIT */
/* The upcall tables. A part of the library includes only the parts below it. Functions of higher
 * parts that it calls are declared in its upcalls.h; this file sets them. */
#include "api/entrypoint_names.h"
#include "check/report/records.h"
#include "core/upcalls.h"
#include "device/upcalls.h"
#include "exec/exec.h"
#include "exec/services/device_runtime.h"
#include "exec/upcalls.h"
#include "graph/capture.h"
#include "graph/condition.h"
#include "graph/exec.h"
#include "interop/vulkan_device.h"
#include "memory/map.h"
#include "memory/memory.h"
#include "memory/upcalls.h"
#include "os/upcalls.h"
#include "stream/dump_request.h"
#include "stream/upcalls.h"

const struct cup_os_upcalls cup_os_upcalls = {
    .foreign_fault = cup_explain_foreign_fault,
};

const struct cup_core_upcalls cup_core_upcalls = {
    .is_entry_point = cup_entrypoint_knows,
};

const struct cup_device_upcalls cup_device_upcalls = {
    .release_memory = cup_memory_release_context,
    .release_devrt = cup_devrt_release,
    .write_output = cup_printf_flush,
    .accept_dump_requests = cup_dump_request_accept,
};

const struct cup_stream_upcalls cup_stream_upcalls = {
    .refuse_captured_work = cup_capture_refuse,
    .check_legacy = cup_capture_check_legacy,
    .end_capture = cup_capture_stream_ended,
    .is_known_memory = cup_map_allows,
};

const struct cup_memory_upcalls cup_memory_upcalls = {
    .export_form = cup_vulkan_form,
};

const struct cup_exec_upcalls cup_exec_upcalls = {
    .set_condition = cup_condition_set,
    .launch_graph = cup_graph_launch_from_kernel,
};

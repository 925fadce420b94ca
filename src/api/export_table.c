/* SPDX-License-Identifier: MIT */
/* cuGetExportTable: access to private tables. cupipe has one, for its own monitoring library; those
 * of NVIDIA's driver it does not have. */
#include "api/export_table.h"
#include "api/monitor.h"
#include "core/error.h"
#include "impl.h"

CUresult impl_cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    if (!ppExportTable || !pExportTableId)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the table, or no name of it");
    *ppExportTable = cup_api_monitor_table(pExportTableId);
    if (*ppExportTable)
        return CUDA_SUCCESS;
    cup_api_export_table_refused();
    return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no such private table");
}

/* SPDX-License-Identifier: MIT */
/* cuGetExportTable: access to private tables. cupipe has its own; those of NVIDIA's driver it does
 * not have. */
#include "api/export_table.h"
#include "core/error.h"
#include "impl.h"

#include <string.h>

static const struct cup_api_private_table *const tables[] = {
    &cup_api_monitor_table,
    &cup_api_host_work_table,
};

CUresult impl_cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    if (!ppExportTable || !pExportTableId)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the table, or no name of it");
    for (size_t i = 0; i < CUP_ARRAY_COUNT(tables); i++) {
        if (memcmp(pExportTableId, &tables[i]->id, sizeof(tables[i]->id)) != 0)
            continue;
        *ppExportTable = tables[i]->table;
        return CUDA_SUCCESS;
    }
    *ppExportTable = NULL;
    cup_api_export_table_refused();
    return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no such private table");
}

/* SPDX-License-Identifier: MIT */
/* Checks of attention, of keys and values in pages, and of products by groups: operations whose
 * tensors say where elements of others lie. */
#include "checks.h"

/* True if the tensor has at least so many indices along its first dimension, or is not there. */
static bool is_list(const struct graph_tensor *list, int64_t count)
{
    return !list || (list->storage == GRAPH_PLAIN &&
                     (list->view.type == CUDNN_DATA_INT32 || list->view.type == CUDNN_DATA_INT64) &&
                     list->view.dims[0] >= count && dnn_count(&list->view) >= count);
}

static bool has_dims(const struct graph_tensor *tensor, int64_t b, int64_t h, int64_t s, int64_t d)
{
    const int64_t dims[] = {b, h, s, d};
    bool fits = !tensor || tensor->view.rank == 4;

    for (int i = 0; i < 4 && tensor && fits; i++)
        fits = tensor->view.dims[i] == dims[i];
    return fits;
}

cudnnStatus_t graph_check_paged_load(const struct graph_content *operation)
{
    const struct dnn_tensor *container = &TENSOR(PAGED_CACHE_LOAD_CONTAINER_DESC)->view;
    const struct dnn_tensor *table = &TENSOR(PAGED_CACHE_LOAD_PAGE_TABLE_DESC)->view;
    const struct dnn_tensor *y = &TENSOR(PAGED_CACHE_LOAD_YDESC)->view;

    if (container->rank != 4 || table->rank != 4 || y->rank != 4 ||
        container->dims[1] != y->dims[1] || !container->dims[2] ||
        !is_list(TENSOR(PAGED_CACHE_LOAD_PAGE_TABLE_DESC), y->dims[0]))
        return graph_misfit(operation, "dimensions do not fit, or the table is no INT32");
    if ((container->dims[3] != y->dims[3] || table->dims[2] * container->dims[2] < y->dims[2]) &&
        (container->dims[3] != y->dims[2] || table->dims[2] * container->dims[2] < y->dims[3]))
        return graph_misfit(operation, "the pages do not hold the sequence");
    return CUDNN_STATUS_SUCCESS;
}

/* Operands of attention: q[b][h][sq][d], k[b][hk][skv][d], v[b][hv][skv][dv]. */
static bool fits_operands(const struct dnn_tensor *q, const struct dnn_tensor *k,
                          const struct dnn_tensor *v, bool paged)
{
    return q->rank == 4 && k->rank == 4 && v->rank == 4 && k->dims[1] && v->dims[1] &&
           q->dims[1] % k->dims[1] == 0 && q->dims[1] % v->dims[1] == 0 &&
           q->dims[3] == k->dims[3] && k->dims[2] == v->dims[2] &&
           (paged || (q->dims[0] == k->dims[0] && q->dims[0] == v->dims[0]));
}

/* Pages of keys and of values come together: as many in each table, and of the same size. */
static bool fits_tables(const struct graph_content *operation, const struct dnn_tensor *q,
                        const struct dnn_tensor *k)
{
    const struct graph_tensor *tables[] = {TENSOR(SDPA_FWD_PAGE_TABLE_KDESC),
                                           TENSOR(SDPA_FWD_PAGE_TABLE_VDESC)};

    if (!tables[0] && !tables[1])
        return true;
    if (!tables[0] || !tables[1] || !k->dims[2])
        return false;
    for (int i = 0; i < 2; i++)
        if (tables[i]->view.rank != 4 || !is_list(tables[i], q->dims[0]))
            return false;
    return tables[0]->view.dims[2] == tables[1]->view.dims[2];
}

static cudnnStatus_t check_backward(const struct graph_content *operation)
{
    const struct graph_tensor *q = TENSOR(SDPA_BWD_QDESC), *k = TENSOR(SDPA_BWD_KDESC);
    const struct graph_tensor *v = TENSOR(SDPA_BWD_VDESC), *o = TENSOR(SDPA_BWD_ODESC);
    const int64_t *dims = q->view.dims;

    if (!fits_operands(&q->view, &k->view, &v->view, false) ||
        !has_dims(o, dims[0], dims[1], dims[2], v->view.dims[3]) ||
        !graph_same_shape(o, TENSOR(SDPA_BWD_DODDESC)) ||
        !graph_same_shape(q, TENSOR(SDPA_BWD_DQDESC)) ||
        !graph_same_shape(k, TENSOR(SDPA_BWD_DKDESC)) ||
        !graph_same_shape(v, TENSOR(SDPA_BWD_DVDESC)) ||
        !has_dims(TENSOR(SDPA_BWD_STATSDESC), dims[0], dims[1], dims[2], 1))
        return graph_misfit(operation, "dimensions do not fit");
    if (!graph_is_number(TENSOR(SDPA_BWD_SCALEDESC)))
        return graph_misfit(operation, "the scale has no element");
    if (!is_list(TENSOR(SDPA_BWD_SEQ_LEN_QDESC), dims[0]) ||
        !is_list(TENSOR(SDPA_BWD_SEQ_LEN_KVDESC), dims[0]))
        return graph_misfit(operation, "lengths of sequences are no INT32 for each batch");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_attention(const struct graph_content *operation)
{
    const struct graph_tensor *q = TENSOR(SDPA_FWD_QDESC), *k = TENSOR(SDPA_FWD_KDESC);
    const struct graph_tensor *v = TENSOR(SDPA_FWD_VDESC);

    if (operation->kind->type == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR)
        return check_backward(operation);
    if (TENSOR(SDPA_FWD_BLOCK_MASK_DESC))
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "block masks are not supported");
    if (!fits_operands(&q->view, &k->view, &v->view, TENSOR(SDPA_FWD_PAGE_TABLE_KDESC) != NULL) ||
        !fits_tables(operation, &q->view, &k->view) ||
        !has_dims(TENSOR(SDPA_FWD_ODESC), q->view.dims[0], q->view.dims[1], q->view.dims[2],
                  v->view.dims[3]) ||
        !has_dims(TENSOR(SDPA_FWD_STATSDESC), q->view.dims[0], q->view.dims[1], q->view.dims[2], 1))
        return graph_misfit(operation, "dimensions do not fit");
    if (!graph_is_number(TENSOR(SDPA_FWD_SCALEDESC)))
        return graph_misfit(operation, "the scale has no element");
    if (!is_list(TENSOR(SDPA_FWD_SEQ_LEN_QDESC), q->view.dims[0]) ||
        !is_list(TENSOR(SDPA_FWD_SEQ_LEN_KVDESC), q->view.dims[0]))
        return graph_misfit(operation, "lengths of sequences are no INT32 for each batch");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_grouped_matmul(const struct graph_content *operation)
{
    const struct dnn_tensor *token = &TENSOR(MOE_GROUPED_MATMUL_TOKEN_DESC)->view;
    const struct dnn_tensor *weight = &TENSOR(MOE_GROUPED_MATMUL_WEIGHT_DESC)->view;
    const struct dnn_tensor *output = &TENSOR(MOE_GROUPED_MATMUL_OUTPUT_DESC)->view;

    if (graph_integer(operation, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MODE, 0, 0) !=
        CUDNN_MOE_GROUPED_MATMUL_MODE_NONE)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "gathering and scattering tokens");
    if (token->rank != 3 || weight->rank != 3 || output->rank != 3 ||
        token->dims[2] != weight->dims[1] || output->dims[2] != weight->dims[2] ||
        output->dims[1] != token->dims[1] || token->dims[0] != 1 || output->dims[0] != 1 ||
        !is_list(TENSOR(MOE_GROUPED_MATMUL_FIRST_TOKEN_OFFSET_DESC), weight->dims[0]))
        return graph_misfit(operation, "dimensions do not fit, or offsets are no INT32");
    return CUDNN_STATUS_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Keys and values in pages, and attention as one operation. */
#include "operation.h"

#include <string.h>

#define OPERAND(name) graph_operand(frame, operation, CUDNN_ATTR_OPERATION_##name, 0)

struct paged {
    struct dnn_tensor container, table, y;
    int sequence; /* y's dimension along the sequence; 5 - sequence is along the elements */
};

static char *at(const struct dnn_tensor *tensor, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t *strides = tensor->strides;

    return (char *)tensor->address +
           (size_t)(a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3]) *
               dnn_type_bytes(tensor->type);
}

/* Copies the elements of one position at once where they are neighbours on both sides. */
static bool copy_position(const struct paged *paged, int64_t batch, int64_t h, int64_t s,
                          int64_t page)
{
    const struct dnn_tensor *y = &paged->y, *container = &paged->container;

    if (y->type != container->type || container->strides[3] != 1 ||
        y->strides[5 - paged->sequence] != 1)
        return false;
    memcpy(paged->sequence == 2 ? at(y, batch, h, s, 0) : at(y, batch, h, 0, s),
           at(container, page, h, s % container->dims[2], 0),
           (size_t)container->dims[3] * dnn_type_bytes(y->type));
    return true;
}

/* One batch: position s of the sequence lies in page s / page_size of the batch's table. */
static void load_batch(void *arguments, size_t batch)
{
    const struct paged *paged = arguments;
    const struct dnn_tensor *y = &paged->y, *container = &paged->container;
    int64_t size = container->dims[2], depth = container->dims[3];

    for (int64_t s = 0; s < y->dims[paged->sequence]; s++) {
        int64_t page =
            (int64_t)dnn_get(paged->table.type, at(&paged->table, (int64_t)batch, 0, s / size, 0));
        bool there = page >= 0 && page < container->dims[0];

        for (int64_t h = 0; h < y->dims[1]; h++) {
            if (there && copy_position(paged, (int64_t)batch, h, s, page))
                continue;
            for (int64_t d = 0; d < depth; d++) {
                char *to = paged->sequence == 2 ? at(y, (int64_t)batch, h, s, d)
                                                : at(y, (int64_t)batch, h, d, s);

                dnn_set(y->type, to,
                        there ? dnn_get(container->type, at(container, page, h, s % size, d)) : 0);
            }
        }
    }
}

/* Keys come out transposed: their sequence is y's last dimension. Where both dimensions fit, the
 * strides tell: the elements of a position are neighbours. */
CUresult graph_run_paged_load(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct graph_tensor *described =
        graph_tensor_at(operation, CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_YDESC);
    struct paged paged = {
        .container = OPERAND(PAGED_CACHE_LOAD_CONTAINER_DESC),
        .table = OPERAND(PAGED_CACHE_LOAD_PAGE_TABLE_DESC),
        .y = OPERAND(PAGED_CACHE_LOAD_YDESC),
        .sequence = described->view.strides[2] == 1 && described->view.strides[3] != 1 ? 3 : 2,
    };

    if (paged.y.dims[5 - paged.sequence] != paged.container.dims[3])
        paged.sequence = 5 - paged.sequence;
    lib_parallel((size_t)paged.y.dims[0], load_batch, &paged);
    return CUDA_SUCCESS;
}

/* Where the batches of a ragged tensor begin matters no more: the frame has copied it. */
static CUresult run_backward(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct dnn_attention attention = {
        .backward = true,
        .q = OPERAND(SDPA_BWD_QDESC),
        .k = OPERAND(SDPA_BWD_KDESC),
        .v = OPERAND(SDPA_BWD_VDESC),
        .o = OPERAND(SDPA_BWD_ODESC),
        .stats = OPERAND(SDPA_BWD_STATSDESC),
        .d_o = OPERAND(SDPA_BWD_DODDESC),
        .dq = OPERAND(SDPA_BWD_DQDESC),
        .dk = OPERAND(SDPA_BWD_DKDESC),
        .dv = OPERAND(SDPA_BWD_DVDESC),
        .sequence_q = OPERAND(SDPA_BWD_SEQ_LEN_QDESC),
        .sequence_kv = OPERAND(SDPA_BWD_SEQ_LEN_KVDESC),
        .padding_mask = OPERAND(SDPA_BWD_SEQ_LEN_KVDESC).address != NULL,
        .scale = graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, 1),
    };

    return dnn_attention_run(&attention);
}

CUresult graph_run_attention(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct dnn_attention attention = {
        .q = OPERAND(SDPA_FWD_QDESC),
        .k = OPERAND(SDPA_FWD_KDESC),
        .v = OPERAND(SDPA_FWD_VDESC),
        .o = OPERAND(SDPA_FWD_ODESC),
        .stats = OPERAND(SDPA_FWD_STATSDESC),
        .table_k = OPERAND(SDPA_FWD_PAGE_TABLE_KDESC),
        .table_v = OPERAND(SDPA_FWD_PAGE_TABLE_VDESC),
        .sequence_q = OPERAND(SDPA_FWD_SEQ_LEN_QDESC),
        .sequence_kv = OPERAND(SDPA_FWD_SEQ_LEN_KVDESC),
        .padding_mask = OPERAND(SDPA_FWD_SEQ_LEN_KVDESC).address != NULL,
        .scale = graph_scalar(frame, operation, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, 1),
    };

    if (operation->kind->type == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR)
        return run_backward(frame, operation);
    return dnn_attention_run(&attention);
}

/* SPDX-License-Identifier: MIT */
/* What products check: which types go together, and which formats. */
#ifndef CUSPARSE_PRODUCT_H
#define CUSPARSE_PRODUCT_H

#include "product_run.h"

/* True if a product of such types is one of cuSPARSE. */
bool sparse_product_types(cudaDataType a, cudaDataType x, cudaDataType y, cudaDataType computed);

#endif

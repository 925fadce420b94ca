/* SPDX-License-Identifier: MIT */
/* The objects of analyses. They are of one shape and of different types. */
#ifndef CUSPARSE_INFOS_H
#define CUSPARSE_INFOS_H

#include "legacy/legacy.h"
#include "typed/typed.h"

struct sparse_info {
    struct lib_object base;
    struct sparse_pivot *pivot;
    struct sparse_boost boost;
    const void *boost_device[2]; /* tolerance and value in device memory; NULL: in `boost` */
};

extern const struct lib_object_type sparse_csric02Info_type, sparse_bsric02Info_type,
    sparse_csrilu02Info_type, sparse_bsrilu02Info_type, sparse_bsrsv2Info_type,
    sparse_bsrsm2Info_type, sparse_csru2csrInfo_type, sparse_cusparseColorInfo_type,
    sparse_pruneInfo_type;

/* The object behind a handle, or NULL. */
static inline struct sparse_info *sparse_info(const void *handle,
                                              const struct lib_object_type *type)
{
    return lib_object_is(handle, type) ? (struct sparse_info *)handle : NULL;
}

#endif

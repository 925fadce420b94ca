/* SPDX-License-Identifier: MIT */
/* Factorisations step by step: the objects of csrlu, csrqr and csrchol, which keep the factors
 * between the calls. Those for the host and for the device differ in where arrays are alone. */
#ifndef CUSOLVER_SPARSE_STEPS_H
#define CUSOLVER_SPARSE_STEPS_H

#include "sparse.h"

#include <cusolverSp_LOWLEVEL_PREVIEW.h>

struct steps {
    struct lib_object base;
    bool is_analysed, is_set, is_factored;
    struct sparse_input input; /* of the analysis; arrays are the program's */
    double complex shift;
    struct sparse_matrix matrix; /* copied by the setup of QR */
    struct sparse_lu lu;
};

/* Where the arrays of a call are. */
struct steps_place {
    cusolverSpHandle_t handle;
    const char *name;
    bool on_device;
};

/* One type of object for each name. */
extern const struct lib_object_type steps_lu_host, steps_qr_host, steps_qr, steps_chol_host,
    steps_chol;

cusolverStatus_t steps_create(const struct lib_object_type *type, void **info);
cusolverStatus_t steps_destroy(const struct lib_object_type *type, void *info);

/* The object, or NULL if it is none of the type. */
struct steps *steps_object(const struct lib_object_type *type, void *info);

cusolverStatus_t steps_analyse(cusolverSpHandle_t handle, struct steps *steps,
                               const cusparseMatDescr_t descriptor, struct sparse_input input);
cusolverStatus_t steps_sizes(cusolverSpHandle_t handle, struct steps *steps, size_t *internal,
                             size_t *work);
cusolverStatus_t steps_setup(struct steps_place place, struct steps *steps,
                             const cusparseMatDescr_t descriptor, struct sparse_input input,
                             double complex shift);
cusolverStatus_t steps_factor(struct steps_place place, struct steps *steps,
                              enum sparse_pivots pivots, double threshold);
cusolverStatus_t steps_zero_pivot(cusolverSpHandle_t handle, struct steps *steps, double tolerance,
                                  int *position);
/* The diagonal of Cholesky's factor, as numbers of the real type `type`, to device memory. */
cusolverStatus_t steps_diagonal(struct steps_place place, struct steps *steps,
                                enum openblas_type type, void *diagonal);
cusolverStatus_t steps_solve(struct steps_place place, struct steps *steps, enum openblas_type type,
                             int n, const void *b, void *x);

#endif

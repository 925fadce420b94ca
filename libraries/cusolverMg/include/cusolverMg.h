/* SPDX-License-Identifier: MIT */
/* cuSOLVER for several devices: matrices whose blocks of columns go round the devices of a grid.
 * Arrays of pointers have one for each device and stand in host memory, as results for the host
 * do. */
#ifndef CUSOLVERMG_H_
#define CUSOLVERMG_H_

#include <cusolverDn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cusolverMgContext;
typedef struct cusolverMgContext *cusolverMgHandle_t;

typedef enum {
    CUDALIBMG_GRID_MAPPING_COL_MAJOR = 0,
    CUDALIBMG_GRID_MAPPING_ROW_MAJOR = 1
} cusolverMgGridMapping_t;

typedef void *cudaLibMgGrid_t;
typedef void *cudaLibMgMatrixDesc_t;

/* Handles, grids of devices, and matrices. */
cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle);
cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle);
cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices, int deviceId[]);
cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t numRowDevices,
                                            int32_t numColDevices, const int32_t deviceId[],
                                            cusolverMgGridMapping_t mapping);
cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid);
cusolverStatus_t cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *desc, int64_t numRows,
                                            int64_t numCols, int64_t rowBlockSize,
                                            int64_t colBlockSize, cudaDataType dataType,
                                            const cudaLibMgGrid_t grid);
cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc);

/* Eigenvalues of symmetric and Hermitian matrices. */
cusolverStatus_t cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz,
                                            cublasFillMode_t uplo, int N, void *array_d_A[], int IA,
                                            int JA, cudaLibMgMatrixDesc_t descrA, void *W,
                                            cudaDataType dataTypeW, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz,
                                 cublasFillMode_t uplo, int N, void *array_d_A[], int IA, int JA,
                                 cudaLibMgMatrixDesc_t descrA, void *W, cudaDataType dataTypeW,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);

/* Triangular factors with pivots, and solutions by them. */
cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, void *array_d_A[], int IA,
                                 int JA, cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);
cusolverStatus_t cusolverMgGetrs_bufferSize(cusolverMgHandle_t handle, cublasOperation_t TRANS,
                                            int N, int NRHS, void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                            void *array_d_B[], int IB, int JB,
                                            cudaLibMgMatrixDesc_t descrB, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N,
                                 int NRHS, void *array_d_A[], int IA, int JA,
                                 cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                 void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info);

/* Cholesky factors, solutions by them, and inverses. */
cusolverStatus_t cusolverMgPotrf_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *h_info);
cusolverStatus_t cusolverMgPotrs_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n,
                                            int nrhs, void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, void *array_d_B[], int IB,
                                            int JB, cudaLibMgMatrixDesc_t descrB,
                                            cudaDataType computeType, int64_t *lwork);
cusolverStatus_t cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *h_info);
cusolverStatus_t cusolverMgPotri_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                            int64_t *lwork);
cusolverStatus_t cusolverMgPotri(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *h_info);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* NPP's types and values, of CUDA 13.0. Programs ask for the guard to learn whether NPP is used. */
#ifndef NV_NPPIDEFS_H
#define NV_NPPIDEFS_H

#include <cuda_runtime_api.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    short fp16;
} Npp16f;

typedef struct {
    short fp16_0;
    short fp16_1;
} Npp16f_2;

typedef enum {
    NPPI_INTER_UNDEFINED = 0,
    NPPI_INTER_NN = 1,
    NPPI_INTER_LINEAR = 2,
    NPPI_INTER_CUBIC = 4,
    NPPI_INTER_CUBIC2P_BSPLINE,
    NPPI_INTER_CUBIC2P_CATMULLROM,
    NPPI_INTER_CUBIC2P_B05C03,
    NPPI_INTER_SUPER = 8,
    NPPI_INTER_LANCZOS = 16,
    NPPI_INTER_LANCZOS3_ADVANCED = 17,
    NPPI_SMOOTH_EDGE = (int)0x8000000,
} NppiInterpolationMode;

typedef enum {
    NPPI_BAYER_BGGR = 0,
    NPPI_BAYER_RGGB = 1,
    NPPI_BAYER_GBRG = 2,
    NPPI_BAYER_GRBG = 3,
} NppiBayerGridPosition;

typedef enum {
    NPP_MASK_SIZE_1_X_3,
    NPP_MASK_SIZE_1_X_5,
    NPP_MASK_SIZE_3_X_1 = 100,
    NPP_MASK_SIZE_5_X_1,
    NPP_MASK_SIZE_3_X_3 = 200,
    NPP_MASK_SIZE_5_X_5,
    NPP_MASK_SIZE_7_X_7 = 400,
    NPP_MASK_SIZE_9_X_9 = 500,
    NPP_MASK_SIZE_11_X_11 = 600,
    NPP_MASK_SIZE_13_X_13 = 700,
    NPP_MASK_SIZE_15_X_15 = 800,
} NppiMaskSize;

typedef enum {
    NPP_FILTER_SOBEL,
    NPP_FILTER_SCHARR,
} NppiDifferentialKernel;

typedef enum {
    NPP_NOT_SUPPORTED_MODE_ERROR = -9999,
    NPP_INVALID_HOST_POINTER_ERROR = -1032,
    NPP_INVALID_DEVICE_POINTER_ERROR = -1031,
    NPP_LUT_PALETTE_BITSIZE_ERROR = -1030,
    NPP_ZC_MODE_NOT_SUPPORTED_ERROR = -1028,
    NPP_NOT_SUFFICIENT_COMPUTE_CAPABILITY = -1027,
    NPP_TEXTURE_BIND_ERROR = -1024,
    NPP_WRONG_INTERSECTION_ROI_ERROR = -1020,
    NPP_HAAR_CLASSIFIER_PIXEL_MATCH_ERROR = -1006,
    NPP_MEMFREE_ERROR = -1005,
    NPP_MEMSET_ERROR = -1004,
    NPP_MEMCPY_ERROR = -1003,
    NPP_ALIGNMENT_ERROR = -1002,
    NPP_CUDA_KERNEL_EXECUTION_ERROR = -1000,
    NPP_STREAM_CTX_ERROR = -215,
    NPP_ROUND_MODE_NOT_SUPPORTED_ERROR = -213,
    NPP_QUALITY_INDEX_ERROR = -210,
    NPP_RESIZE_NO_OPERATION_ERROR = -201,
    NPP_OVERFLOW_ERROR = -109,
    NPP_NOT_EVEN_STEP_ERROR = -108,
    NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR = -107,
    NPP_LUT_NUMBER_OF_LEVELS_ERROR = -106,
    NPP_CORRUPTED_DATA_ERROR = -61,
    NPP_CHANNEL_ORDER_ERROR = -60,
    NPP_ZERO_MASK_VALUE_ERROR = -59,
    NPP_QUADRANGLE_ERROR = -58,
    NPP_RECTANGLE_ERROR = -57,
    NPP_COEFFICIENT_ERROR = -56,
    NPP_NUMBER_OF_CHANNELS_ERROR = -53,
    NPP_COI_ERROR = -52,
    NPP_DIVISOR_ERROR = -51,
    NPP_CHANNEL_ERROR = -47,
    NPP_STRIDE_ERROR = -37,
    NPP_ANCHOR_ERROR = -34,
    NPP_MASK_SIZE_ERROR = -33,
    NPP_RESIZE_FACTOR_ERROR = -23,
    NPP_INTERPOLATION_ERROR = -22,
    NPP_MIRROR_FLIP_ERROR = -21,
    NPP_MOMENT_00_ZERO_ERROR = -20,
    NPP_THRESHOLD_NEGATIVE_LEVEL_ERROR = -19,
    NPP_THRESHOLD_ERROR = -18,
    NPP_CONTEXT_MATCH_ERROR = -17,
    NPP_FFT_FLAG_ERROR = -16,
    NPP_FFT_ORDER_ERROR = -15,
    NPP_STEP_ERROR = -14,
    NPP_SCALE_RANGE_ERROR = -13,
    NPP_DATA_TYPE_ERROR = -12,
    NPP_OUT_OFF_RANGE_ERROR = -11,
    NPP_DIVIDE_BY_ZERO_ERROR = -10,
    NPP_MEMORY_ALLOCATION_ERR = -9,
    NPP_NULL_POINTER_ERROR = -8,
    NPP_RANGE_ERROR = -7,
    NPP_SIZE_ERROR = -6,
    NPP_BAD_ARGUMENT_ERROR = -5,
    NPP_NO_MEMORY_ERROR = -4,
    NPP_NOT_IMPLEMENTED_ERROR = -3,
    NPP_ERROR = -2,
    NPP_ERROR_RESERVED = -1,
    NPP_NO_ERROR = 0,
    NPP_SUCCESS = NPP_NO_ERROR,
    NPP_NO_OPERATION_WARNING = 1,
    NPP_DIVIDE_BY_ZERO_WARNING = 6,
    NPP_AFFINE_QUAD_INCORRECT_WARNING = 28,
    NPP_WRONG_INTERSECTION_ROI_WARNING = 29,
    NPP_WRONG_INTERSECTION_QUAD_WARNING = 30,
    NPP_DOUBLE_SIZE_WARNING = 35,
    NPP_MISALIGNED_DST_ROI_WARNING = 10000,
} NppStatus;

typedef struct {
    int major;
    int minor;
    int build;
} NppLibraryVersion;

typedef unsigned char Npp8u;
typedef signed char Npp8s;
typedef unsigned short Npp16u;
typedef short Npp16s;
typedef unsigned int Npp32u;
typedef int Npp32s;
typedef unsigned long long Npp64u;
typedef long long Npp64s;
typedef float Npp32f;
typedef double Npp64f;
typedef struct {
    Npp8u re;
    Npp8u im;
} Npp8uc;

typedef struct {
    Npp16u re;
    Npp16u im;
} Npp16uc;

typedef struct {
    Npp16s re;
    Npp16s im;
} Npp16sc;

typedef struct {
    Npp32u re;
    Npp32u im;
} Npp32uc;

typedef struct {
    Npp32s re;
    Npp32s im;
} Npp32sc;

typedef struct {
    Npp32f re;
    Npp32f im;
} Npp32fc;

typedef struct {
    Npp64s re;
    Npp64s im;
} Npp64sc;

typedef struct {
    Npp64f re;
    Npp64f im;
} Npp64fc;

typedef enum {
    NPP_8U,
    NPP_8S,
    NPP_16U,
    NPP_16S,
    NPP_32U,
    NPP_32S,
    NPP_64U,
    NPP_64S,
    NPP_16F,
    NPP_32F,
    NPP_64F,
} NppDataType;

typedef enum {
    NPP_CH_1,
    NPP_CH_2,
    NPP_CH_3,
    NPP_CH_4,
    NPP_CH_A4,
    NPP_CH_P2,
    NPP_CH_P3,
    NPP_CH_P4,
} NppiChannels;

typedef struct {
    int x;
    int y;
} NppiPoint;

typedef struct {
    Npp32f x;
    Npp32f y;
} NppiPoint32f;

typedef struct {
    Npp64f x;
    Npp64f y;
} NppiPoint64f;

typedef struct {
    Npp32f rho;
    Npp32f theta;
} NppPointPolar;

typedef struct {
    int width;
    int height;
} NppiSize;

typedef struct {
    int x;
    int y;
    int width;
    int height;
} NppiRect;

typedef enum {
    NPP_HORIZONTAL_AXIS,
    NPP_VERTICAL_AXIS,
    NPP_BOTH_AXIS,
} NppiAxis;

typedef enum {
    NPP_CMP_LESS,
    NPP_CMP_LESS_EQ,
    NPP_CMP_EQ,
    NPP_CMP_GREATER_EQ,
    NPP_CMP_GREATER,
} NppCmpOp;

typedef enum {
    NPP_RND_NEAR,
    NPP_ROUND_NEAREST_TIES_TO_EVEN = NPP_RND_NEAR,
    NPP_RND_FINANCIAL,
    NPP_ROUND_NEAREST_TIES_AWAY_FROM_ZERO = NPP_RND_FINANCIAL,
    NPP_RND_ZERO,
    NPP_ROUND_TOWARD_ZERO = NPP_RND_ZERO,
} NppRoundMode;

typedef enum {
    NPP_BORDER_UNDEFINED = 0,
    NPP_BORDER_NONE = NPP_BORDER_UNDEFINED,
    NPP_BORDER_CONSTANT = 1,
    NPP_BORDER_REPLICATE = 2,
    NPP_BORDER_WRAP = 3,
    NPP_BORDER_MIRROR = 4,
} NppiBorderType;

typedef enum {
    NPP_ALG_HINT_NONE,
    NPP_ALG_HINT_FAST,
    NPP_ALG_HINT_ACCURATE,
} NppHintAlgorithm;

typedef enum {
    NPPI_OP_ALPHA_OVER,
    NPPI_OP_ALPHA_IN,
    NPPI_OP_ALPHA_OUT,
    NPPI_OP_ALPHA_ATOP,
    NPPI_OP_ALPHA_XOR,
    NPPI_OP_ALPHA_PLUS,
    NPPI_OP_ALPHA_OVER_PREMUL,
    NPPI_OP_ALPHA_IN_PREMUL,
    NPPI_OP_ALPHA_OUT_PREMUL,
    NPPI_OP_ALPHA_ATOP_PREMUL,
    NPPI_OP_ALPHA_XOR_PREMUL,
    NPPI_OP_ALPHA_PLUS_PREMUL,
    NPPI_OP_ALPHA_PREMUL,
} NppiAlphaOp;

typedef struct {
    int cellSize;
    int histogramBlockSize;
    int nHistogramBins;
    NppiSize detectionWindowSize;
} NppiHOGConfig;

typedef struct {
    int numClassifiers;
    Npp32s *classifiers;
    size_t classifierStep;
    NppiSize classifierSize;
    Npp32s *counterDevice;
} NppiHaarClassifier_32f;

typedef struct {
    int haarBufferSize;
    Npp32s *haarBuffer;
} NppiHaarBuffer;

typedef enum {
    nppZCR,
    nppZCXor,
    nppZCC,
} NppsZCType;

typedef enum {
    nppiDCTable,
    nppiACTable,
} NppiHuffmanTableType;

typedef enum {
    nppiNormInf = 0,
    nppiNormL1 = 1,
    nppiNormL2 = 2,
} NppiNorm;

typedef struct {
    NppiRect oBoundingBox;
    Npp32u nConnectedPixelCount;
    Npp32u aSeedPixelValue[3];
} NppiConnectedRegion;

typedef struct {
    void *pData;
    int nStep;
    NppiSize oSize;
} NppiImageDescriptor;

typedef struct {
    void *pData;
    int nBufferSize;
} NppiBufferDescriptor;

typedef struct {
    Npp32u nMarkerLabelPixelCount;
    Npp32u nContourPixelCount;
    Npp32u nContourPixelsFound;
    NppiPoint oContourFirstPixelLocation;
    NppiRect oMarkerLabelBoundingBox;
} NppiCompressedMarkerLabelsInfo;

typedef struct {
    Npp32u nMarkerLabelID;
    Npp32u nContourPixelCount;
    Npp32u nContourStartingPixelOffset;
    Npp32u nSegmentNum;
} NppiContourBlockSegment;

typedef struct {
    NppiPoint oContourOrderedGeometryLocation;
    NppiPoint oContourPrevPixelLocation;
    NppiPoint oContourCenterPixelLocation;
    NppiPoint oContourNextPixelLocation;
    Npp32s nOrderIndex;
    Npp32s nReverseOrderIndex;
    Npp32u nFirstIndex;
    Npp32u nLastIndex;
    Npp32u nNextContourPixelIndex;
    Npp32u nPrevContourPixelIndex;
    Npp8u nPixelAlreadyUsed;
    Npp8u nAlreadyLinked;
    Npp8u nAlreadyOutput;
    Npp8u nContourInteriorDirection;
} NppiContourPixelGeometryInfo;

typedef struct {
    Npp32u nMarkerLabelID;
    Npp8u nContourDirectionCenterPixel;
    Npp8u nContourInteriorDirectionCenterPixel;
    Npp8u nConnected;
    Npp8u nGeometryInfoIsValid;
    NppiContourPixelGeometryInfo oContourPixelGeometryInfo;
    NppiPoint nEast1;
    NppiPoint nNorthEast1;
    NppiPoint nNorth1;
    NppiPoint nNorthWest1;
    NppiPoint nWest1;
    NppiPoint nSouthWest1;
    NppiPoint nSouth1;
    NppiPoint nSouthEast1;
    Npp8u nTest1EastConnected;
    Npp8u nTest1NorthEastConnected;
    Npp8u nTest1NorthConnected;
    Npp8u nTest1NorthWestConnected;
    Npp8u nTest1WestConnected;
    Npp8u nTest1SouthWestConnected;
    Npp8u nTest1SouthConnected;
    Npp8u nTest1SouthEastConnected;
} NppiContourPixelDirectionInfo;

typedef struct {
    Npp32u nTotalImagePixelContourCount;
    Npp32u nLongestImageContourPixelCount;
} NppiContourTotalsInfo;

typedef enum {
    NPP_WATERSHED_SEGMENT_BOUNDARIES_NONE,
    NPP_WATERSHED_SEGMENT_BOUNDARIES_BLACK,
    NPP_WATERSHED_SEGMENT_BOUNDARIES_WHITE,
    NPP_WATERSHED_SEGMENT_BOUNDARIES_CONTRAST,
    NPP_WATERSHED_SEGMENT_BOUNDARIES_ONLY,
} NppiWatershedSegmentBoundaryType;

typedef struct {
    cudaStream_t hStream;
    int nCudaDeviceId;
    int nMultiProcessorCount;
    int nMaxThreadsPerMultiProcessor;
    int nMaxThreadsPerBlock;
    size_t nSharedMemPerBlock;
    int nCudaDevAttrComputeCapabilityMajor;
    int nCudaDevAttrComputeCapabilityMinor;
    unsigned int nStreamFlags;
    int nReserved0;
} NppStreamContext;

typedef struct {
    const void *pSrc;
    int nSrcStep;
    void *pDst;
    int nDstStep;
} NppiResizeBatchCXR;

typedef struct {
    NppiRect oSrcRectROI;
    NppiRect oDstRectROI;
} NppiResizeBatchROI_Advanced;

typedef struct {
    const void *pSrc;
    int nSrcStep;
    void *pDst;
    int nDstStep;
} NppiMirrorBatchCXR;

typedef struct {
    const void *pSrc;
    int nSrcStep;
    void *pDst;
    int nDstStep;
    Npp64f *pCoeffs;
    Npp64f aTransformedCoeffs[2][3];
} NppiWarpAffineBatchCXR;

typedef struct {
    const void *pSrc;
    int nSrcStep;
    void *pDst;
    int nDstStep;
    Npp64f *pCoeffs;
    Npp64f aTransformedCoeffs[3][3];
} NppiWarpPerspectiveBatchCXR;

typedef struct {
    const void *pSrc;
    int nSrcStep;
    void *pDst;
    int nDstStep;
    Npp32f *pTwist;
} NppiColorTwistBatchCXR;

typedef struct {
    int nPixels;
    Npp32f nMeanIntensity;
    Npp32f nStdDevIntensity;
} NppiProfileData;

#define NPP_MIN_8U (0)
#define NPP_MAX_8U (255)
#define NPP_MIN_16U (0)
#define NPP_MAX_16U (65535)
#define NPP_MIN_32U (0)
#define NPP_MAX_32U (4294967295U)
#define NPP_MIN_64U (0)
#define NPP_MAX_64U (18446744073709551615ULL)
#define NPP_MIN_8S (-127 - 1)
#define NPP_MAX_8S (127)
#define NPP_MIN_16S (-32767 - 1)
#define NPP_MAX_16S (32767)
#define NPP_MIN_32S (-2147483647 - 1)
#define NPP_MAX_32S (2147483647)
#define NPP_MAX_64S (9223372036854775807LL)
#define NPP_MIN_64S (-9223372036854775807LL - 1)
#define NPP_MINABS_32F (1.175494351e-38f)
#define NPP_MAXABS_32F (3.402823466e+38f)
#define NPP_MINABS_64F (2.2250738585072014e-308)
#define NPP_MAXABS_64F (1.7976931348623158e+308)
#define NPP_HOG_MAX_CELL_SIZE (16)
#define NPP_HOG_MAX_BLOCK_SIZE (64)
#define NPP_HOG_MAX_BINS_PER_CELL (16)
#define NPP_HOG_MAX_CELLS_PER_DESCRIPTOR (256)
#define NPP_HOG_MAX_OVERLAPPING_BLOCKS_PER_DESCRIPTOR (256)
#define NPP_HOG_MAX_DESCRIPTOR_LOCATIONS_PER_CALL (128)
#define NPP_CONTOUR_DIRECTION_SOUTH_EAST 1
#define NPP_CONTOUR_DIRECTION_SOUTH 2
#define NPP_CONTOUR_DIRECTION_SOUTH_WEST 4
#define NPP_CONTOUR_DIRECTION_WEST 8
#define NPP_CONTOUR_DIRECTION_EAST 16
#define NPP_CONTOUR_DIRECTION_NORTH_EAST 32
#define NPP_CONTOUR_DIRECTION_NORTH 64
#define NPP_CONTOUR_DIRECTION_NORTH_WEST 128
#define NPP_CONTOUR_DIRECTION_ANY_NORTH                                                            \
    NPP_CONTOUR_DIRECTION_NORTH_EAST | NPP_CONTOUR_DIRECTION_NORTH |                               \
        NPP_CONTOUR_DIRECTION_NORTH_WEST
#define NPP_CONTOUR_DIRECTION_ANY_WEST                                                             \
    NPP_CONTOUR_DIRECTION_NORTH_WEST | NPP_CONTOUR_DIRECTION_WEST | NPP_CONTOUR_DIRECTION_SOUTH_WEST
#define NPP_CONTOUR_DIRECTION_ANY_SOUTH                                                            \
    NPP_CONTOUR_DIRECTION_SOUTH_EAST | NPP_CONTOUR_DIRECTION_SOUTH |                               \
        NPP_CONTOUR_DIRECTION_SOUTH_WEST
#define NPP_CONTOUR_DIRECTION_ANY_EAST                                                             \
    NPP_CONTOUR_DIRECTION_NORTH_EAST | NPP_CONTOUR_DIRECTION_EAST | NPP_CONTOUR_DIRECTION_SOUTH_EAST

#ifdef __cplusplus
}
#endif

#endif

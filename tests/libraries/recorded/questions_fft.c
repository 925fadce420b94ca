/* SPDX-License-Identifier: MIT */
/* cuFFT: transforms of all types in one to three dimensions with layouts, sizes of work areas,
 * wrong arguments, and the calls that the shared library refuses. */
#include "recorder.h"

#include <cufft.h>
#include <cufftXt.h>

static const struct {
    cufftType type;
    const char *name;
    bool is_double, real_in, real_out;
} types[] = {
    {CUFFT_C2C, "C2C", false, false, false}, {CUFFT_Z2Z, "Z2Z", true, false, false},
    {CUFFT_R2C, "R2C", false, true, false},  {CUFFT_D2Z, "D2Z", true, true, false},
    {CUFFT_C2R, "C2R", false, false, true},  {CUFFT_Z2D, "Z2D", true, false, true},
};
enum { TYPES = sizeof(types) / sizeof(*types) };

static cufftResult execute(cufftHandle plan, int type, void *in, void *out, int direction)
{
    switch (types[type].type) {
    case CUFFT_C2C:
        return cufftExecC2C(plan, in, out, direction);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(plan, in, out, direction);
    case CUFFT_R2C:
        return cufftExecR2C(plan, in, out);
    case CUFFT_D2Z:
        return cufftExecD2Z(plan, in, out);
    case CUFFT_C2R:
        return cufftExecC2R(plan, in, out);
    default:
        return cufftExecZ2D(plan, in, out);
    }
}

/* Elements that are real numbers, of one transform. */
static size_t numbers_of(int rank, const int *n, bool is_real, bool halved)
{
    size_t count = is_real ? 1 : 2;

    for (int i = 0; i < rank; i++)
        count *= (size_t)(i == rank - 1 && halved ? n[i] / 2 + 1 : n[i]);
    return count;
}

/* The source of a transform. Spectra of real arrays have a symmetry; a constant array has it. */
static void *device_source(int type, size_t count, int batch)
{
    size_t size = types[type].is_double ? sizeof(double) : sizeof(float);
    char *source;

    if (!types[type].real_out)
        return device_numbers(types[type].is_double, count * (size_t)batch);
    source = device_zeros(count * (size_t)batch * size);
    for (int i = 0; i < batch; i++) {
        double value = random_number(4);
        float single = (float)value;

        cuMemcpyHtoD((CUdeviceptr)(uintptr_t)(source + (size_t)i * count * size),
                     types[type].is_double ? (const void *)&value : &single, size);
    }
    return source;
}

static void ask_values(void)
{
    static const int lengths[] = {1,  2,  3,  5,   7,   8,   12,  16,  17,
                                  30, 64, 97, 100, 128, 131, 243, 1000};

    for (int type = 0; type < TYPES; type++)
        for (int rank = 1; rank <= 3; rank++)
            for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
                int n[3] = {3, lengths[i], 5}, batch = 1 + (int)i % 3;
                bool halves = types[type].real_in || types[type].real_out;
                size_t in, out;
                cufftHandle plan;
                void *source, *result;

                if ((rank == 1 && lengths[i] > 1000) || (rank > 1 && lengths[i] > 131))
                    continue;
                if (rank == 1)
                    n[0] = lengths[i];
                in = numbers_of(rank, n, types[type].real_in, halves && types[type].real_out);
                out = numbers_of(rank, n, types[type].real_out, halves && types[type].real_in);
                if (!question("fft/values/%s/%d/%d", types[type].name, rank, lengths[i]))
                    continue;
                answer_status(
                    cufftPlanMany(&plan, rank, n, NULL, 1, 0, NULL, 1, 0, types[type].type, batch));
                source = device_source(type, in, batch);
                result = device_zeros(out * (size_t)batch * sizeof(double));
                answer_status(
                    execute(plan, type, source, result, i % 2 ? CUFFT_FORWARD : CUFFT_INVERSE));
                answer_device();
                answer_array(types[type].is_double, result, out * (size_t)batch);
                cufftDestroy(plan);
            }
}

static void ask_layouts(void)
{
    for (int i = 0; i < 60; i++) {
        int type, n[2], in[2], out[2], strides[2], distances[2], batch, rank;
        size_t counts[2];
        cufftHandle plan;
        void *source, *result;

        if (!question("fft/layouts/%d", i))
            continue;
        type = random_below(4); /* forward of real arrays, and complex ones */
        rank = 1 + random_below(2);
        batch = 1 + random_below(3);
        for (int k = 0; k < rank; k++) {
            n[k] = 1 + random_below(12);
            in[k] = n[k] + random_below(3);
            out[k] = (k == rank - 1 && types[type].real_in ? n[k] / 2 + 1 : n[k]) + random_below(3);
        }
        for (int side = 0; side < 2; side++) {
            const int *embed = side ? out : in;

            strides[side] = 1 + random_below(2);
            distances[side] = embed[0] * (rank > 1 ? embed[1] : 1) * strides[side];
            counts[side] = (size_t)(distances[side] * batch) *
                           (size_t)((side ? types[type].real_out : types[type].real_in) ? 1 : 2);
        }
        answer_status(cufftPlanMany(&plan, rank, n, in, strides[0], distances[0], out, strides[1],
                                    distances[1], types[type].type, batch));
        source = device_numbers(types[type].is_double, counts[0]);
        result = device_numbers(types[type].is_double, counts[1]);
        answer_status(execute(plan, type, source, result, CUFFT_FORWARD));
        answer_device();
        answer_array(types[type].is_double, result, counts[1]);
        cufftDestroy(plan);
    }
}

/* Estimates and sizes are not compared: they are a matter of the algorithm. */
static void ask_wrong(void)
{
    static const int sizes[] = {-1, 0, 1, 8, 1 << 27};
    int n[3] = {8, 8, 8};
    cufftHandle plan;

    for (int type = 0x29; type < 0x70; type += 7)
        for (size_t i = 0; i < 5; i++) {
            if (!question("fft/wrong/%x/%zu", (unsigned)type, i))
                continue;
            plan = -5;
            answer_status(cufftPlan1d(&plan, sizes[i], (cufftType)type, 1));
            answer_status(cufftPlan1d(&plan, 8, (cufftType)type, sizes[i] > 8 ? 1 : sizes[i]));
            answer_status(cufftPlan2d(&plan, sizes[i] > 8 ? 8 : sizes[i], 8, (cufftType)type));
            answer_status(cufftPlanMany(&plan,
                                        sizes[i] > 8   ? 4
                                        : sizes[i] > 3 ? 3
                                                       : sizes[i],
                                        n, NULL, 1, 0, NULL, 1, 0, (cufftType)type, 1));
        }
    if (!question("fft/wrong/handles"))
        return;
    for (int handle = -2; handle < 3; handle++) {
        answer_status(cufftDestroy(handle));
        answer_status(cufftExecC2C(handle, NULL, NULL, CUFFT_FORWARD));
        answer_status(cufftSetStream(handle, NULL));
        answer_status(cufftSetWorkArea(handle, NULL));
        answer_status(cufftSetAutoAllocation(handle, 0));
    }
}

static void ask_callbacks(void)
{
    for (int made = 0; made < 3; made++)
        for (int kind = 0; kind < 9; kind++) {
            void *functions[1] = {device_zeros(64)}, *data[1] = {NULL};
            cufftHandle plan = 777;
            size_t bytes;

            if (!question("fft/callbacks/%d/%d", made, kind))
                continue;
            if (made < 2)
                cufftCreate(&plan);
            if (made == 1)
                cufftMakePlan1d(plan, 64, CUFFT_C2C, 1, &bytes);
            answer_status(cufftXtSetCallback(plan, functions, (cufftXtCallbackType)kind, data));
            answer_status(cufftXtClearCallback(plan, (cufftXtCallbackType)kind));
            answer_status(cufftXtSetCallbackSharedSize(plan, (cufftXtCallbackType)kind, 64));
            if (made < 2)
                cufftDestroy(plan);
        }
}

const struct group fft_groups[] = {
    {"fft/values", ask_values},
    {"fft/layouts", ask_layouts},
    {"fft/wrong", ask_wrong},
    {"fft/callbacks", ask_callbacks},
    {NULL, NULL},
};

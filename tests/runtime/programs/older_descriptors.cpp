// SPDX-License-Identifier: MIT
// A program of CUDA 12: its descriptors are shorter than those of 13, and what lies behind them is
// neither read nor written. The layouts are those of 12; the program is linked with
// libcudart.so.12.
#include "check.h"
#include <cstring>
#include <cuda_runtime_api.h>

// A descriptor of 12, the beginning of that of 13, and what the program has behind it.
template <typename Whole, size_t BYTES> struct Older {
    alignas(8) unsigned char bytes[BYTES];
    unsigned char behind[sizeof(Whole)];

    Older(const Whole &whole = {})
    {
        std::memcpy(bytes, &whole, BYTES);
        std::memset(behind, 0xff, sizeof behind);
    }
    Whole *get()
    {
        return reinterpret_cast<Whole *>(bytes);
    }
    bool is_untouched() const
    {
        for (unsigned char byte : behind)
            if (byte != 0xff)
                return false;
        return true;
    }
};

using Resource = Older<cudaResourceDesc, 64>;
using View = Older<cudaResourceViewDesc, 48>;

static void check_textures(cudaArray_t array)
{
    cudaResourceDesc whole = {};
    cudaResourceViewDesc view = {};
    cudaTextureDesc settings = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    Resource got;
    View got_view;

    whole.resType = cudaResourceTypeArray;
    whole.res.array.array = array;
    view.format = cudaResViewFormatFloat1;
    view.width = view.height = 8;
    Resource resource(whole);
    View older_view(view);
    CHECK_CUDA(cudaCreateTextureObject(&texture, resource.get(), &settings, older_view.get()));
    CHECK_CUDA(cudaGetTextureObjectResourceDesc(got.get(), texture));
    CHECK(got.get()->res.array.array == array && got.is_untouched());
    CHECK_CUDA(cudaGetTextureObjectResourceViewDesc(got_view.get(), texture));
    CHECK(got_view.get()->width == 8 && got_view.is_untouched());
    CHECK_CUDA(cudaDestroyTextureObject(texture));

    CHECK_CUDA(cudaCreateSurfaceObject(&surface, resource.get()));
    got = Resource();
    CHECK_CUDA(cudaGetSurfaceObjectResourceDesc(got.get(), surface));
    CHECK(got.get()->res.array.array == array && got.is_untouched());
    CHECK_CUDA(cudaDestroySurfaceObject(surface));
    CHECK(cudaCreateTextureObject(&texture, nullptr, &settings, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaGetTextureObjectResourceDesc(nullptr, texture) == cudaErrorInvalidValue);
}

static void check_pointers()
{
    Older<cudaPointerAttributes, 24> attributes;
    void *memory;

    CHECK_CUDA(cudaMalloc(&memory, 64));
    CHECK_CUDA(cudaPointerGetAttributes(attributes.get(), memory));
    CHECK(attributes.get()->devicePointer == memory && attributes.is_untouched());
    CHECK_CUDA(cudaFree(memory));
}

int main()
{
    cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaArray_t array;
    int version = 0;

    CHECK_CUDA(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == 12);
    CHECK_CUDA(cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore));
    check_textures(array);
    check_pointers();
    return 0;
}

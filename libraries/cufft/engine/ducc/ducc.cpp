/* SPDX-License-Identifier: MIT */
/* DUCC0's FFT behind the function that engine.h declares. The build compiles this file once for
 * each vector extension, with another namespace for DUCC0 (DUCC0_NAMESPACE) and another name of the
 * function (FFT_VARIANT). Templates of the C++ library are compiled several times, too, and the
 * linker keeps the first: the objects are linked from the least demanding extension to the most
 * demanding one, so that no processor meets instructions that it lacks. */
#include "../engine.h"

extern "C" unsigned lib_parallel_width(void);

#include "ducc0/fft/fftnd_impl.h"
#include "ducc0/infra/mav.cc"

namespace DUCC0_NAMESPACE
{

/* The arrays of a transform as DUCC0 sees them. Axes of length 1 are left out, unless they are the
 * last one, whose complex side can be told from its real one by nothing else. */
struct Arrays {
    fmav_info::shape_t in_shape, out_shape, axes;
    fmav_info::stride_t in_stride, out_stride;

    explicit Arrays(const fft_transform &transform)
    {
        int first = transform.dimensions - transform.transformed;

        for (int i = 0; i < transform.dimensions; i++) {
            if (transform.shape[i] == 1 && i != transform.dimensions - 1)
                continue;
            if (i >= first)
                axes.push_back(in_shape.size());
            in_shape.push_back(fft_in_length(&transform, i));
            out_shape.push_back(fft_out_length(&transform, i));
            in_stride.push_back(transform.in_stride[i]);
            out_stride.push_back(transform.out_stride[i]);
        }
    }
};

template <typename T> static void run(const fft_transform &transform, bool may_spoil)
{
    Arrays a(transform);
    size_t threads = lib_parallel_width();
    auto real_in = static_cast<const T *>(transform.in);
    auto real_out = static_cast<T *>(transform.out);
    auto complex_in = static_cast<const std::complex<T> *>(transform.in);
    auto complex_out = static_cast<std::complex<T> *>(transform.out);

    if (transform.kind == FFT_COMPLEX) {
        cfmav<std::complex<T>> in(complex_in, a.in_shape, a.in_stride);
        vfmav<std::complex<T>> out(complex_out, a.out_shape, a.out_stride);

        detail_fft::c2c(in, out, a.axes, transform.forward, T(1), threads);
    } else if (transform.kind == FFT_REAL_TO_COMPLEX) {
        cfmav<T> in(real_in, a.in_shape, a.in_stride);
        vfmav<std::complex<T>> out(complex_out, a.out_shape, a.out_stride);

        detail_fft::r2c(in, out, a.axes, true, T(1), threads);
    } else if (may_spoil) {
        vfmav<std::complex<T>> in(const_cast<std::complex<T> *>(complex_in), a.in_shape,
                                  a.in_stride);
        vfmav<T> out(real_out, a.out_shape, a.out_stride);

        detail_fft::c2r_mut(in, out, a.axes, false, T(1), threads);
    } else {
        cfmav<std::complex<T>> in(complex_in, a.in_shape, a.in_stride);
        vfmav<T> out(real_out, a.out_shape, a.out_stride);

        detail_fft::c2r(in, out, a.axes, false, T(1), threads);
    }
}

} // namespace DUCC0_NAMESPACE

bool FFT_VARIANT(const fft_transform *transform, bool may_spoil)
{
    try {
        if (transform->precision == FFT_DOUBLE)
            DUCC0_NAMESPACE::run<double>(*transform, may_spoil);
        else
            DUCC0_NAMESPACE::run<float>(*transform, may_spoil);
        return true;
    } catch (...) {
        return false;
    }
}

// Strided layouts as oneDNN memory descriptors.
#pragma once
#include <dnnl.hpp>
#include <span>

namespace weft::native {

/// Whether no two elements share an address: positive strides of a permutation, gaps allowed. Strides of extents of 1
/// are not looked at.
bool is_permutation_layout(std::span<const int64_t> dims, std::span<const int64_t> strides);

/// Strides in elements. Those of extents of 1 say nothing and are replaced, so that what is channels-last or dense
/// compares equal to the descriptors below, channels-last where it is both.
dnnl::memory::desc strided_desc(const dnnl::memory::dims& dims, const dnnl::memory::dims& strides,
                                dnnl::memory::data_type type);

/// Dense [batch, spatial..., channels] for dims in the order batch, channels, spatial....
dnnl::memory::desc channels_last_desc(const dnnl::memory::dims& dims, dnnl::memory::data_type type);

/// Dense row-major.
dnnl::memory::desc dense_desc(const dnnl::memory::dims& dims, dnnl::memory::data_type type);

}  // namespace weft::native

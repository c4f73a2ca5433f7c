#include <algorithm>

#include "native/aot_runtime/cpu_features.h"
#include "native/kernels/library_threads.h"
#include "native/kernels/matmul_rows.h"
#include "native/kernels/onednn_plan.h"
#include "native/kernels/strides.h"

namespace weft::native {

namespace {

using dnnl::memory;
using Dims = memory::dims;

enum class Layout { kRows, kColumns, kNeither };  // which of the matrix's dimensions is contiguous

struct Operand {
  Dims dims, strides;
  Layout layout;
};

Operand operand(const MatmulDesc& desc, const std::vector<int64_t>& strides, int64_t rows, int64_t columns) {
  Operand result{desc.batch, strides, Layout::kNeither};
  for (size_t d = 0; d < desc.batch.size(); ++d)
    if (strides[d] == 0) result.dims[d] = 1;
  result.dims.push_back(rows);
  result.dims.push_back(columns);
  int64_t &row_stride = result.strides[strides.size() - 2], &column_stride = result.strides[strides.size() - 1];
  // An extent of 1 may have any stride; the products want the two to look like a matrix stored by rows or by columns.
  if (columns == 1 && rows == 1) row_stride = column_stride = 1;
  else if (columns == 1) column_stride = row_stride == 1 ? rows : 1;
  else if (rows == 1) row_stride = column_stride == 1 ? columns : 1;
  if (column_stride == 1 && row_stride >= columns) result.layout = Layout::kRows;
  else if (row_stride == 1 && column_stride >= rows) result.layout = Layout::kColumns;
  int64_t span = std::max(rows * row_stride, columns * column_stride);
  for (size_t d = 0; d < desc.batch.size(); ++d)
    if (result.dims[d] == 1) result.strides[d] = span;
  return result;
}

void transpose(Operand& o) {
  std::swap(o.dims[o.dims.size() - 1], o.dims[o.dims.size() - 2]);
  std::swap(o.strides[o.dims.size() - 1], o.strides[o.dims.size() - 2]);
  if (o.layout != Layout::kNeither) o.layout = o.layout == Layout::kRows ? Layout::kColumns : Layout::kRows;
}

dnnl::matmul::primitive_desc new_matmul(const memory::desc& a, const memory::desc& b, const memory::desc& bias,
                                        const memory::desc& c) {
#if DNNL_VERSION_MAJOR >= 3
  return {onednn_engine(), a, b, bias, c, onednn_attr()};
#else
  return {bias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c), onednn_attr(), onednn_engine()};
#endif
}

}  // namespace

std::unique_ptr<LibraryKernel> onednn_matmul(const MatmulDesc& desc, const KernelOptions& options,
                                             std::string& reason) {
  auto type = onednn_type(desc.type);
  auto c_type = type;
  if (desc.type == ElementType::kI8 && desc.c_type == ElementType::kI32) {
    // Other CPUs add pairs of products in 16 bits, which are too few.
    static constexpr const char* kDotProducts[] = {"avx512vnni", nullptr};
    if (const char* missing = weft_rt_missing_feature(kDotProducts)) {
      reason = "products of i8: this CPU lacks " + std::string(missing);
      return nullptr;
    }
    type = memory::data_type::s8, c_type = memory::data_type::s32;
  } else if (!type || desc.c_type) {
    reason = "element type " + std::string(name(desc.type)) + " is not one of f32, bf16, f16, i8 into i32";
    return nullptr;
  }
  if (desc.batch.size() + 2 > DNNL_MAX_NDIMS) {
    reason = "more than " + std::to_string(DNNL_MAX_NDIMS) + " dimensions";
    return nullptr;
  }
  for (size_t d = 0; d < desc.batch.size(); ++d) {
    if (desc.a_strides[d] == 0 && desc.b_strides[d] == 0) {
      reason = "both operands repeat over a batch dimension";
      return nullptr;
    }
  }
  Operand a = operand(desc, desc.a_strides, desc.m, desc.k), b = operand(desc, desc.b_strides, desc.k, desc.n),
          c = operand(desc, desc.c_strides, desc.m, desc.n);
  // The result is written by rows only; one stored by columns is the transposed product of the transposed operands.
  bool is_swapped = c.layout == Layout::kColumns && !desc.has_bias;
  int a_input = 0, b_input = 1;
  if (is_swapped) {
    std::swap(a, b);
    std::swap(a_input, b_input);
    transpose(a), transpose(b), transpose(c);
  }
  const auto type_of = [&](const Operand& o) { return &o == &c ? *c_type : *type; };
  auto placed = [&](const Operand& o) { return memory::desc(o.dims, type_of(o), o.strides); };
  auto wanted = [&](const Operand& o, bool rows_only) {
    bool is_taken = o.layout == Layout::kRows || (o.layout == Layout::kColumns && !rows_only);
    return is_taken ? placed(o) : dense_desc(o.dims, type_of(o));
  };
  memory::desc bias;
  if (desc.has_bias) {
    Dims dims(c.dims.size(), 1);
    dims.back() = desc.n;
    bias = dense_desc(dims, *type);
  }
  LibraryTeam team(options.partitions);
  try {
    bool packs_b = desc.constant_b && !is_swapped;
    auto pd =
        new_matmul(wanted(a, false), packs_b ? memory::desc(b.dims, *type, memory::format_tag::any) : wanted(b, false),
                   bias, wanted(c, true));
    if (is_reference(pd.impl_info_str())) {
      // Strides that only the reference takes: dense copies of all operands.
      pd = new_matmul(dense_desc(a.dims, *type), dense_desc(b.dims, *type), bias, dense_desc(c.dims, *c_type));
    }
    if (is_reference(pd.impl_info_str())) {
      reason = "only oneDNN's reference loops take this shape";
      return nullptr;
    }
    OneDnnPlan plan(options.partitions, pd.impl_info_str());
    auto input = [&](const Operand& o, int index, const memory::desc& layout) {
      if (index == 1 && desc.constant_b) return plan.add_constant(desc.constant_b, placed(o), layout);
      return plan.reordered(plan.add_input(index, placed(o)), layout);
    };
    auto src = input(a, a_input, pd.src_desc());
    auto weights = input(b, b_input, pd.weights_desc());
    auto user_dst = plan.add_output(0, placed(c));
    auto dst = placed(c) == pd.dst_desc() ? user_dst : plan.add_scratch(pd.dst_desc());
    if (desc.has_relu && dst == user_dst && placed(c) != dense_desc(c.dims, *c_type))
      dst = plan.add_scratch(pd.dst_desc());
    OneDnnPlan::Arguments arguments = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
    if (desc.has_bias) arguments.emplace_back(DNNL_ARG_BIAS, plan.add_input(2, bias));
    plan.add_step(dnnl::matmul(pd), pd.scratchpad_desc(), std::move(arguments));
    if (desc.has_relu) plan.add_relu(dst);
    if (dst != user_dst) plan.add_reorder(dst, user_dst);
    return std::move(plan).finish();
  } catch (const dnnl::error& error) {
    reason = "oneDNN has no kernel for it on this CPU (" + std::string(error.what()) + ")";
    return nullptr;
  }
}

}  // namespace weft::native

// Convolutions with open extents that no library takes: sums over the positions of a window and the channels of a group, in plain loops.
#include <algorithm>

#include "native/codegen/kernel.h"
#include "native/open/open_emitter.h"
#include "ops/builder.h"

namespace weft::native {
namespace {

int64_t of(const std::vector<int64_t>& list, size_t i, int64_t otherwise) { return list.empty() ? otherwise : list[i]; }

}  // namespace

bool sums_convolution_columns(const OpView& op) {
  if (op.def().mnemonic != "stablehlo.convolution" || is_complex(op.result_type().element_type())) return false;
  const ConvolutionAttrs c = ConvolutionAttrs::from(op.attrs());
  const int64_t last = op.result_type().rank() - 1;
  return c.output_feature == last && c.kernel_output_feature == last && c.feature_group_count == 1 &&
         c.batch_group_count == 1;
}

OpenValue OpenEmitter::convolution(const OpView& op, const OpenPlace& place) {
  const ConvolutionAttrs c = ConvolutionAttrs::from(op.attrs());
  const Type x = op.operand_type(0), w = op.operand_type(1), result = op.result_type();
  const ElementType t = result.element_type(), sum_type = codegen::compute_type(t);
  const std::vector<OpenIndex> out = digits(place, result.shape());
  const size_t spatial = c.input_spatial.size();
  // Positions of the window, then the channels of a group.
  std::vector<int64_t> loops;
  for (int64_t d : c.kernel_spatial) loops.push_back(w.dim(d));
  loops.push_back(w.dim(c.kernel_input_feature));
  const auto may_leave = [&](size_t d) {
    return of(c.padding, 2 * d, 0) != 0 || of(c.padding, 2 * d + 1, 0) != 0 || of(c.lhs_dilation, d, 1) != 1;
  };
  // Windows may lie in the padding of an operand that has no elements.
  std::vector<int64_t> padded;
  for (size_t d = 0; d < spatial; ++d) {
    if (may_leave(d)) padded.push_back(x.dim(c.input_spatial[d]));
  }
  const OpenIndex zero_index = number(0), exists = non_empty(padded);
  const OpenValue zero = bits(sum_type, 0, 0);

  const auto factors = [&](const std::vector<OpenIndex>& at_result, const std::vector<OpenIndex>& k) {
    std::vector<OpenIndex> left(static_cast<size_t>(x.rank())), right(static_cast<size_t>(w.rank()));
    const OpenIndex feature = at_result[static_cast<size_t>(c.output_feature)];
    OpenIndex batch = at_result[static_cast<size_t>(c.output_batch)], channel = k[spatial];
    if (c.feature_group_count != 1) {
      const OpenIndex group = div(feature, number(result.dim(c.output_feature) / c.feature_group_count));
      channel = add(mul(group, number(w.dim(c.kernel_input_feature))), channel);
    }
    if (c.batch_group_count != 1) {
      const OpenIndex group = div(feature, number(result.dim(c.output_feature) / c.batch_group_count));
      batch = add(mul(group, number(result.dim(c.output_batch))), batch);
    }
    left[static_cast<size_t>(c.input_batch)] = mul(batch, exists);
    left[static_cast<size_t>(c.input_feature)] = mul(channel, exists);
    right[static_cast<size_t>(c.kernel_input_feature)] = k[spatial];
    right[static_cast<size_t>(c.kernel_output_feature)] = feature;
    OpenIndex inside;
    for (size_t d = 0; d < spatial; ++d) {
      const int64_t kd = c.kernel_spatial[d], extent = x.dim(c.input_spatial[d]), dilation = of(c.lhs_dilation, d, 1);
      const bool is_reversed = of(c.window_reversal, d, 0) != 0;
      right[static_cast<size_t>(kd)] = is_reversed ? sub(sub(number(w.dim(kd)), number(1)), k[d]) : k[d];
      OpenIndex i =
          sub(add(mul(at_result[static_cast<size_t>(c.output_spatial[d])], number(of(c.window_strides, d, 1))),
                  mul(k[d], number(of(c.rhs_dilation, d, 1)))),
              number(of(c.padding, 2 * d, 0)));
      if (dilation != 1) {
        const OpenIndex step = number(dilation), from = clamp(i, zero_index, number(INT32_MAX));
        inside = both(inside, condition(llvm::CmpInst::ICMP_SGE, i, zero_index));
        inside = both(inside, condition(llvm::CmpInst::ICMP_EQ, rem(from, step), zero_index));
        i = div(from, step);
      }
      if (may_leave(d)) {
        inside = both(inside, condition(llvm::CmpInst::ICMP_ULT, i, number(extent)));
        i = clamp(i, zero_index, sub(number(extent), number(1)));
      }
      left[static_cast<size_t>(c.input_spatial[d])] = mul(i, exists);
    }
    OpenValue a = convert(eval(op.operand(0), this->place(x.shape(), left)), x.element_type(), sum_type);
    if (inside.v != nullptr) a = choose(inside, a, zero);
    const OpenValue b = convert(eval(op.operand(1), this->place(w.shape(), right)), w.element_type(), sum_type);
    return std::pair(a, b);
  };
  return sum_of_products(t, loops, out, false, sums_convolution_columns(op), factors);
}

}  // namespace weft::native

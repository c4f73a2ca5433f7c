#include "native/aot/convolution_calls.h"

#include <algorithm>

#include "native/contraction/convolution_form.h"

namespace weft::native {
namespace {

class ConvolutionDescription final : public LibraryKernel {
 public:
  ConvolutionDescription(OneDnnConvolution form, bool is_swapped, bool has_constant_weights)
      : form(std::move(form)), is_swapped(is_swapped), has_constant_weights(has_constant_weights) {}
  std::string implementation() const override { return "onednn convolution"; }
  size_t scratch_bytes() const override { return 0; }
  bool execute(const void* const*, void* const*, void*) const noexcept override { return false; }
  const OneDnnConvolution form;
  const bool is_swapped, has_constant_weights;
};

std::string list(const std::vector<int64_t>& numbers) {
  std::string out = "{";
  for (int64_t n : numbers) out += std::to_string(n) + ", ";
  return out + "}, ";
}

bool is_constant(const Function& f, Value v) {
  const OpId def = f.defining_op(v);
  return def && f.def(def).mnemonic == "stablehlo.constant";
}

}  // namespace

std::unique_ptr<LibraryKernel> describe_convolution(const OpView& op, std::string& note) {
  if (op.def().mnemonic != "stablehlo.convolution") return nullptr;
  const auto refuse = [&](const std::string& why) {
    note = "onednn: " + why;
    return nullptr;
  };
  for (Type t : {op.operand_type(0), op.operand_type(1), op.result_type()}) {
    if (!t.is_static() || t.is_quantized() || t.element_type() != ElementType::kF32)
      return refuse("only convolutions of f32 go to libdnnl");
  }
  // As for products (gemm_calls.cc).
  constexpr int64_t kSmall = int64_t{64} * 64 * 64;
  const int64_t features = op.operand_type(1).dim(op.attrs().integer("kernel_output_feature_dimension"));
  if (features == 0 || op.result_type().num_elements() * (op.operand_type(1).num_elements() / features) <= kSmall)
    return refuse("too small: a generated loop wins");
  const ConvolutionAnalysis analysis = analyze_convolution(op, ContractionLayout::dense(op));
  std::string reason = "a derivative: only forward convolutions go to libdnnl";
  for (const ConvolutionForm& form : analysis.forms) {
    if (form.lhs_offset != 0 || !form.reversed_rhs.empty() || !form.reversed_result.empty()) {
      reason = "an operand would be cropped or reversed";
      continue;
    }
    OneDnnConvolution made;
    reason = describe_onednn_convolution(form.desc, made);
    if (!reason.empty()) continue;
    const bool is_known = is_constant(op.function, op.operand(form.is_swapped ? 0 : 1));
    return std::make_unique<ConvolutionDescription>(std::move(made), form.is_swapped, is_known);
  }
  return refuse(reason);
}

bool is_convolution_call(const LibraryKernel& kernel) {
  return dynamic_cast<const ConvolutionDescription*>(&kernel) != nullptr;
}

std::string convolutions_source(const CompiledProgram& program) {
  std::string rows;
  for (const LibraryStep& step : program.libraries) {
    const auto* call = dynamic_cast<const ConvolutionDescription*>(step.kernel.get());
    if (call == nullptr) continue;
    const OneDnnConvolution& c = call->form;
    rows += "  {" + std::to_string(c.src.size()) + ", " + std::to_string(c.weights.size()) + ", " + list(c.src) +
            list(c.src_strides) + list(c.weights) + list(c.weights_strides) + list(c.dst) + list(c.dst_strides) +
            list(c.stride) + list(c.dilation) + list(c.pad_low) + list(c.pad_high) +
            (call->is_swapped ? "1, " : "0, ") + (call->has_constant_weights ? "1" : "0") + ", 0},\n";
  }
  if (rows.empty()) return "";
  return "static weft_rt_convolution convolutions[] = {\n" + rows +
         "};\nstatic int open_convolutions(char* message, size_t bytes) {\n"
         "  return weft_rt_convolutions_open(convolutions, sizeof convolutions / sizeof *convolutions, message, "
         "bytes);\n}\n";
}

}  // namespace weft::native

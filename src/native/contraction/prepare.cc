#include "native/contraction/prepare.h"

#include <algorithm>
#include <optional>

#include "native/contraction/convolution_form.h"
#include "native/contraction/dense_copy.h"
#include "native/contraction/matmul_form.h"
#include "native/switches.h"

namespace weft::native {

namespace {

size_t rounded_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

constexpr size_t kMostInputs = 16;

// A kernel on the op's own operands: copies, offsets and order of the operands as the kernel inside wants them.
class ContractionKernel final : public LibraryKernel {
 public:
  std::unique_ptr<LibraryKernel> kernel;
  int partitions = 1;
  bool is_swapped = false;
  size_t lhs_offset_bytes = 0, num_inputs = 2;
  std::optional<DenseCopy> operand_copy[2], result_copy;
  std::optional<Tensor> constant_rhs;  // kept for kernels that read it in place

  std::string implementation() const override {
    std::string text = kernel->implementation();
    static constexpr const char* kNames[] = {"lhs", "rhs"};
    for (int side = 0; side < 2; ++side)
      if (operand_copy[side]) text += std::string(", copies ") + kNames[side];
    if (result_copy) text += ", copies result";
    return text;
  }

  size_t scratch_bytes() const override {
    size_t bytes = rounded_up(kernel->scratch_bytes());
    for (const auto* copy : {&operand_copy[0], &operand_copy[1], &result_copy})
      if (*copy) bytes += rounded_up((*copy)->bytes());
    return bytes;
  }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    char* free = static_cast<char*>(scratch) + rounded_up(kernel->scratch_bytes());
    auto take = [&](const DenseCopy& copy) {
      void* place = free;
      free += rounded_up(copy.bytes());
      return place;
    };
    const void* operands[kMostInputs];
    for (size_t extra = 2; extra < num_inputs; ++extra) operands[extra] = inputs[extra];
    for (int side = 0; side < 2; ++side) {
      operands[side] = static_cast<const char*>(inputs[side]) + (side == 0 ? lhs_offset_bytes : 0);
      if (!operand_copy[side]) continue;
      void* place = take(*operand_copy[side]);
      operand_copy[side]->run(operands[side], place, partitions);
      operands[side] = place;
    }
    if (is_swapped) std::swap(operands[0], operands[1]);
    void* result[] = {result_copy ? take(*result_copy) : outputs[0]};
    if (!kernel->execute(operands, result, scratch)) return false;
    if (result_copy) result_copy->run(result[0], outputs[0], partitions);
    return true;
  }
};

std::string reasons(const std::vector<Refusal>& refused) {
  std::string text;
  for (const Refusal& each : refused) text += (text.empty() ? "" : "; ") + each.implementation + ": " + each.reason;
  return text;
}

// The elements of rhs when the program holds them: kernels pack such weights once instead of at each call.
std::optional<Tensor> constant_rhs(const OpView& op) {
  const OpId producer = op.function.defining_op(op.operand(1));
  if (!producer || op.function.def(producer).mnemonic != "stablehlo.constant") return std::nullopt;
  return op.function.attrs(producer).literal("value").materialize();
}

std::unique_ptr<LibraryKernel> prepare_dot(const OpView& op, const KernelOptions& options, std::string& note) {
  const ContractionLayout layout = ContractionLayout::dense(op);
  MatmulAnalysis analysis = analyze_dot_general(op, layout);
  if (!analysis.reason.empty()) {
    note = analysis.reason;
    return nullptr;
  }
  MatmulForm& form = analysis.form;
  std::optional<Tensor> constant;
  if (form.rhs_copy.empty()) constant = constant_rhs(op);
  if (constant) form.desc.constant_b = constant->raw();
  KernelChoice choice = make_matmul(form.desc, options);
  note = reasons(choice.refused);
  if (!choice.kernel) return nullptr;
  if (form.lhs_copy.empty() && form.rhs_copy.empty() && !constant) return std::move(choice.kernel);
  auto whole = std::make_unique<ContractionKernel>();
  const size_t width = byte_size(form.desc.type);
  if (!form.lhs_copy.empty())
    whole->operand_copy[0] = DenseCopy::permuted(op.operand_type(0).shape(), layout.lhs, form.lhs_copy, width);
  if (!form.rhs_copy.empty())
    whole->operand_copy[1] = DenseCopy::permuted(op.operand_type(1).shape(), layout.rhs, form.rhs_copy, width);
  whole->kernel = std::move(choice.kernel);
  whole->partitions = options.partitions;
  whole->constant_rhs = std::move(constant);
  return whole;
}

std::unique_ptr<LibraryKernel> prepare_convolution(const OpView& op, const KernelOptions& options, std::string& note,
                                                   const Epilogue* epilogue) {
  const ContractionLayout layout = ContractionLayout::dense(op);
  ConvolutionAnalysis analysis = analyze_convolution(op, layout);
  const std::optional<Tensor> constant = constant_rhs(op);
  for (ConvolutionForm& form : analysis.forms) {
    if (constant && form.reversed_rhs.empty() && form.desc.direction != ConvolutionDirection::kBackwardWeights)
      form.desc.constant_weights = constant->raw();
    if (epilogue) {
      if (form.desc.direction != ConvolutionDirection::kForward || epilogue->inputs().size() + 2 > kMostInputs)
        continue;
      for (const Epilogue::OnChannels& each : epilogue->channels) form.desc.channel_ops.push_back(each.op);
      // oneDNN adds a bias to its sums before they leave the registers.
      if (!form.desc.channel_ops.empty() && form.desc.channel_ops[0] == ChannelOp::kAdd) {
        form.desc.channel_ops.erase(form.desc.channel_ops.begin());
        form.desc.has_bias = true;
      }
      form.desc.has_addend = static_cast<bool>(epilogue->addend);
      form.desc.has_relu = epilogue->has_relu;
    }
    KernelChoice choice = make_convolution(form.desc, options);
    if (!choice.kernel) {
      analysis.refused.insert(analysis.refused.end(), choice.refused.begin(), choice.refused.end());
      continue;
    }
    const size_t width = byte_size(form.desc.type);
    auto whole = std::make_unique<ContractionKernel>();
    whole->kernel = std::move(choice.kernel);
    whole->partitions = options.partitions;
    whole->is_swapped = form.is_swapped;
    if (epilogue) whole->num_inputs += epilogue->inputs().size();
    // A slower row ran instead: say why.
    if (form.desc.direction != ConvolutionDirection::kBackwardWeights) note = reasons(choice.refused);
    whole->lhs_offset_bytes = static_cast<size_t>(form.lhs_offset) * width;
    if (!form.reversed_rhs.empty())
      whole->operand_copy[1] = DenseCopy::reversed(op.operand_type(1).shape(), layout.rhs, form.reversed_rhs, width);
    if (!form.reversed_result.empty())
      whole->result_copy = DenseCopy::reversed(op.result_type().shape(), layout.result, form.reversed_result, width);
    return whole;
  }
  note = reasons(analysis.refused);
  return nullptr;
}

}  // namespace

std::unique_ptr<LibraryKernel> prepare_contraction(const OpView& op, const CompileOptions& options, int partitions,
                                                   std::string& note, const Epilogue* epilogue) {
  const bool is_dot = op.def().mnemonic == "stablehlo.dot_general";
  if (!is_dot && op.def().mnemonic != "stablehlo.convolution") return nullptr;
  if (options.no_libraries) {
    note = "libraries are switched off";
    return nullptr;
  }
  KernelOptions kernel_options;
  kernel_options.partitions = std::max(partitions, 1);
  kernel_options.is_size_ignored = is_off(options, "library_size_limits");
  for (std::string_view row : {"onednn", "openblas", "winograd", "direct"})
    if (is_off(options, std::string(row) + (is_dot ? "_matmul" : "_convolution")))
      kernel_options.disabled.emplace_back(row);
  return is_dot ? prepare_dot(op, kernel_options, note) : prepare_convolution(op, kernel_options, note, epilogue);
}

}  // namespace weft::native

#include "native/kernels/convolution.h"

#include <algorithm>
#include <new>

#include "base/format.h"
#include "native/kernels/convolution_direct.h"
#include "native/kernels/library_threads.h"
#include "native/kernels/onednn_plan.h"
#include "native/kernels/strides.h"
#include "native/kernels/winograd.h"

namespace weft::native {

namespace {

using dnnl::memory;
using Dims = memory::dims;

// Below this many multiplications the call costs more than a generated loop (measured for products; see matmul.cc).
constexpr int64_t kSmallestWork = 2048;

std::string number(int64_t value) { return std::to_string(value); }

bool has_rank(const ConvolutionDesc& c, size_t rank) {
  for (auto* list : {&c.in_size, &c.out_size, &c.kernel_size, &c.stride, &c.dilation, &c.pad_low})
    if (list->size() != rank) return false;
  for (auto* list : {&c.src_strides, &c.weights_strides, &c.dst_strides})
    if (list->size() != rank + 2) return false;
  return true;
}

// Dimensions as oneDNN names them, and the padding above, which it wants to be told.
struct Geometry {
  Dims src, weights, dst, bias, stride, dilation, pad_low, pad_high;
  memory::desc user_src, user_weights, user_dst;
  memory::data_type type = memory::data_type::undef;
};

// Reason why the description has no oneDNN form, or empty.
std::string describe(const ConvolutionDesc& c, const KernelOptions& options, Geometry& g) {
  size_t rank = c.in_size.size();
  if (rank < 1 || rank > 3) return "spatial dimensions: got " + number(c.spatial_rank()) + ", expected 1 to 3";
  if (!has_rank(c, rank)) return "lists of different rank: expected one entry for each spatial dimension";
  auto type = onednn_type(c.type);
  if (!type) return "element type " + std::string(name(c.type)) + " is not one of f32, bf16, f16";
  g.type = *type;
  if (c.groups < 1 || c.in_channels % c.groups || c.out_channels % c.groups)
    return "groups: " + number(c.groups) + " does not divide the channels " + number(c.in_channels) + " and " +
           number(c.out_channels);
  if (c.batch < 1 || c.in_channels < 1 || c.out_channels < 1) return "an extent is zero: nothing to compute";
  int64_t in_per_group = c.in_channels / c.groups;
  g.src = {c.batch, c.in_channels};
  g.dst = {c.batch, c.out_channels};
  g.weights = {c.out_channels, in_per_group};
  g.bias = {c.out_channels};
  int64_t work = c.batch * c.out_channels * in_per_group;
  for (size_t d = 0; d < rank; ++d) {
    if (c.in_size[d] < 1 || c.out_size[d] < 1 || c.kernel_size[d] < 1) return "an extent is zero: nothing to compute";
    if (c.stride[d] < 1 || c.dilation[d] < 1) return "stride and dilation must be positive";
    if (c.pad_low[d] < 0) return "negative padding below: got " + number(c.pad_low[d]);
    int64_t reach = (c.kernel_size[d] - 1) * c.dilation[d] + 1;
    int64_t used = (c.out_size[d] - 1) * c.stride[d] + reach;
    int64_t pad_high = used - c.in_size[d] - c.pad_low[d];
    // Rows above the last window are legal as long as no further window would fit; more is a crop. A single window has
    // any stride.
    int64_t step = c.out_size[d] == 1 ? std::max(c.stride[d], 1 - pad_high) : c.stride[d];
    if (pad_high <= -step) return "negative padding above: got " + number(pad_high);
    pad_high = std::max<int64_t>(pad_high, 0);
    // Some of oneDNN's kernels read wrong rows when a window lies in the padding entirely.
    if (c.pad_low[d] >= reach || pad_high >= reach)
      return "padding " + number(std::max(c.pad_low[d], pad_high)) + " is not smaller than the window " + number(reach);
    g.src.push_back(c.in_size[d]);
    g.dst.push_back(c.out_size[d]);
    g.weights.push_back(c.kernel_size[d]);
    g.stride.push_back(step);
    g.dilation.push_back(c.dilation[d] - 1);
    g.pad_low.push_back(c.pad_low[d]);
    g.pad_high.push_back(pad_high);
    work *= c.out_size[d] * c.kernel_size[d];
  }
  if (work < kSmallestWork && !options.is_size_ignored)
    return "too small: " + number(work) + " multiplications, below " + number(kSmallestWork) + " a generated loop wins";
  bool is_forward = c.direction == ConvolutionDirection::kForward;
  bool has_post_ops = c.has_addend || c.has_relu || !c.channel_ops.empty() ||
                      (c.has_bias && c.direction != ConvolutionDirection::kBackwardWeights);
  if (has_post_ops && !is_forward) return "bias, addend and relu go with the forward direction only";
  if (c.constant_weights && c.direction == ConvolutionDirection::kBackwardWeights)
    return "constant weights on the gradient of weights";
  if (const char* reason = why_no_team(options.partitions)) return reason;

  Dims weights_strides = c.weights_strides;
  if (c.groups > 1) {
    g.weights[0] /= c.groups;
    g.weights.insert(g.weights.begin(), c.groups);
    int64_t group_stride = c.weights_group_stride ? c.weights_group_stride : c.weights_strides[0] * g.weights[1];
    weights_strides.insert(weights_strides.begin(), group_stride);
  }
  for (auto [dims, strides, what] : {std::tuple{&g.src, &c.src_strides, "src"},
                                     {&g.weights, &weights_strides, "weights"},
                                     {&g.dst, &c.dst_strides, "dst"}})
    if (!is_permutation_layout(*dims, *strides))
      return std::string(what) + " strides " + format_list(*strides) + " overlap or are not positive";
  g.user_src = strided_desc(g.src, c.src_strides, g.type);
  g.user_dst = strided_desc(g.dst, c.dst_strides, g.type);
  g.user_weights = strided_desc(g.weights, weights_strides, g.type);
  return {};
}

// The layouts that the primitive is asked for.
struct Layouts {
  memory::desc src, weights, dst, bias;
};

dnnl::convolution_forward::primitive_desc new_forward(const Geometry& g, const Layouts& l,
                                                      const dnnl::primitive_attr& attr, dnnl::prop_kind kind) {
#if DNNL_VERSION_MAJOR >= 3
  return {onednn_engine(), kind,       dnnl::algorithm::convolution_direct,
          l.src,           l.weights,  l.bias,
          l.dst,           g.stride,   g.dilation,
          g.pad_low,       g.pad_high, attr};
#else
  dnnl::convolution_forward::desc desc =
      l.bias ? dnnl::convolution_forward::desc(kind, dnnl::algorithm::convolution_direct, l.src, l.weights, l.bias,
                                               l.dst, g.stride, g.dilation, g.pad_low, g.pad_high)
             : dnnl::convolution_forward::desc(kind, dnnl::algorithm::convolution_direct, l.src, l.weights, l.dst,
                                               g.stride, g.dilation, g.pad_low, g.pad_high);
  return {desc, attr, onednn_engine()};
#endif
}

dnnl::convolution_backward_data::primitive_desc new_backward_data(const Geometry& g, const Layouts& l,
                                                                  const dnnl::primitive_attr& attr) {
  auto hint = new_forward(g, l, attr, dnnl::prop_kind::forward_training);
#if DNNL_VERSION_MAJOR >= 3
  return {onednn_engine(),
          dnnl::algorithm::convolution_direct,
          l.src,
          l.weights,
          l.dst,
          g.stride,
          g.dilation,
          g.pad_low,
          g.pad_high,
          hint,
          attr};
#else
  return {dnnl::convolution_backward_data::desc(dnnl::algorithm::convolution_direct, l.src, l.weights, l.dst, g.stride,
                                                g.dilation, g.pad_low, g.pad_high),
          attr, onednn_engine(), hint};
#endif
}

dnnl::convolution_backward_weights::primitive_desc new_backward_weights(const Geometry& g, const Layouts& l,
                                                                        const dnnl::primitive_attr& attr) {
  auto hint = new_forward(g, l, attr, dnnl::prop_kind::forward_training);
#if DNNL_VERSION_MAJOR >= 3
  return {onednn_engine(),
          dnnl::algorithm::convolution_direct,
          l.src,
          l.weights,
          l.bias,
          l.dst,
          g.stride,
          g.dilation,
          g.pad_low,
          g.pad_high,
          hint,
          attr};
#else
  using Desc = dnnl::convolution_backward_weights::desc;
  Desc desc = l.bias ? Desc(dnnl::algorithm::convolution_direct, l.src, l.weights, l.bias, l.dst, g.stride, g.dilation,
                            g.pad_low, g.pad_high)
                     : Desc(dnnl::algorithm::convolution_direct, l.src, l.weights, l.dst, g.stride, g.dilation,
                            g.pad_low, g.pad_high);
  return {desc, attr, onednn_engine(), hint};
#endif
}

std::unique_ptr<LibraryKernel> forward_kernel(const ConvolutionDesc& c, const KernelOptions& options, const Geometry& g,
                                              const Layouts& l) {
  auto attr = onednn_attr();
  dnnl::post_ops post_ops;
  if (!c.channel_ops.empty()) {
    Dims by_channel(g.dst.size(), 1), steps(g.dst.size(), g.dst[1]);
    by_channel[1] = g.dst[1], steps[1] = 1;
    const memory::desc channels(by_channel, g.type, steps);
    for (ChannelOp op : c.channel_ops)
      post_ops.append_binary(op == ChannelOp::kAdd        ? dnnl::algorithm::binary_add
                             : op == ChannelOp::kSubtract ? dnnl::algorithm::binary_sub
                                                          : dnnl::algorithm::binary_mul,
                             channels);
  }
  if (c.has_addend) post_ops.append_sum(1.0f);
  if (post_ops.len() > 0) attr.set_post_ops(post_ops);
  auto desc = new_forward(g, l, attr, dnnl::prop_kind::forward_inference);
  if (is_reference(desc.impl_info_str())) return nullptr;
  OneDnnPlan plan(options.partitions, desc.impl_info_str());
  int next_input = 2;
  auto src = plan.reordered(plan.add_input(0, g.user_src), desc.src_desc());
  auto weights = c.constant_weights ? plan.add_constant(c.constant_weights, g.user_weights, desc.weights_desc())
                                    : plan.reordered(plan.add_input(1, g.user_weights), desc.weights_desc());
  auto user_dst = plan.add_output(0, g.user_dst);
  auto dst = g.user_dst == desc.dst_desc() ? user_dst : plan.add_scratch(desc.dst_desc());
  OneDnnPlan::Arguments arguments = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
  if (c.has_bias) arguments.emplace_back(DNNL_ARG_BIAS, plan.add_input(next_input++, l.bias));
  for (size_t at = 0; at < c.channel_ops.size(); ++at)
    arguments.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(at)) | DNNL_ARG_SRC_1,
                           plan.add_input(next_input++, memory::desc(g.bias, g.type, memory::format_tag::a)));
  if (c.has_addend) plan.add_reorder(plan.add_input(next_input++, g.user_dst), dst);
  plan.add_step(dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(arguments));
  if (c.has_relu) plan.add_relu(dst);
  if (dst != user_dst) plan.add_reorder(dst, user_dst);
  return std::move(plan).finish();
}

std::unique_ptr<LibraryKernel> backward_data_kernel(const ConvolutionDesc& c, const KernelOptions& options,
                                                    const Geometry& g, const Layouts& l) {
  auto desc = new_backward_data(g, l, onednn_attr());
  if (is_reference(desc.impl_info_str())) return nullptr;
  OneDnnPlan plan(options.partitions, desc.impl_info_str());
  auto dst = plan.reordered(plan.add_input(0, g.user_dst), desc.diff_dst_desc());
  auto weights = c.constant_weights ? plan.add_constant(c.constant_weights, g.user_weights, desc.weights_desc())
                                    : plan.reordered(plan.add_input(1, g.user_weights), desc.weights_desc());
  auto user_src = plan.add_output(0, g.user_src);
  auto src = g.user_src == desc.diff_src_desc() ? user_src : plan.add_scratch(desc.diff_src_desc());
  plan.add_step(dnnl::convolution_backward_data(desc), desc.scratchpad_desc(),
                {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DIFF_SRC, src}});
  if (src != user_src) plan.add_reorder(src, user_src);
  return std::move(plan).finish();
}

std::unique_ptr<LibraryKernel> backward_weights_kernel(const ConvolutionDesc& c, const KernelOptions& options,
                                                       const Geometry& g, const Layouts& l) {
  auto desc = new_backward_weights(g, l, onednn_attr());
  if (is_reference(desc.impl_info_str())) return nullptr;
  OneDnnPlan plan(options.partitions, desc.impl_info_str());
  auto src = plan.reordered(plan.add_input(0, g.user_src), desc.src_desc());
  auto dst = plan.reordered(plan.add_input(1, g.user_dst), desc.diff_dst_desc());
  auto user_weights = plan.add_output(0, g.user_weights);
  auto weights = g.user_weights == desc.diff_weights_desc() ? user_weights : plan.add_scratch(desc.diff_weights_desc());
  OneDnnPlan::Arguments arguments = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_WEIGHTS, weights}};
  if (c.has_bias) arguments.emplace_back(DNNL_ARG_DIFF_BIAS, plan.add_output(1, l.bias));
  plan.add_step(dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(), std::move(arguments));
  if (weights != user_weights) plan.add_reorder(weights, user_weights);
  return std::move(plan).finish();
}

std::unique_ptr<LibraryKernel> make_convolution_onednn(const ConvolutionDesc& c, const KernelOptions& options,
                                                       const Geometry& g, std::string& reason) {
  const bool has_epilogue = c.has_bias || c.has_addend || c.has_relu || !c.channel_ops.empty();
  if (has_epilogue && c.type != ElementType::kF32) {
    reason =
        "bias, addend and relu in " + std::string(name(c.type)) + " would skip its rounding between the operations";
    return nullptr;
  }
  LibraryTeam team(options.partitions);
  memory::desc any_weights(g.weights, g.type, memory::format_tag::any);
  memory::desc bias = c.has_bias ? memory::desc(g.bias, g.type, memory::format_tag::a) : memory::desc();
  // Channels last first, which operands usually have and which costs at most 6 % against blocked layouts; then what
  // oneDNN likes best, for shapes where its channels-last kernels are only reference loops.
  const Layouts layouts[] = {{channels_last_desc(g.src, g.type), any_weights, channels_last_desc(g.dst, g.type), bias},
                             {memory::desc(g.src, g.type, memory::format_tag::any), any_weights,
                              memory::desc(g.dst, g.type, memory::format_tag::any), bias}};
  reason = "only oneDNN's reference loops take this shape";
  for (const Layouts& l : layouts) {
    std::unique_ptr<LibraryKernel> kernel;
    try {
      switch (c.direction) {
        case ConvolutionDirection::kForward: kernel = forward_kernel(c, options, g, l); break;
        case ConvolutionDirection::kBackwardData: kernel = backward_data_kernel(c, options, g, l); break;
        case ConvolutionDirection::kBackwardWeights: kernel = backward_weights_kernel(c, options, g, l); break;
      }
    } catch (const dnnl::error& error) {
      reason = "oneDNN has no kernel for it on this CPU (" + std::string(error.what()) + ")";
    }
    if (kernel) return kernel;
  }
  return nullptr;
}

// The row "direct" keeps its sums in registers until all that follows is done with them, which oneDNN does not with relu and
// bf16's rounding; products alone it computes a little slower.
bool is_ours_faster(const ConvolutionDesc& c) {
  const bool has_epilogue = c.has_relu || c.has_addend || !c.channel_ops.empty() || c.has_bias;
  if (c.type == ElementType::kBF16 || !has_epilogue) return has_epilogue;
  // Measured: below 12 columns, or from 4096 products a result, by 5 to 15 %.
  constexpr int64_t kNarrow = 12, kDeep = 4096;
  int64_t depth = c.in_channels;
  for (int64_t extent : c.kernel_size) depth *= extent;
  return depth < kDeep && (c.spatial_rank() != 2 || c.kernel_size[1] == 1 || c.out_size[1] >= kNarrow);
}

}  // namespace

std::string describe_onednn_convolution(const ConvolutionDesc& c, OneDnnConvolution& out) {
  if (c.direction != ConvolutionDirection::kForward) return "a derivative: only forward convolutions go to libdnnl";
  if (c.type != ElementType::kF32) return "only convolutions of f32 go to libdnnl";
  Geometry g;
  if (std::string reason = describe(c, {}, g); !reason.empty()) return reason;
  out = {g.src,         c.src_strides, g.weights,  c.weights_strides, g.dst,
         c.dst_strides, g.stride,      g.dilation, g.pad_low,         g.pad_high};
  if (c.groups > 1) {
    const int64_t step = c.weights_group_stride != 0 ? c.weights_group_stride : c.weights_strides[0] * g.weights[1];
    out.weights_strides.insert(out.weights_strides.begin(), step);
  }
  return {};
}

KernelChoice make_convolution(const ConvolutionDesc& c, const KernelOptions& options) {
  KernelChoice choice;
  Geometry g;
  const std::string reason = describe(c, options, g);
  const auto refuse = [&](const char* row, std::string why) { choice.refused.push_back({row, std::move(why)}); };
  const auto is_allowed = [&](const char* row) {
    const char* why = options.why_not(row);
    if (why) refuse(row, why);
    return why == nullptr;
  };
  std::string why = reason;
  std::unique_ptr<LibraryKernel> direct;
  bool is_ours = false;
  if (is_allowed("direct")) {
    const auto engine = cells::best_engine(c.type == ElementType::kF32 ? 4 : 2);
    if (why.empty() && !engine) why = "this CPU has no AVX-512";
    // Tested by an emulation of the tiles only, until it has run on such a CPU: options.only asks for it by name.
    if (why.empty() && engine == cells::Engine::kAmx && options.only.empty())
      why = "oneDNN's AMX kernels are used on CPUs that have it";
    if (why.empty() && !is_ours_faster(c) && !options.why_not("onednn") && options.only.empty())
      why = "oneDNN is faster on narrow or deep images and where nothing follows the convolution";
    if (why.empty()) direct = make_convolution_direct(c, options, *engine, why);
    is_ours = direct != nullptr;
    if (!direct) refuse("direct", why);
    // Winograd multiplies in f32: less often, but slower than AMX.
    if (direct && (engine == cells::Engine::kAmx || options.why_not("winograd"))) {
      choice.kernel = std::move(direct);
      return choice;
    }
  }
  why = reason;
  if (!direct && reason.empty() && (!options.why_not("onednn") || !options.why_not("winograd")))
    direct = make_convolution_onednn(c, options, g, why);
  if (is_allowed("winograd")) {
    std::string refusal = why;
    const bool is_of_weights = c.direction == ConvolutionDirection::kBackwardWeights;
    if (direct) choice.kernel = (is_of_weights ? make_winograd_weights : make_winograd)(c, options, direct, refusal);
    if (choice.kernel) return choice;
    refuse("winograd", refusal);
  }
  if (is_ours || is_allowed("onednn")) {
    if (!direct) refuse("onednn", why);
    choice.kernel = std::move(direct);
  }
  return choice;
}

}  // namespace weft::native

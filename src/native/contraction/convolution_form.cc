#include "native/contraction/convolution_form.h"

#include <algorithm>

#include "ops/builder.h"

namespace weft::native {

namespace {

// One spatial dimension of the op, normalised: a factor that an extent of 1 makes meaningless is 1.
struct Spatial {
  int64_t in, window, out;                  // extents of lhs, rhs, result
  int64_t stride, low, base, dilation;      // window stride, low padding, lhs dilation, rhs dilation
  bool is_reversed, is_direction_free;      // a window of 1 has no direction
  int64_t lhs_step, rhs_step, result_step;  // strides in memory
  int64_t rhs_dim, result_dim;
  int64_t reach() const { return (window - 1) * dilation + 1; }
};

struct Convolution {
  ElementType type;
  std::vector<Spatial> spatial;
  int64_t batch, features_in, depth, features_out;  // lhs batch and features; rhs input and output features
  int64_t feature_groups, batch_groups;
  int64_t lhs_batch_step, lhs_feature_step, rhs_in_step, rhs_out_step, result_batch_step, result_feature_step;
  std::vector<int64_t> rhs_shape;
};

std::vector<int64_t> or_default(std::vector<int64_t> list, size_t count, int64_t value) {
  if (list.empty()) list.assign(count, value);
  return list;
}

Convolution read(const OpView& op, const ContractionLayout& layout) {
  const ConvolutionAttrs attrs = ConvolutionAttrs::from(op.attrs());
  const Type lhs = op.operand_type(0), rhs = op.operand_type(1), result = op.result_type();
  const size_t rank = attrs.input_spatial.size();
  const auto strides = or_default(attrs.window_strides, rank, 1), padding = or_default(attrs.padding, 2 * rank, 0),
             base = or_default(attrs.lhs_dilation, rank, 1), dilation = or_default(attrs.rhs_dilation, rank, 1),
             reversal = or_default(attrs.window_reversal, rank, 0);
  Convolution c;
  c.type = lhs.element_type();
  c.batch = lhs.dim(attrs.input_batch);
  c.features_in = lhs.dim(attrs.input_feature);
  c.depth = rhs.dim(attrs.kernel_input_feature);
  c.features_out = rhs.dim(attrs.kernel_output_feature);
  c.feature_groups = attrs.feature_group_count;
  c.batch_groups = attrs.batch_group_count;
  c.lhs_batch_step = layout.lhs[attrs.input_batch];
  c.lhs_feature_step = layout.lhs[attrs.input_feature];
  c.rhs_in_step = layout.rhs[attrs.kernel_input_feature];
  c.rhs_out_step = layout.rhs[attrs.kernel_output_feature];
  c.result_batch_step = layout.result[attrs.output_batch];
  c.result_feature_step = layout.result[attrs.output_feature];
  c.rhs_shape.assign(rhs.shape().begin(), rhs.shape().end());
  for (size_t d = 0; d < rank; ++d) {
    Spatial s;
    s.in = lhs.dim(attrs.input_spatial[d]);
    s.window = rhs.dim(attrs.kernel_spatial[d]);
    s.out = result.dim(attrs.output_spatial[d]);
    s.stride = s.out == 1 ? 1 : strides[d];
    s.low = padding[2 * d];
    s.base = s.in == 1 ? 1 : base[d];
    s.dilation = s.window == 1 ? 1 : dilation[d];
    s.is_reversed = reversal[d] != 0;
    s.is_direction_free = s.window == 1;
    s.lhs_step = layout.lhs[attrs.input_spatial[d]];
    s.rhs_step = layout.rhs[attrs.kernel_spatial[d]];
    s.result_step = layout.result[attrs.output_spatial[d]];
    s.rhs_dim = attrs.kernel_spatial[d];
    s.result_dim = attrs.output_spatial[d];
    c.spatial.push_back(s);
  }
  // A convolution without a window is one over a single point.
  if (rank == 0) c.spatial.push_back({1, 1, 1, 1, 0, 1, 1, false, true, 1, 1, 1, -1, -1});
  return c;
}

void add_dimension(ConvolutionDesc& desc, int64_t in, int64_t out, int64_t window, int64_t stride, int64_t dilation,
                   int64_t pad_low) {
  desc.in_size.push_back(in);
  desc.out_size.push_back(out);
  desc.kernel_size.push_back(window);
  desc.stride.push_back(stride);
  desc.dilation.push_back(dilation);
  desc.pad_low.push_back(pad_low);
}

// The operand that a forward or weight-gradient kernel slides over, without the rows that negative padding cuts off.
struct Cropped {
  int64_t extent, low, offset;
};

// The kernel has stride `stride` over it, below which rows at the end may stay.
Cropped crop(const Spatial& s, int64_t stride) {
  Cropped result{s.in, s.low, 0};
  if (result.low < 0) {
    result.offset = -result.low * s.lhs_step;
    result.extent += result.low;
    result.low = 0;
  }
  int64_t reached = (s.out - 1) * s.stride + s.reach() - result.low;
  if (result.extent - reached >= stride) result.extent = std::max<int64_t>(reached, 0);
  return result;
}

// rhs is read reversed along the dimensions whose direction is the wrong one for the kernel.
void reverse_rhs_where(const Convolution& c, bool wanted_reversed, ConvolutionForm& form) {
  for (const Spatial& s : c.spatial)
    if (!s.is_direction_free && s.is_reversed != wanted_reversed) form.reversed_rhs.push_back(s.rhs_dim);
}

// Strides of rhs in memory: of the op's layout, or of the dense reversed copy.
struct RhsSteps {
  int64_t in, out;
  std::vector<int64_t> spatial;
};

RhsSteps rhs_steps(const Convolution& c, const ConvolutionForm& form, int64_t in_dim, int64_t out_dim) {
  RhsSteps steps{c.rhs_in_step, c.rhs_out_step, {}};
  for (const Spatial& s : c.spatial) steps.spatial.push_back(s.rhs_step);
  if (form.reversed_rhs.empty()) return steps;
  std::vector<int64_t> dense(c.rhs_shape.size(), 1);
  for (size_t d = dense.size(); d-- > 1;) dense[d - 1] = dense[d] * c.rhs_shape[d];
  steps.in = dense[in_dim];
  steps.out = dense[out_dim];
  for (size_t d = 0; d < c.spatial.size(); ++d)
    if (c.spatial[d].rhs_dim >= 0) steps.spatial[d] = dense[c.spatial[d].rhs_dim];
  return steps;
}

std::string forward(const Convolution& c, const ConvolutionAttrs& attrs, ConvolutionForm& form) {
  if (c.batch_groups > 1) return "batch groups";
  ConvolutionDesc& d = form.desc;
  d.direction = ConvolutionDirection::kForward;
  d.batch = c.batch, d.in_channels = c.features_in, d.out_channels = c.features_out, d.groups = c.feature_groups;
  reverse_rhs_where(c, false, form);
  const RhsSteps rhs = rhs_steps(c, form, attrs.kernel_input_feature, attrs.kernel_output_feature);
  d.src_strides = {c.lhs_batch_step, c.lhs_feature_step};
  d.weights_strides = {rhs.out, rhs.in};
  d.dst_strides = {c.result_batch_step, c.result_feature_step};
  for (size_t axis = 0; axis < c.spatial.size(); ++axis) {
    const Spatial& s = c.spatial[axis];
    if (s.base != 1) return "lhs_dilation above 1";
    const Cropped lhs = crop(s, s.stride);
    add_dimension(d, lhs.extent, s.out, s.window, s.stride, s.dilation, lhs.low);
    form.lhs_offset += lhs.offset;
    d.src_strides.push_back(s.lhs_step);
    d.weights_strides.push_back(rhs.spatial[axis]);
    d.dst_strides.push_back(s.result_step);
  }
  return {};
}

// With q = result position and k counted from the window's other end, result[q] sums lhs[p] * rhs[k] over
// p * base + k * dilation - pad = q where pad = reach - 1 - low: the gradient by the input of the convolution with stride
// `base` from the result's extents to lhs's.
std::string backward_data(const Convolution& c, const ConvolutionAttrs& attrs, ConvolutionForm& form) {
  if (c.batch_groups > 1) return "batch groups";
  ConvolutionDesc& d = form.desc;
  d.direction = ConvolutionDirection::kBackwardData;
  d.batch = c.batch, d.in_channels = c.features_out, d.out_channels = c.features_in, d.groups = c.feature_groups;
  reverse_rhs_where(c, true, form);
  const RhsSteps rhs = rhs_steps(c, form, attrs.kernel_input_feature, attrs.kernel_output_feature);
  d.src_strides = {c.result_batch_step, c.result_feature_step};
  d.weights_strides = {rhs.in, rhs.out};
  // The groups of rhs lie in its output features, which are the input channels here.
  d.weights_group_stride = rhs.out * (c.features_out / c.feature_groups);
  d.dst_strides = {c.lhs_batch_step, c.lhs_feature_step};
  for (size_t axis = 0; axis < c.spatial.size(); ++axis) {
    const Spatial& s = c.spatial[axis];
    if (s.stride != 1) return "window_strides above 1";
    add_dimension(d, s.out, s.in, s.window, s.base, s.dilation, s.reach() - 1 - s.low);
    d.src_strides.push_back(s.result_step);
    d.weights_strides.push_back(rhs.spatial[axis]);
    d.dst_strides.push_back(s.lhs_step);
  }
  return {};
}

// The result is the gradient by weights, rhs the gradient of the output: what is summed over as features is the batch.
std::string backward_weights(const Convolution& c, const ConvolutionAttrs&, ConvolutionForm& form) {
  if (c.feature_groups > 1) return "feature groups";
  ConvolutionDesc& d = form.desc;
  d.direction = ConvolutionDirection::kBackwardWeights;
  d.batch = c.features_in, d.in_channels = c.batch, d.out_channels = c.features_out, d.groups = c.batch_groups;
  d.src_strides = {c.lhs_feature_step, c.lhs_batch_step};
  d.dst_strides = {c.rhs_in_step, c.rhs_out_step};
  d.weights_strides = {c.result_feature_step, c.result_batch_step};
  for (const Spatial& s : c.spatial) {
    if (s.base != 1) return "lhs_dilation above 1";
    if (s.is_reversed && !s.is_direction_free) return "window_reversal";
    const Cropped lhs = crop(s, s.dilation);
    add_dimension(d, lhs.extent, s.window, s.out, s.dilation, s.stride, lhs.low);
    form.lhs_offset += lhs.offset;
    d.src_strides.push_back(s.lhs_step);
    d.dst_strides.push_back(s.rhs_step);
    d.weights_strides.push_back(s.result_step);
  }
  return {};
}

// The weight gradient of a transposed convolution: lhs, dilated, is the gradient of the output and rhs the input. With k
// counted from the result's other end, position of rhs = j * base + k * stride - ((out - 1) * stride - low).
std::string backward_weights_swapped(const Convolution& c, const ConvolutionAttrs&, ConvolutionForm& form) {
  if (c.feature_groups > 1) return "feature groups";
  ConvolutionDesc& d = form.desc;
  d.direction = ConvolutionDirection::kBackwardWeights;
  d.batch = c.features_in, d.in_channels = c.features_out, d.out_channels = c.batch, d.groups = c.batch_groups;
  form.is_swapped = true;
  d.src_strides = {c.rhs_in_step, c.rhs_out_step};
  d.dst_strides = {c.lhs_feature_step, c.lhs_batch_step};
  d.weights_strides = {c.result_batch_step, c.result_feature_step};
  d.weights_group_stride = c.result_feature_step * (c.features_out / c.batch_groups);
  for (const Spatial& s : c.spatial) {
    if (s.dilation != 1) return "rhs_dilation above 1";
    if (s.is_reversed && !s.is_direction_free) return "window_reversal";
    add_dimension(d, s.window, s.in, s.out, s.base, s.stride, (s.out - 1) * s.stride - s.low);
    if (s.out > 1) form.reversed_result.push_back(s.result_dim);
    d.src_strides.push_back(s.rhs_step);
    d.dst_strides.push_back(s.lhs_step);
    d.weights_strides.push_back(s.result_step);
  }
  return {};
}

int64_t product(const Convolution& c, int64_t Spatial::* extent) {
  int64_t all = 1;
  for (const Spatial& s : c.spatial) all *= s.*extent;
  return all;
}

// Reversals, and activations that are not channels-last and would be reordered.
size_t copies(const ConvolutionForm& form) {
  const ConvolutionDesc& d = form.desc;
  return form.reversed_rhs.size() + form.reversed_result.size() + (d.in_channels > 1 && d.src_strides[1] != 1) +
         (d.out_channels > 1 && d.dst_strides[1] != 1);
}

bool asks_for_precision(const Attrs& attrs) {
  const Attr* precision = attrs.find("precision_config");
  const auto* words = precision ? precision->get_if<std::shared_ptr<const AttrList>>() : nullptr;
  return words && std::ranges::any_of(**words, [](const Attr& word) {
           const auto* text = word.get_if<std::string>();
           return text == nullptr || *text != "DEFAULT";
         });
}

}  // namespace

ConvolutionAnalysis analyze_convolution(const OpView& op, const ContractionLayout& layout) {
  ConvolutionAnalysis analysis;
  const Type lhs = op.operand_type(0), rhs = op.operand_type(1), result = op.result_type();
  std::string reason;
  if (!lhs.is_static() || !rhs.is_static() || !result.is_static()) reason = "extents are not static";
  else if (lhs.element_type() != rhs.element_type() || lhs.element_type() != result.element_type())
    reason = "operands and result differ in element type";
  else if (lhs.num_elements() == 0 || rhs.num_elements() == 0 || result.num_elements() == 0)
    reason = "an extent is zero: nothing to compute";
  if (!reason.empty()) {
    analysis.refused.push_back({"convolution", reason});
    return analysis;
  }
  const ConvolutionAttrs attrs = ConvolutionAttrs::from(op.attrs());
  const Convolution c = read(op, layout);
  struct Row {
    const char* name;
    std::string (*make)(const Convolution&, const ConvolutionAttrs&, ConvolutionForm&);
  };
  std::vector<Row> rows = {{"forward", forward},
                           {"backward_data", backward_data},
                           {"backward_weights", backward_weights},
                           {"backward_weights_swapped", backward_weights_swapped}};
  // An op without dilation of lhs and reversal may be forward or the gradient of weights: the latter has a window larger
  // than what comes out.
  if (product(c, &Spatial::window) > product(c, &Spatial::out)) std::rotate(rows.begin(), rows.begin() + 2, rows.end());
  for (const Row& row : rows) {
    ConvolutionForm form;
    form.desc.type = c.type;
    form.desc.is_exact = asks_for_precision(op.attrs());
    reason = row.make(c, attrs, form);
    if (reason.empty()) analysis.forms.push_back(std::move(form));
    else analysis.refused.push_back({row.name, reason});
  }
  std::stable_sort(analysis.forms.begin(), analysis.forms.end(),
                   [](const ConvolutionForm& a, const ConvolutionForm& b) { return copies(a) < copies(b); });
  return analysis;
}

}  // namespace weft::native

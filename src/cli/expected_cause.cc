#include "cli/expected_cause.h"

#include <algorithm>
#include <string_view>

namespace weft::cli {
namespace {

/// Words of StableHLO's verifier and the constraints that they stand for. `causes` lists labels and ops, separated by spaces: a label
/// counts for its own op only, "*_c1" for any op, "some.op" says at which op the error is. The first row whose words occur decides;
/// ops whose constraint the specification does not number are absent, and then only the op is compared.
struct Row {
  std::string_view words, causes;
};
constexpr Row kRows[] = {
    // types of results
    {"re incompatible with return type",
     "abs_c1 abs_c2 all_gather_c6 all_reduce_c6 all_reduce_c7 all_to_all_c9 atan2_c1 batch_norm_grad_c2 "
     "batch_norm_grad_c3 "
     "batch_norm_grad_c4 batch_norm_inference_c7 batch_norm_training_c5 batch_norm_training_c6 batch_norm_training_c7 "
     "broadcast_in_dim_c1 case_c4 cholesky_c1 clamp_c4 collective_permute_c5 compare_c2 complex_c2 complex_c3 "
     "concatenate_c5 "
     "concatenate_c6 constant_c1 dynamic_gather_c22 dynamic_gather_c23 dynamic_slice_c1 dynamic_slice_c5 "
     "dynamic_update_slice_c1 fft_c2 fft_c4 fft_c5 gather_c22 gather_c23 get_tuple_element_c2 if_c3 imag_c1 imag_c2 "
     "is_finite_c1 map_c1 map_c4 optimization_barrier_c1 pad_c1 pad_c4 real_c1 real_c2 reduce_c7 reduce_c8 "
     "reduce_precision_c1 "
     "reduce_scatter_c8 reduce_scatter_c9 reduce_window_c14 reduce_window_c15 reduce_window_c16 reverse_c1 rng_c1 "
     "rng_c3 "
     "scatter_c24 scatter_c25 select_c2 select_and_scatter_c11 select_and_scatter_c12 slice_c1 slice_c5 sort_c2 "
     "sort_c3 "
     "transpose_c1 transpose_c3 triangular_solve_c4 tuple_c1 uniform_dequantize_c1 uniform_dequantize_c2 "
     "uniform_quantize_c1 "
     "uniform_quantize_c2 while_c3"},
    {"is incompatible with return type of operation",
     "convolution_c25 convolution_c26 dot_general_c12 dynamic_conv_c25 dynamic_conv_c26"},
    {"requires the same element type for all operands and results", "*_c1"},
    {"requires the same shape for all operands and results", "*_c1 compare_c2"},
    {"requires the same type for all operands and results", "*_c1"},
    {"requires the same element type for operand and result", "all_to_all_c9"},
    {"requires the same number of operands and results", "all_to_all_c9"},
    // attributes with a range of their own
    {"attribute 'all_gather_dim' failed", "all_gather_c1"},
    {"attribute 'batch_group_count' failed", "convolution_c22 dynamic_conv_c22"},
    {"attribute 'concat_dimension' failed", "all_to_all_c3"},
    {"attribute 'dimension' failed", "concatenate_c4 get_dimension_size_c1 set_dimension_size_c1 sort_c4"},
    {"attribute 'exponent_bits' failed", "reduce_precision_c2"},
    {"attribute 'feature_group_count' failed", "convolution_c21 dynamic_conv_c21"},
    {"attribute 'feature_index' failed", "batch_norm_grad_c1 batch_norm_inference_c1 batch_norm_training_c1"},
    {"attribute 'index' failed", "get_tuple_element_c1"},
    {"attribute 'iota_dimension' failed", "iota_c1 dynamic_iota_c1"},
    {"attribute 'mantissa_bits' failed", "reduce_precision_c3"},
    {"attribute 'scatter_dimension' failed", "reduce_scatter_c2"},
    {"attribute 'split_count' failed", "all_to_all_c4"},
    {"attribute 'split_dimension' failed", "all_to_all_c1"},
    // groups of processes
    {"seen more than once",
     "all_gather_c2 all_reduce_c1 all_to_all_c5 collective_broadcast_c1 collective_reduce_c1 reduce_scatter_c3"},
    {"not seen in replica groups",
     "all_gather_c3 all_gather_c4 all_reduce_c2 all_reduce_c3 all_to_all_c7 collective_reduce_c2 reduce_scatter_c4 "
     "reduce_scatter_c5"},
    {"Invalid replica id", "all_gather_c4 all_to_all_c7 reduce_scatter_c5"},
    {"values must be positive, but was given", "collective_broadcast_c2"},
    {"group size of replica_groups must be", "all_to_all_c8"},
    {"useGlobalDeviceIds is set", "all_gather_c5 all_reduce_c4 reduce_scatter_c6"},
    {"collective_broadcast with has_dynamic_root=true", "collective_broadcast_c4"},
    {"collective_broadcast requires at least one data operand", "collective_broadcast_c3 collective_broadcast_c4"},
    {"expect source_target_pairs attribute", "collective_permute_c1 collective_permute_i2"},
    {"duplicate sources not allowed", "collective_permute_c2 send_c2 recv_c2"},
    {"duplicate targets not allowed", "collective_permute_c3 send_c3 recv_c3"},
    {"replica ids in source_target_pairs must be", "collective_permute_c4"},
    {"AllToAll split_dimension", "all_to_all_c1"},
    {"AllToAll concat_dimension", "all_to_all_c3"},
    {"expected to be a multiple of split_count", "all_to_all_c2"},
    {"all_gather_dim must be a valid index", "all_gather_c1"},
    {"dimension size of operand at 'all_gather_dim' cannot be zero", "all_gather_c1 all_gather_c6"},
    {"operand and result must have the same rank", "all_gather_c6"},
    {"except for the dimension size at 'all_gather_dim'", "all_gather_c6"},
    {"result gather dimension has size", "all_gather_c6"},
    {"operand and result should have same rank", "reduce_scatter_c8"},
    {"scatter dim should be less than", "reduce_scatter_c2"},
    {"dimension size at scatter_dimension cannot be zero", "reduce_scatter_c1 reduce_scatter_c8"},
    {"operand scatter dimension has size", "reduce_scatter_c1 reduce_scatter_c8"},
    {"non scatter dimensions should be same", "reduce_scatter_c8"},
    {"result element-type is expected to be", "reduce_scatter_c9"},
    // reducers
    {"expected the inner-op to be a commutative", "stablehlo.reduce"},
    {"The type of reduction-region's parameter at index",
     "all_reduce_c5 collective_reduce_c4 reduce_c2 reduce_c6 reduce_scatter_c7 reduce_window_c3 reduce_window_c13 "
     "scatter_c6 "
     "scatter_c23 select_and_scatter_c3 select_and_scatter_c10"},
    {"The element-type of reduction-region's argument at index",
     "all_reduce_c5 collective_reduce_c4 reduce_c2 reduce_c6 reduce_scatter_c7 reduce_window_c3 reduce_window_c13 "
     "scatter_c6 "
     "scatter_c23 select_and_scatter_c3 select_and_scatter_c10"},
    {"eduction-region",
     "all_reduce_c5 collective_reduce_c4 reduce_c3 reduce_c6 reduce_i2 reduce_scatter_c7 reduce_window_c13 "
     "reduce_window_i2 "
     "scatter_c6 scatter_c23 select_and_scatter_c10 select_and_scatter_i3"},
    {"expects all inputs to have compatible shapes", "reduce_c1 reduce_window_c2"},
    {"Out-of-bounds dimension", "reduce_c4"},
    {"Duplicate reduction dimension", "reduce_c5"},
    {"requires at least 1 input value", "reduce_c3 reduce_window_c1"},
    // windows and convolutions
    {"expects window-dimensions size == input rank", "reduce_window_c4"},
    {"expects window-dimensions size == operand rank", "select_and_scatter_c4"},
    {"window-strides to have same dimension-size",
     "convolution_c2 dynamic_conv_c2 reduce_window_c6 select_and_scatter_c6"},
    {"base-dilation factors to have same dimension-size", "convolution_c5 dynamic_conv_c5 reduce_window_c8"},
    {"window-dilation factors to have same dimension-size", "convolution_c7 dynamic_conv_c7 reduce_window_c10"},
    {"padding-entries to have same dimension-size",
     "convolution_c4 dynamic_conv_c4 reduce_window_c12 select_and_scatter_c8"},
    {"expects the shape of padding-attribute to be", "convolution_c4 reduce_window_c12 select_and_scatter_c8"},
    {"window-reversal to have same dimension-size", "convolution_c9 dynamic_conv_c9"},
    {"expects window to have positive value", "reduce_window_c5 select_and_scatter_c5"},
    {"expects window to have positive stride", "convolution_c3 dynamic_conv_c3 reduce_window_c7 select_and_scatter_c7"},
    {"expects window to have positive base dilation", "convolution_c6 dynamic_conv_c6 reduce_window_c9"},
    {"expects window to have positive window dilation", "convolution_c8 dynamic_conv_c8 reduce_window_c11"},
    {"expects source-type to be", "select_and_scatter_c1 select_and_scatter_c2"},
    {"select-region", "select_and_scatter_c9"},
    {"expects convolution arguments to have same number of dimensions", "convolution_c1 dynamic_conv_c1"},
    {"expects convolution arguments to have >= 2 dimensions", "convolution_c1 dynamic_conv_c1 convolution_c12"},
    {"expects convolution arguments to have", "convolution_c12 dynamic_conv_c12"},
    {"expects the same size for input, kernel and output spatial-dimensions",
     "convolution_c12 convolution_c17 convolution_c19 dynamic_conv_c12 dynamic_conv_c17 dynamic_conv_c19"},
    {"dimension-numbers to be in-range",
     "convolution_c13 convolution_c18 convolution_c20 dynamic_conv_c13 dynamic_conv_c18 dynamic_conv_c20"},
    {"expects input dimension-numbers to be unique", "convolution_c13 dynamic_conv_c13"},
    {"expects kernel dimension-numbers to be unique", "convolution_c18 dynamic_conv_c18"},
    {"expects output dimension-numbers to be unique", "convolution_c20 dynamic_conv_c20"},
    {"expects precision config to be empty or have", "convolution_c24 dynamic_conv_c24 dot_general_c11"},
    {"expects batch_group_count and feature_group_count not to be both", "convolution_c23 dynamic_conv_c23"},
    {"to be divisible by batch_group_count", "convolution_c10 dynamic_conv_c10"},
    {"to be a multiple of feature_group_count", "convolution_c11 dynamic_conv_c11"},
    {"/ feature_group_count = kernel input feature dimension", "convolution_c14 dynamic_conv_c14"},
    {"to be a multiple of batch_group_count", "convolution_c15 dynamic_conv_c15"},
    {"to be divisible by feature_group_count", "convolution_c16 dynamic_conv_c16"},
    {"expects lhs and rhs to have compatible element type", "convolution_c27 dynamic_conv_c27"},
    {"expects padding to be of", "dynamic_conv_c4 dynamic_conv_i3"},
    // gather and scatter
    {"offset_dims size (", "gather_c1 dynamic_gather_c1"},
    {"Expects index_vector_dim to be in range", "gather_c2 dynamic_gather_c2 scatter_c22"},
    {"start_index_map size (", "gather_c3 dynamic_gather_c3"},
    {"expects offset_dims to", "gather_c4 dynamic_gather_c4"},
    {"Expects each element of offset_dims", "gather_c5 dynamic_gather_c5"},
    {"from collapsed_slice_dims and", "gather_c6 dynamic_gather_c6"},
    {"expects collapsed_slice_dims to be sorted", "gather_c7 dynamic_gather_c7"},
    {"Expects each element of collapsed_slice_dims", "gather_c8 dynamic_gather_c8"},
    {"for each dim in collapsed_slice_dims", "gather_c9 dynamic_gather_c9"},
    {"expects operand_batching_dims to be sorted", "gather_c10 dynamic_gather_c10"},
    {"Expects each element of operand_batching_dims", "gather_c11 dynamic_gather_c11"},
    {"for each dim in operand_batching_dims", "gather_c12 dynamic_gather_c12"},
    {"expects start_indices_batching_dims to not repeat", "gather_c13 dynamic_gather_c13"},
    {"Expects each element of start_indices_batching_dims", "gather_c14 dynamic_gather_c14"},
    {"expects start_indices_batching_dims not to include", "gather_c15 dynamic_gather_c15"},
    {"operand_batching_dims and start_indices_batching_dims should have", "gather_c16 dynamic_gather_c16"},
    {"must have compatible sizes, but got", "gather_c17 dynamic_gather_c17 scatter_c18"},
    {"from start_index_map and", "gather_c18 dynamic_gather_c18"},
    {"Expects each element of start_index_map", "gather_c19 dynamic_gather_c19"},
    {"slice_sizes size (", "gather_c20 dynamic_gather_c20"},
    {"slice_sizes.rank != 1", "gather_i9"},
    {"slice size (", "gather_c21 dynamic_gather_c21"},
    {"Not all inputs have compatible shapes", "scatter_c1"},
    {"Expects rank-of operand to match", "scatter_c2"},
    {"Not all updates have compatible shapes", "scatter_c3"},
    {"expects updates tensor must be of rank", "scatter_c4"},
    {"dimensions of updates to", "scatter_c4"},
    {"Expects update_window_dims to", "scatter_c7"},
    {"Expects each element of update_window_dims", "scatter_c8"},
    {"from inserted_window_dims and", "scatter_c9"},
    {"Expects inserted_window_dims to be sorted", "scatter_c10"},
    {"Expects each element of inserted_window_dims", "scatter_c11"},
    {"Expects input_batching_dims to be sorted", "scatter_c12"},
    {"Expects each element of input_batching_dims", "scatter_c13"},
    {"Expects scatter_indices_batching_dims to not repeat", "scatter_c14"},
    {"Expects each element of scatter_indices_batching_dims", "scatter_c15"},
    {"expects scatter_indices_batching_dims not to", "scatter_c16"},
    {"input_batching_dims and scatter_indices_batching_dims should have", "scatter_c17"},
    {"elements in scatter_dims_to_operand_dims", "scatter_c19"},
    {"from scatter_dims_to_operand_dims and", "scatter_c20"},
    {"Expects each element of scatter_dims_to_operand_dims", "scatter_c21"},
    // products
    {"same number of batching dimensions", "dot_general_c1"},
    {"same number of contracting dimensions", "dot_general_c2"},
    {"from lhs_batching_dimensions and", "dot_general_c3"},
    {"from rhs_batching_dimensions and", "dot_general_c4"},
    {"lhs_batching_dimensions value", "dot_general_c5"},
    {"lhs_contracting_dimensions value", "dot_general_c6"},
    {"rhs_batching_dimensions value", "dot_general_c7"},
    {"rhs_contracting_dimensions value", "dot_general_c8"},
    {"batching dimension sizes must match", "dot_general_c9"},
    {"contracting dimension sizes must match", "dot_general_c10"},
    {"must specify DEFAULT precision config when algorithm is set", "dot_general_c21"},
    {"argument 'a' must have rank", "cholesky_c2"},
    {"minor dimensions of 'a' must have equal size", "cholesky_c3"},
    {"operand 'a' must have rank", "triangular_solve_c2"},
    {"operands must have equal rank", "triangular_solve_c2"},
    {"two minor dimensions of operand 'a'", "triangular_solve_c3"},
    {"shared dimension of operands 'a' and 'b'", "triangular_solve_c3"},
    {"batch dimensions of the operands must be compatible", "triangular_solve_c3"},
    {"Invalid transpose option", "triangular_solve_i6"},
    // batch norm
    {"expects multi-dimensional operands to have compatible shapes", "batch_norm_grad_c3"},
    {"single-dimensional operands to",
     "batch_norm_grad_c4 batch_norm_grad_c5 batch_norm_inference_c3 batch_norm_inference_c4 batch_norm_inference_c5 "
     "batch_norm_inference_c6 batch_norm_training_c3 batch_norm_training_c4"},
    {"expects featureIndex to be smaller", "batch_norm_grad_c1 batch_norm_inference_c1 batch_norm_training_c1"},
    // control flow
    {"operand should be rank 0 tensor", "case_i1 if_i1"},
    {"expect at least one branch", "case_c1"},
    {"must have 0 arguments, but found", "case_c2 if_c1"},
    {"have mismatched return types", "case_c3 if_c2"},
    {"compatible with condition block arguments", "while_c1"},
    {"expect condition", "while_c1"},
    {"compatible with body block", "while_c2"},
    {"The while body-region", "while_c2"},
    {"name must be a valid namespaced op name", "stablehlo.composite composite_c1"},
    {"does not reference a valid function", "stablehlo.composite composite_c2"},
    {"operand(s), but decomposition has", "stablehlo.composite composite_c3"},
    {"operand at index", "stablehlo.composite composite_c3"},
    {"result(s), but decomposition has", "stablehlo.composite composite_c4"},
    {"result at index", "stablehlo.composite composite_c4"},
    // moving elements
    {"broadcast_dimensions size (", "broadcast_in_dim_c2 dynamic_broadcast_in_dim_c2"},
    {"result rank (", "dynamic_broadcast_in_dim_c3"},
    {"broadcast_dimensions should not have duplicates", "broadcast_in_dim_c4 dynamic_broadcast_in_dim_c4"},
    {"broadcast_dimensions contains invalid value", "broadcast_in_dim_c3 dynamic_broadcast_in_dim_c3"},
    {"size of operand dimension", "broadcast_in_dim_c5 dynamic_broadcast_in_dim_c5"},
    {"duplicate expansion hint", "dynamic_broadcast_in_dim_c8"},
    {"hint for expanding dimension", "dynamic_broadcast_in_dim_c9 dynamic_broadcast_in_dim_c10"},
    {"min shape [", "clamp_c1"},
    {"max shape [", "clamp_c2"},
    {"rank-0 values cannot be concatenated", "concatenate_c4"},
    {"is out-of-bounds for input rank", "concatenate_c4"},
    {"do not match rank", "concatenate_c2"},
    {"are not compatible at non-concat index", "concatenate_c2"},
    {"expected 1 or more operands", "concatenate_c3"},
    {"number of slice sizes", "dynamic_slice_c2"},
    {"number of start indices", "dynamic_slice_c2"},
    {"start indices must have same element type", "dynamic_slice_c3 dynamic_update_slice_c5"},
    {"size index to dynamic slice", "dynamic_slice_c4"},
    {"has slice size", "dynamic_slice_c4"},
    {"update rank does not match", "dynamic_update_slice_c3"},
    {"number of start_indices to match", "dynamic_update_slice_c4"},
    {"expects size at dimension", "dynamic_update_slice_c6"},
    {"is out of bounds of operand with size", "get_tuple_element_c1"},
    {"requires monotonically increasing dimension numbers", "map_c3"},
    {"applied to a subset of dimensions", "map_c3"},
    {"map computation", "map_c4"},
    {"computation arguments must be 0-rank", "map_c4"},
    {"operands and computation arguments must match", "map_c4"},
    {"computation must return", "map_c4"},
    {"edge_padding_low length", "pad_c2"},
    {"Interior padding cannot be negative", "pad_c3"},
    {"Padding result in negative", "pad_c4"},
    {"padding operands size (", "dynamic_pad_c2"},
    {"interior_padding must be non-negative", "dynamic_pad_c3"},
    {"expected output dimension at index", "dynamic_pad_c4"},
    {"result should have a rank equal to the number of elements in output_shape",
     "dynamic_reshape_c4 dynamic_reshape_i2"},
    {"doesn't match expected number of elements", "reshape_c2 dynamic_reshape_c2"},
    {"output_shape is incompatible with input type", "dynamic_reshape_c2"},
    {"requires compatible types for non-predicate operands", "select_c2"},
    {"requires the same shape for all operands", "select_c1"},
    {"the number of elements in", "slice_c2"},
    {"negative start index", "slice_c3"},
    {"limit index", "slice_c3"},
    {"start index", "slice_c3"},
    {"stride must be positive", "slice_c4"},
    {"dimensions should be unique", "reverse_c2"},
    {"all dimensions should be", "reverse_c3"},
    {"TransposeOp operand rank", "transpose_c2"},
    {"attribute permutation must be a permutation", "transpose_c2"},
    {"iota dimension cannot go beyond", "iota_c1 dynamic_iota_c1"},
    {"does not support scalars", "iota_c1 dynamic_iota_c1"},
    {"requires dimension attribute in range", "get_dimension_size_c1 set_dimension_size_c1"},
    {"expects dimension to be in range", "get_dimension_size_c1 set_dimension_size_c1"},
    {"size operand should be of rank-0", "set_dimension_size_i2"},
    {"dimension attribute value must be in range", "sort_c4"},
    {"comparator", "sort_c5"},
    {"cannot convert between real and complex types", "bitcast_convert_c2"},
    {"of smaller element type (", "bitcast_convert_c1"},
    {"requires compatible bit widths", "bitcast_convert_c1"},
    {"operand and result shapes must match except for the innermost", "bitcast_convert_c1"},
    // transforms of numbers
    {"rank must be between 1 and 3", "fft_c3"},
    {"requires f32 or f64 input type", "fft_c2"},
    {"take a complex tensor as input", "fft_c2"},
    {"operand rank must not be less than fft rank", "fft_c1"},
    {"RFFT requires innermost dimensions", "fft_c4 fft_c5"},
    {"RFFT requires non-final dimensions", "fft_c4 fft_c5"},
    {"RFFT requires innermost dimension", "fft_c4 fft_c5"},
    {"mu and sigma must be floats", "rng_c2"},
    {"output state shape must be compatible", "rng_bit_generator_c1"},
    {"Expressed type of result expected to be", "uniform_quantize_c2"},
    // transfers
    {"result is expected to be at least of size 1", "infeed_c1 recv_o1"},
    {"are expected to be of tensor type", "infeed_c2"},
    {"everything but the last element of result types", "recv_o1"},
    {"last element of result types is expected to be of token type", "infeed_c3 recv_o1"},
    {"channel_type should be", "recv_c5 send_c5"},
    // quantized types
    {"mismatched operands and result quantization storage types", "add_c1 add_c3"},
    {"mismatched operands and result quantization expressed types", "add_c1 add_c4"},
    {"either quantized or non-quantized", "add_c1 add_c2"},
    {"per_axis quantized but", "add_c1 add_c5"},
    {"quantization_dimension of lhs and result", "add_c1 add_c6"},
    {"quantization_dimension of rhs and result", "add_c1 add_c7"},
    {"rhs should be quantized for quantized operations", "convolution_c28 dot_general_c14 dynamic_conv_c28"},
    {"same with kernel_output_feature_dimension", "convolution_c29 dynamic_conv_c29"},
    {"same with output_feature_dimension", "convolution_c30 dynamic_conv_c30"},
    {"mismatched lhs and rhs quantization storage types", "convolution_c31 dot_general_c17 dynamic_conv_c31"},
    {"mismatched lhs, rhs and result quantization expressed types", "convolution_c32 dot_general_c18 dynamic_conv_c32"},
    {"mismatched rhs and result quantization granularity", "convolution_c33 dot_general_c19 dynamic_conv_c33"},
    {"mismatched rhs quantization expressed type", "convolution_c34 dot_general_c20 dynamic_conv_c34"},
    {"of rhs should be 0", "dot_general_c15"},
    {"should not be in the contracting dimension of rhs", "dot_general_c16"},
    {"expect same quantization dimension size", "reshape_c3 dynamic_reshape_c3"},
    {"product of dimensions before quantization dimension", "reshape_c3 dynamic_reshape_c3"},
    {"expect same quantization scale",
     "broadcast_in_dim_c1 dynamic_broadcast_in_dim_c1 dynamic_reshape_c1 reshape_c1 transpose_c1"},
    {"not same as broadcast_dimensions[", "broadcast_in_dim_c6 dynamic_broadcast_in_dim_c6"},
    {"mismatch result scale", "broadcast_in_dim_c6 dynamic_broadcast_in_dim_c6"},
    {"mismatch result zero_point", "broadcast_in_dim_c6 dynamic_broadcast_in_dim_c6"},
    {"is not same as permutation[", "transpose_c4"},
    {"expects operand and result to have compatible element type", "dynamic_broadcast_in_dim_c1 dynamic_reshape_c1"},
    // other programs' verifiers
    {"custom_call should", "stablehlo.custom_call"},
    {"`programs` attribute", "interpreter.run_parallel"},
    {"dimension of `programs`", "interpreter.run_parallel"},
    {"the number of inputs of all programs", "interpreter.run_parallel"},
    {"Function \"", "interpreter.run_parallel"},
};

std::string lower(std::string_view s) {
  std::string out(s);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// "[op] …" → op.
std::string_view op_of(std::string_view message) {
  if (!message.starts_with('[')) return {};
  const size_t end = message.find(']');
  const std::string_view op = message.substr(1, end == std::string_view::npos ? 0 : end - 1);
  return op.find('.') == std::string_view::npos ? std::string_view() : op;
}

/// "… (slice_c3)" → slice_c3.
std::string_view label_of(std::string_view message) {
  const size_t open = message.rfind('(');
  if (open == std::string_view::npos || !message.ends_with(')')) return {};
  const std::string_view label = message.substr(open + 1, message.size() - open - 2);
  return label.find('_') == std::string_view::npos || label.find(' ') != std::string_view::npos ? std::string_view()
                                                                                                : label;
}

std::string_view bare(std::string_view op) { return op.substr(op.find('.') + 1); }

/// The op that the expected words name: "'stablehlo.add' op …", "custom op 'stablehlo.add' …".
std::string_view named_in(std::string_view text) {
  const size_t open = text.find('\'');
  const size_t close = text.find('\'', open + 1);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  const std::string_view op = text.substr(open + 1, close - open - 1);
  const bool is_op = op.find('.') != std::string_view::npos && op.find_first_of(" <>[]") == std::string_view::npos;
  return is_op && (text.substr(close + 1).starts_with(" op") || text.substr(0, open).ends_with("op "))
             ? op
             : std::string_view();
}

}  // namespace

CauseVerdict judge_cause(const std::string& message, const nlohmann::json& facts) {
  CauseVerdict out;
  const std::string_view op = op_of(message), label = label_of(message);
  std::string expected_op, expected;
  const Row* row = nullptr;
  for (const auto& d : facts.value("expected_diagnostics", nlohmann::json::array())) {
    const std::string text = d.value("text", "");
    expected += (expected.empty() ? "" : "; ") + text;
    if (expected_op.empty()) expected_op = named_in(text);
    for (const Row& r : kRows) {
      if (row == nullptr && lower(text).find(lower(r.words)) != std::string::npos) row = &r;
    }
  }
  std::string labels;
  if (row != nullptr) {
    std::string_view rest = row->causes;
    while (!rest.empty()) {
      const std::string_view cause = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(cause.size() + 1, rest.size()));
      if (cause.find('.') != std::string_view::npos) {
        expected_op = cause;
      } else if (cause.starts_with('*') || cause.substr(0, cause.rfind('_')) == bare(op)) {
        out.expects_label = true;
        labels += (labels.empty() ? "" : " or ") + std::string(cause);
        const std::string_view suffix = cause.substr(1);
        out.has_label |= cause.starts_with('*') ? label == std::string(bare(op)) + std::string(suffix) : label == cause;
      }
    }
  }
  // A record's primary op is the one that its program is about.
  const auto& primary = facts.contains("primary_op") ? facts.at("primary_op") : nlohmann::json();
  if (expected_op.empty() && primary.is_string() && primary.get<std::string>() != "none") expected_op = primary;
  out.expects_op = !expected_op.empty();
  out.names_op = !op.empty() && (expected_op.empty() || op == expected_op);
  if (out.expects_op && !out.names_op)
    out.aside = "refused at " + (op.empty() ? "no op" : std::string(op)) + ", the record is about " + expected_op +
                ": \"" + message + "\"";
  // An op inside the expected one may be the first to be refused, and a type in a function's signature is at no op: that is counted,
  // but only another constraint is wrong.
  if (out.expects_label && !out.has_label)
    out.wrong = "refused with \"" + message + "\", expected " + labels + " (\"" + expected + "\")";
  return out;
}

}  // namespace weft::cli

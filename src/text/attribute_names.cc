#include "text/attribute_names.h"

#include <array>

namespace weft::text {
namespace {

constexpr std::array kDotFields = {
    StructField{"lhs_batching_dimensions"},
    StructField{"rhs_batching_dimensions"},
    StructField{"lhs_contracting_dimensions"},
    StructField{"rhs_contracting_dimensions"},
};
constexpr std::array kRaggedDotFields = {
    StructField{"lhs_batching_dimensions"},    StructField{"rhs_batching_dimensions"},
    StructField{"lhs_contracting_dimensions"}, StructField{"rhs_contracting_dimensions"},
    StructField{"lhs_ragged_dimensions"},      StructField{"rhs_group_dimensions"},
};
constexpr std::array kGatherFields = {
    StructField{"offset_dims"},           StructField{"collapsed_slice_dims"},
    StructField{"operand_batching_dims"}, StructField{"start_indices_batching_dims"},
    StructField{"start_index_map"},       StructField{"index_vector_dim", FieldKind::kInt},
};
constexpr std::array kScatterFields = {
    StructField{"update_window_dims"},           StructField{"inserted_window_dims"},
    StructField{"input_batching_dims"},          StructField{"scatter_indices_batching_dims"},
    StructField{"scatter_dims_to_operand_dims"}, StructField{"index_vector_dim", FieldKind::kInt},
};
// Only for looking fields up; #stablehlo.conv has a notation of its own.
constexpr std::array kConvolutionFields = {
    StructField{"input_batch_dimension", FieldKind::kInt},
    StructField{"input_feature_dimension", FieldKind::kInt},
    StructField{"input_spatial_dimensions"},
    StructField{"kernel_input_feature_dimension", FieldKind::kInt},
    StructField{"kernel_output_feature_dimension", FieldKind::kInt},
    StructField{"kernel_spatial_dimensions"},
    StructField{"output_batch_dimension", FieldKind::kInt},
    StructField{"output_feature_dimension", FieldKind::kInt},
    StructField{"output_spatial_dimensions"},
};

constexpr std::array kAlgorithmFields = {
    StructField{"lhs_precision_type", FieldKind::kWord},
    StructField{"rhs_precision_type", FieldKind::kWord},
    StructField{"accumulation_type", FieldKind::kWord},
    StructField{"lhs_component_count", FieldKind::kInt},
    StructField{"rhs_component_count", FieldKind::kInt},
    StructField{"num_primitive_operations", FieldKind::kInt},
    StructField{"allow_imprecise_accumulation", FieldKind::kBool},
};

constexpr std::array kChannelFields = {
    StructField{"handle", FieldKind::kInt},
    StructField{"type", FieldKind::kInt},
};
constexpr StructAttribute channel_handle(std::string_view mnemonic) {
  return {mnemonic, "channel_handle", "stablehlo.channel_handle", kChannelFields, false};
}

constexpr std::array kStructs = {
    StructAttribute{"stablehlo.dot_general", "dot_dimension_numbers", "stablehlo.dot", kDotFields},
    StructAttribute{"chlo.ragged_dot", "ragged_dot_dimension_numbers", "chlo.ragged_dot", kRaggedDotFields},
    StructAttribute{"stablehlo.gather", "dimension_numbers", "stablehlo.gather", kGatherFields},
    StructAttribute{"stablehlo.scatter", "scatter_dimension_numbers", "stablehlo.scatter", kScatterFields},
    StructAttribute{"stablehlo.convolution", "dimension_numbers", "stablehlo.conv", kConvolutionFields},
    StructAttribute{"stablehlo.dynamic_gather", "dimension_numbers", "stablehlo.gather", kGatherFields},
    StructAttribute{"stablehlo.dynamic_conv", "dimension_numbers", "stablehlo.conv", kConvolutionFields},
    StructAttribute{"stablehlo.dot_general", "algorithm", "stablehlo.dot_algorithm", kAlgorithmFields, false},
    channel_handle("stablehlo.all_gather"),
    channel_handle("stablehlo.all_reduce"),
    channel_handle("stablehlo.all_to_all"),
    channel_handle("stablehlo.collective_broadcast"),
    channel_handle("stablehlo.collective_permute"),
    channel_handle("stablehlo.collective_reduce"),
    channel_handle("stablehlo.reduce_scatter"),
    channel_handle("stablehlo.send"),
    channel_handle("stablehlo.recv"),
};

constexpr std::array kWritten = {
    WrittenAs{"stablehlo.convolution", "padding", Written::kPairs},
    WrittenAs{"stablehlo.convolution", "window_reversal", Written::kBooleans},
    WrittenAs{"stablehlo.convolution", "precision_config", Written::kEnumList, "precision"},
    WrittenAs{"stablehlo.dynamic_conv", "window_reversal", Written::kBooleans},
    WrittenAs{"stablehlo.dynamic_conv", "precision_config", Written::kEnumList, "precision"},
    WrittenAs{"stablehlo.reduce_window", "padding", Written::kPairs},
    WrittenAs{"stablehlo.select_and_scatter", "padding", Written::kPairs},
    WrittenAs{"stablehlo.dot_general", "precision_config", Written::kEnumList, "precision"},
    WrittenAs{"chlo.ragged_dot", "precision_config", Written::kEnumList, "precision"},
    WrittenAs{"stablehlo.dot", "precision_config", Written::kEnumList, "precision"},
    WrittenAs{"stablehlo.compare", "comparison_direction", Written::kEnum, "comparison_direction"},
    WrittenAs{"stablehlo.compare", "compare_type", Written::kEnum, "comparison_type"},
    WrittenAs{"chlo.broadcast_compare", "comparison_direction", Written::kEnum, "comparison_direction"},
    WrittenAs{"chlo.broadcast_compare", "compare_type", Written::kEnum, "comparison_type"},
    WrittenAs{"stablehlo.reduce_precision", "exponent_bits", Written::kInt32},
    WrittenAs{"stablehlo.reduce_precision", "mantissa_bits", Written::kInt32},
    WrittenAs{"stablehlo.custom_call", "api_version", Written::kInt32},
    WrittenAs{"chlo.scan", "operandSegmentSizes", Written::kInts32},
    WrittenAs{"chlo.scan", "resultSegmentSizes", Written::kInts32},
    WrittenAs{"func.call", "callee", Written::kSymbol},
    WrittenAs{"stablehlo.composite", "decomposition", Written::kSymbol},
    WrittenAs{"stablehlo.composite", "version", Written::kInt32},
    WrittenAs{"stablehlo.get_tuple_element", "index", Written::kInt32},
    WrittenAs{"stablehlo.fft", "fft_type", Written::kEnum, "fft_type"},
    WrittenAs{"stablehlo.rng", "rng_distribution", Written::kEnum, "rng_distribution"},
    WrittenAs{"stablehlo.rng_bit_generator", "rng_algorithm", Written::kEnum, "rng_algorithm"},
    WrittenAs{"stablehlo.triangular_solve", "transpose_a", Written::kEnum, "transpose"},
    WrittenAs{"stablehlo.all_gather", "use_global_device_ids", Written::kUnit},
    WrittenAs{"stablehlo.all_reduce", "use_global_device_ids", Written::kUnit},
    WrittenAs{"stablehlo.reduce_scatter", "use_global_device_ids", Written::kUnit},
    WrittenAs{"chlo.constant_like", "value", Written::kOfResult},
    WrittenAs{"stablehlo.batch_norm_training", "epsilon", Written::kFloat32},
    WrittenAs{"stablehlo.batch_norm_inference", "epsilon", Written::kFloat32},
    WrittenAs{"stablehlo.batch_norm_grad", "epsilon", Written::kFloat32},
};

constexpr std::array kDims = {Clause{"dims", "broadcast_dimensions"}};
constexpr std::array kPermutation = {Clause{"dims", "permutation"}};
constexpr std::array kReverse = {Clause{"dims", "dimensions"}};
constexpr std::array kPad = {Clause{"low", "edge_padding_low"}, Clause{"high", "edge_padding_high"},
                             Clause{"interior", "interior_padding"}};
constexpr std::array kConcatenate = {Clause{"dim", "dimension", false}};
constexpr std::array kIota = {Clause{"dim", "iota_dimension", false}};
constexpr std::array kSizes = {Clause{"sizes", "slice_sizes"}};
constexpr std::array kDimension = {Clause{"dim", "dimension", false}};

constexpr std::array kClauseForms = {
    ClauseForm{"stablehlo.broadcast_in_dim", kDims},
    ClauseForm{"stablehlo.transpose", kPermutation},
    ClauseForm{"stablehlo.reverse", kReverse},
    ClauseForm{"stablehlo.pad", kPad},
    ClauseForm{"stablehlo.concatenate", kConcatenate},
    ClauseForm{"stablehlo.iota", kIota},
    ClauseForm{"stablehlo.dynamic_slice", kSizes},
    ClauseForm{"stablehlo.get_dimension_size", kDimension},
    ClauseForm{"stablehlo.dynamic_broadcast_in_dim", kDims},
    ClauseForm{"stablehlo.dynamic_iota", kIota},
    ClauseForm{"stablehlo.set_dimension_size", kDimension},
};

}  // namespace

const StructAttribute* find_struct(std::string_view mnemonic, std::string_view attribute) {
  for (const StructAttribute& s : kStructs) {
    if (s.mnemonic == mnemonic && s.attribute == attribute) return &s;
  }
  return nullptr;
}

const StructAttribute* find_struct_of_field(std::string_view mnemonic, std::string_view field) {
  for (const StructAttribute& s : kStructs) {
    if (s.mnemonic != mnemonic) continue;
    for (const StructField& f : s.fields) {
      if (f.name == field) return &s;
    }
  }
  return nullptr;
}

const StructAttribute* find_struct_by_tag(std::string_view tag) {
  for (const StructAttribute& s : kStructs) {
    if (s.tag == tag) return &s;
  }
  return nullptr;
}

const WrittenAs& written_as(std::string_view mnemonic, std::string_view attribute) {
  static constexpr WrittenAs kDefault{"", "", Written::kPlain};
  for (const WrittenAs& w : kWritten) {
    if (w.mnemonic == mnemonic && w.attribute == attribute) return w;
  }
  return kDefault;
}

bool takes_one_type(std::string_view mnemonic) {
  if (find_clauses(mnemonic) != nullptr) return mnemonic == "stablehlo.reverse" || mnemonic == "stablehlo.iota";
  for (const std::string_view m :
       {"stablehlo.convert", "stablehlo.reshape", "stablehlo.bitcast_convert", "stablehlo.dynamic_update_slice",
        "stablehlo.dynamic_reshape", "stablehlo.dynamic_pad", "stablehlo.real_dynamic_slice"}) {
    if (m == mnemonic) return false;
  }
  return true;
}

const ClauseForm* find_clauses(std::string_view mnemonic) {
  for (const ClauseForm& c : kClauseForms) {
    if (c.mnemonic == mnemonic) return &c;
  }
  return nullptr;
}

}  // namespace weft::text

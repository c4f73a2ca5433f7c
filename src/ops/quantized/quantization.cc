#include "ops/quantized/quantization.h"

#include <algorithm>
#include <cmath>

#include "base/float_format.h"
#include "base/format.h"
#include "ops/structural/dimension_checks.h"

namespace weft {

std::vector<BodyOperand> body_operands(const OpDef& def, size_t operands) {
  std::vector<BodyOperand> out;
  const std::string_view m = def.mnemonic;
  const size_t n = operands / 2;
  if (m == "stablehlo.select_and_scatter") { return {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 1, 1}, {2, 1, 0}}; }
  if (m == "stablehlo.map" || m == "stablehlo.sort") {
    for (size_t i = 0; i < operands; ++i) {
      if (m == "stablehlo.map") {
        out.push_back({i, 0, i});
      } else {
        out.push_back({i, 0, 2 * i});
        out.push_back({i, 0, 2 * i + 1});
      }
    }
  } else if (m == "stablehlo.reduce" || m == "stablehlo.reduce_window") {
    for (size_t i = 0; i < n; ++i) {
      out.push_back({i, 0, n + i});
      out.push_back({n + i, 0, i});
    }
  } else if (m == "stablehlo.scatter") {
    for (size_t i = 0; i < n; ++i) {
      out.push_back({i, 0, i});
      out.push_back({n + 1 + i, 0, n + i});
    }
  } else {
    for (size_t i = 0; i < operands; ++i) out.push_back({i, 0, 0});  // collectives: one body of one value
  }
  return out;
}

bool touches_quantized(const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (op.operand_type(i).is_quantized()) return true;
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (op.result_type(i).is_quantized()) return true;
  }
  return false;
}

bool touches_quantized(const TypeContext& c) {
  if (std::ranges::any_of(c.operands, &Type::is_quantized) || std::ranges::any_of(c.declared, &Type::is_quantized))
    return true;
  const auto is_quantized = [&](Value v) { return c.function.type(v).is_quantized(); };
  for (RegionId r : c.regions) {
    if (std::ranges::any_of(c.function.args(r), is_quantized)) return true;
    const OpId last = c.function.terminator(r);
    if (last && std::ranges::any_of(c.function.operands(last), is_quantized)) return true;
  }
  return false;
}

Type expressed_type(Type t) { return t.is_quantized() ? t.with_element(t.quantization()->expressed) : t; }
Type storage_type(Type t) { return t.is_quantized() ? t.with_element(t.element_type()) : t; }

bool same_elements(Type a, Type b) {
  return a.is_tensor() && b.is_tensor() && a.element_type() == b.element_type() && a.quantization() == b.quantization();
}

bool same_baseline(Type a, Type b) {
  if (a.element_type() != b.element_type() || a.is_quantized() != b.is_quantized()) return false;
  if (!a.is_quantized()) return true;
  const Quantization &x = *a.quantization(), &y = *b.quantization();
  return x.expressed == y.expressed && x.storage_min == y.storage_min && x.storage_max == y.storage_max &&
         x.axis == y.axis;
}

std::string quantization_fault(Type t) {
  if (!t.is_quantized()) return "";
  const Quantization& q = *t.quantization();
  const ElementType storage = t.element_type();
  const auto fault = [&](const std::string& what, const char* label) {
    return what + " in " + t.str() + " (quantized_" + label + ")";
  };
  const int bits = bit_width(storage);
  const bool is_unsigned = is_unsigned_integer(storage);
  const int64_t low = is_unsigned ? 0 : bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1));
  const int64_t high = is_unsigned ? (bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1) : -(low + 1);
  if (q.storage_min < low || q.storage_min >= q.storage_max || q.storage_max > high) {
    return fault("storage range: got " + std::to_string(q.storage_min) + " to " + std::to_string(q.storage_max) +
                     ", expected one within " + std::to_string(low) + " to " + std::to_string(high),
                 "element_type_c3");
  }
  // The neighbour of zero is the format's smallest number: its encoding is 1.
  const double least = decode_float(q.expressed, 1);
  double most = largest_value(q.expressed);
  for (uint64_t code = encode_float(q.expressed, most); !std::isfinite(most);) most = decode_float(q.expressed, --code);
  for (double s : q.scales) {
    if (!(s >= least && s <= most)) {
      return fault("scale: got " + format_float(s) + ", expected one from " + format_float(least) + " to " +
                       format_float(most) + ", the positive numbers of the expressed type",
                   s > 0 ? "element_type_c6" : "element_type_c5");
    }
  }
  for (int64_t z : q.zero_points) {
    if (z < q.storage_min || z > q.storage_max) {
      return fault("zero point: got " + std::to_string(z) + ", expected one from " + std::to_string(q.storage_min) +
                       " to " + std::to_string(q.storage_max),
                   "element_type_c7");
    }
  }
  if (q.scales.size() != q.zero_points.size() || q.scales.empty())
    return fault("as many scales as zero points are needed", "element_type_c9");
  if (!q.per_axis()) {
    return q.scales.size() == 1 ? ""
                                : fault("one scale is needed without a quantization dimension", "element_type_c10");
  }
  if (q.axis >= t.rank()) {
    return fault("quantization dimension: got " + std::to_string(q.axis) + ", expected one below the rank " +
                     std::to_string(t.rank()),
                 "tensor_type_c12");
  }
  if (!compatible_extent(t.dim(q.axis), static_cast<int64_t>(q.scales.size()))) {
    return fault("number of scales: got " + std::to_string(q.scales.size()) +
                     ", expected the extent of the quantization dimension, " + std::to_string(t.dim(q.axis)),
                 "tensor_type_c13");
  }
  return "";
}

}  // namespace weft

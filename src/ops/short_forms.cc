// Ops of older exporters that are short for others. Attribute names:
//   dot                 precision_config
//   einsum              einsum_config (text "ab,bc->ac")
//   unary_einsum        einsum_config (text "ab->a")
//   broadcast           broadcast_sizes (ints)
//   torch_index_select  dim, batch_dims (int)
#include <algorithm>

#include "ops/contraction/dot_general.h"
#include "ops/expansion.h"
#include "ops/families_list.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

// ---- dot ------------------------------------------------------------------------------------------------------------

std::vector<Type> type_dot(const TypeContext& c) {
  c.expect_operands(2);
  expect_class(c, 0, kRealClass | kComplexClass);
  expect_class(c, 1, kRealClass | kComplexClass);
  check_precision(c, "");
  const Type a = c.operands[0], b = c.operands[1];
  if (a.rank() < 1 || a.rank() > 2 || b.rank() < 1 || b.rank() > 2) {
    c.fail("", "ranks of the operands: got " + std::to_string(a.rank()) + " and " + std::to_string(b.rank()) +
                   ", expected both to be 1 or 2");
  }
  if (!compatible_extent(a.shape().back(), b.shape().front())) {
    c.fail("", "contracting extents: got " + std::to_string(a.shape().back()) + " and " +
                   std::to_string(b.shape().front()) + ", expected equal ones");
  }
  std::vector<int64_t> shape(a.shape().begin(), a.shape().end() - 1);
  shape.insert(shape.end(), b.shape().begin() + 1, b.shape().end());
  std::vector<int64_t> bounds = bounds_of(a), right = bounds_of(b);
  bounds.pop_back();
  bounds.insert(bounds.end(), right.begin() + 1, right.end());
  const bool is_declared = c.declared.size() == 1 && c.declared[0].is_tensor();
  return {Type::tensor(is_declared ? c.declared[0].element_type() : a.element_type(), shape).with_bounds(bounds)};
}

std::vector<Value> expand_dot(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const Type s = b.type(x[0]), t = b.type(x[1]);
  std::vector<int64_t> shape(s.shape().begin(), s.shape().end() - 1);
  shape.insert(shape.end(), t.shape().begin() + 1, t.shape().end());
  return {
      b.dot_general(x[0], x[1], {{}, {}, {s.rank() - 1}, {0}}, Type::tensor(op.result_type().element_type(), shape))};
}

// ---- einsum -----------------------------------------------------------------------------------------------------------

struct Einsum {
  std::vector<std::string> operands;
  std::string result;
};

/// "ab,bc->ac" with one letter for each dimension; nothing when it reads otherwise.
std::optional<Einsum> read_einsum(std::string_view text) {
  Einsum out;
  const size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  std::string_view left = text.substr(0, arrow);
  out.result = text.substr(arrow + 2);
  for (;;) {
    const size_t comma = left.find(',');
    out.operands.emplace_back(left.substr(0, comma));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  const auto is_plain = [](const std::string& s) {
    return std::all_of(s.begin(), s.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  };
  for (const std::string& s : out.operands) {
    if (!is_plain(s)) return std::nullopt;
  }
  if (!is_plain(out.result)) return std::nullopt;
  return out;
}

std::vector<Type> type_einsum(const TypeContext& c) {
  const bool is_unary = c.def.mnemonic == "stablehlo.unary_einsum";
  c.expect_operands(is_unary ? 1 : 2);
  const std::string& text = c.attrs.text("einsum_config");
  const auto e = read_einsum(text);
  if (!e || e->operands.size() != c.operands.size())
    c.fail("",
           "einsum_config: got \"" + text + "\", expected letters like \"" + (is_unary ? "ab->a" : "ab,bc->ac") + "\"");
  std::vector<std::pair<char, int64_t>> extents;
  const auto extent_of = [&](char letter) -> int64_t* {
    for (auto& [l, n] : extents) {
      if (l == letter) return &n;
    }
    return nullptr;
  };
  for (size_t i = 0; i < c.operands.size(); ++i) {
    expect_class(c, i, kRealClass | kComplexClass);
    const Type t = c.operands[i];
    if (static_cast<int64_t>(e->operands[i].size()) != t.rank()) {
      c.fail("", "rank of operand " + std::to_string(i) + ": got " + std::to_string(t.rank()) + ", expected " +
                     std::to_string(e->operands[i].size()) + " as einsum_config says");
    }
    for (size_t d = 0; d < e->operands[i].size(); ++d) {
      const char letter = e->operands[i][d];
      if (e->operands[i].find(letter) != d)
        throw Unsupported("[" + std::string(c.def.mnemonic) + "] a letter that stands twice for one operand: " + text,
                          c.loc);
      int64_t* known = extent_of(letter);
      if (known == nullptr) {
        extents.emplace_back(letter, t.dim(static_cast<int64_t>(d)));
      } else if (!compatible_extent(*known, t.dim(static_cast<int64_t>(d)))) {
        c.fail("", std::string("extent of '") + letter + "': got " + std::to_string(t.dim(static_cast<int64_t>(d))) +
                       ", expected " + std::to_string(*known));
      } else if (*known == kDynamic) {
        *known = t.dim(static_cast<int64_t>(d));
      }
    }
  }
  std::vector<int64_t> shape;
  for (size_t d = 0; d < e->result.size(); ++d) {
    const int64_t* extent = extent_of(e->result[d]);
    if (extent == nullptr || e->result.find(e->result[d]) != d)
      c.fail("", "einsum_config: got \"" + text + "\", expected each letter of the result once and among the operands");
    shape.push_back(*extent);
  }
  return {c.declared.size() == 1 && c.declared[0].is_tensor() ? Type::tensor(c.declared[0].element_type(), shape)
                                                              : c.operands[0].with_shape(shape)};
}

/// x with the dimensions summed whose letters `kept` lacks, as a product with ones; `letters` follows.
Value sum_others(OpBuilder& b, Value x, std::string& letters, std::string_view kept) {
  std::vector<int64_t> summed;
  std::string rest;
  for (size_t d = 0; d < letters.size(); ++d) {
    if (kept.find(letters[d]) == std::string_view::npos) {
      summed.push_back(static_cast<int64_t>(d));
    } else {
      rest += letters[d];
    }
  }
  if (summed.empty()) return x;
  letters = rest;
  const Type t = b.type(x);
  const Value ones = b.splat(t.with_shape(pick(t.shape(), summed)), 1);
  return b.dot_general(x, ones, {{}, {}, summed, axis_range(0, static_cast<int64_t>(summed.size()))});
}

Value reorder(OpBuilder& b, Value x, const std::string& from, const std::string& to) {
  std::vector<int64_t> permutation;
  for (char c : to) permutation.push_back(static_cast<int64_t>(from.find(c)));
  return b.transpose(x, permutation);
}

std::vector<Value> expand_unary_einsum(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const Einsum e = *read_einsum(op.attrs().text("einsum_config"));
  std::string letters = e.operands[0];
  const Value sum = sum_others(b, b.convert(x[0], op.result_type().element_type()), letters, e.result);
  return {reorder(b, sum, letters, e.result)};
}

std::vector<Value> expand_einsum(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const Einsum e = *read_einsum(op.attrs().text("einsum_config"));
  std::string left = e.operands[0], right = e.operands[1];
  // A wider result is computed wide.
  const ElementType wide = op.result_type().element_type();
  const Value p = sum_others(b, b.convert(x[0], wide), left, right + e.result),
              q = sum_others(b, b.convert(x[1], wide), right, left + e.result);
  DotDims dims;
  std::string letters, tail;
  for (size_t i = 0; i < left.size(); ++i) {
    const size_t j = right.find(left[i]);
    if (j == std::string::npos) {
      tail += left[i];
      continue;
    }
    const bool is_batch = e.result.find(left[i]) != std::string::npos;
    (is_batch ? dims.lhs_batching : dims.lhs_contracting).push_back(static_cast<int64_t>(i));
    (is_batch ? dims.rhs_batching : dims.rhs_contracting).push_back(static_cast<int64_t>(j));
    if (is_batch) letters += left[i];
  }
  for (char c : right) {
    if (left.find(c) == std::string::npos) tail += c;
  }
  // Batching dimensions stand first, then those of lhs, then those of rhs.
  const Value sum = b.dot_general(p, q, dims);
  return {reorder(b, sum, letters + tail, e.result)};
}

// ---- broadcast --------------------------------------------------------------------------------------------------------

std::vector<Type> type_broadcast(const TypeContext& c) {
  c.expect_operands(1);
  expect_tensor(c, 0);
  const auto& sizes = c.attrs.ints("broadcast_sizes");
  for (int64_t n : sizes) {
    if (n < 0) c.fail("", "broadcast_sizes: got " + format_list(sizes) + ", expected no negative values");
  }
  const std::vector<int64_t> unbounded(sizes.size(), kDynamic);
  return {c.operands[0]
              .with_shape(joined({sizes, c.operands[0].shape()}))
              .with_bounds(joined({unbounded, bounds_of(c.operands[0])}))};
}

std::vector<Value> expand_broadcast(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const auto& sizes = op.attrs().ints("broadcast_sizes");
  const Type t = b.type(x[0]);
  return {
      b.broadcast_in_dim(x[0], axis_range(static_cast<int64_t>(sizes.size()), t.rank()), joined({sizes, t.shape()}))};
}

// ---- torch_index_select -------------------------------------------------------------------------------------------------

/// Result: operand's extents before dim, index's extents from batch_dims on, operand's extents after dim.
std::vector<int64_t> index_select_shape(Type x, Type index, int64_t dim, int64_t batch) {
  const auto s = x.shape(), i = index.shape();
  return joined({s.first(static_cast<size_t>(dim)), i.subspan(static_cast<size_t>(batch)),
                 s.subspan(static_cast<size_t>(dim) + 1)});
}

std::vector<Type> type_index_select(const TypeContext& c) {
  c.expect_operands(2);
  expect_tensor(c, 0);
  expect_class(c, 1, kIntegerClass);
  const Type x = c.operands[0], index = c.operands[1];
  const int64_t dim = c.attrs.integer("dim"), batch = c.attrs.integer("batch_dims");
  if (dim < 0 || dim >= x.rank())
    c.fail("", "dim: got " + std::to_string(dim) + ", expected a dimension of " + x.str());
  if (batch < 0 || batch > dim || batch > index.rank()) {
    c.fail("", "batch_dims: got " + std::to_string(batch) + ", expected at most dim and the rank of the index");
  }
  for (int64_t d = 0; d < batch; ++d) {
    if (!compatible_extent(x.dim(d), index.dim(d)))
      c.fail("", "batch extents of operand and index: got " + x.str() + " and " + index.str());
  }
  const Type result = x.with_shape(index_select_shape(x, index, dim, batch));
  if (x.dim(dim) == 0 && result.is_static() && result.num_elements() != 0)
    c.fail("", "dim: got a dimension without elements of " + x.str() + ", from which " + index.str() + " selects");
  return {result};
}

std::vector<Value> expand_index_select(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const Type t = b.type(x[0]), index = b.type(x[1]);
  const int64_t dim = op.attrs().integer("dim"), batch = op.attrs().integer("batch_dims");
  const Type result = t.with_shape(index_select_shape(t, index, dim, batch));
  // No slice of one element fits where there is none.
  if (result.num_elements() == 0) return {b.zeros(result)};
  const int64_t taken = index.rank() - batch;
  std::vector<int64_t> sizes(t.shape().begin(), t.shape().end()), dims = {dim}, batching = axis_range(0, batch);
  for (int64_t d : batching) sizes[static_cast<size_t>(d)] = 1;
  sizes[static_cast<size_t>(dim)] = 1;
  // gather puts batch dimensions of the index in order, offsets elsewhere.
  Attrs attrs{{"offset_dims", joined({axis_range(batch, dim - batch), axis_range(dim + taken, t.rank() - dim - 1)})},
              {"collapsed_slice_dims", dims},
              {"operand_batching_dims", batching},
              {"start_indices_batching_dims", batching},
              {"start_index_map", dims},
              {"index_vector_dim", index.rank()},
              {"slice_sizes", sizes}};
  return b.create("stablehlo.gather", x, std::move(attrs));
}

// ---- samples ----------------------------------------------------------------------------------------------------------

Sample sample(std::string_view mnemonic, std::string label, std::vector<Type> types, Attrs attrs, Domain domain = {}) {
  std::vector<SampleOperand> operands;
  for (Type t : types) operands.push_back({t, is_integer(t.element_type()) ? Domain{0, 2} : domain});
  return {std::move(label), std::move(operands),
          [mnemonic, attrs](OpBuilder& b, std::span<const Value> x) { return b.create(mnemonic, x, attrs); },
          is_float(types[0].element_type())};
}

constexpr ElementType kF64 = ElementType::kF64;

std::vector<Sample> samples_dot() {
  return {sample("stablehlo.dot", "matrices", {Type::tensor(kF64, {2, 3}), Type::tensor(kF64, {3, 4})}, {}),
          sample("stablehlo.dot", "vectors", {Type::tensor(kF64, {3}), Type::tensor(kF64, {3})}, {}),
          sample("stablehlo.dot", "matrix and vector",
                 {Type::tensor(ElementType::kF32, {2, 3}), Type::tensor(ElementType::kF32, {3})}, {}),
          sample("stablehlo.dot", "i32",
                 {Type::tensor(ElementType::kI32, {2, 3}), Type::tensor(ElementType::kI32, {3})}, {})};
}

std::vector<Sample> samples_einsum() {
  const auto one = [](std::string config, Type a, Type b) {
    return sample("stablehlo.einsum", config, {a, b}, Attrs{{"einsum_config", config}});
  };
  return {one("ijk,ikm->ijm", Type::tensor(kF64, {2, 3, 4}), Type::tensor(kF64, {2, 4, 3})),
          one("ab,bc->ca", Type::tensor(kF64, {2, 3}), Type::tensor(kF64, {3, 2})),
          one("abd,cb->c", Type::tensor(kF64, {2, 3, 2}), Type::tensor(kF64, {2, 3}))};
}

std::vector<Sample> samples_unary_einsum() {
  const auto one = [](std::string config, Type a) {
    return sample("stablehlo.unary_einsum", config, {a}, Attrs{{"einsum_config", config}});
  };
  return {one("ab->a", Type::tensor(kF64, {2, 3})), one("abc->ca", Type::tensor(kF64, {2, 3, 2})),
          one("ab->ba", Type::tensor(kF64, {2, 3}))};
}

std::vector<Sample> samples_broadcast() {
  const auto one = [](std::string label, Type a, std::vector<int64_t> sizes) {
    return sample("stablehlo.broadcast", std::move(label), {a}, Attrs{{"broadcast_sizes", std::move(sizes)}});
  };
  return {one("two", Type::tensor(kF64, {3}), {2, 2}), one("scalar", Type::scalar(kF64), {3}),
          one("i8", Type::tensor(ElementType::kI8, {2, 2}), {2})};
}

std::vector<Sample> samples_index_select() {
  const auto one = [](std::string label, Type a, Type index, int64_t dim, int64_t batch) {
    return sample("stablehlo.torch_index_select", std::move(label), {a, index},
                  Attrs{{"dim", dim}, {"batch_dims", batch}});
  };
  return {one("rows", Type::tensor(kF64, {3, 2}), Type::tensor(ElementType::kI32, {4}), 0, 0),
          one("columns", Type::tensor(kF64, {2, 3}), Type::tensor(ElementType::kI64, {2, 2}), 1, 0),
          one("batch", Type::tensor(kF64, {2, 3, 2}), Type::tensor(ElementType::kI32, {2, 2}), 1, 1)};
}

const OpRecord kOps[] = {
    expansion_record<expand_dot>("stablehlo.dot", "dot_general of the last dimension of lhs with the first of rhs.",
                                 Syntax::kCustom, {{"precision_config", AttrKind::kAny, false}}, type_dot, cost_move,
                                 samples_dot),
    expansion_record<expand_einsum>(
        "stablehlo.einsum", "Sum of products over the letters that the result lacks, one letter a dimension.",
        Syntax::kCustom, {{"einsum_config", AttrKind::kText}}, type_einsum, cost_move, samples_einsum),
    expansion_record<expand_unary_einsum>("stablehlo.unary_einsum", "einsum of one operand: sums and transposes.",
                                          Syntax::kGeneric, {{"einsum_config", AttrKind::kText}}, type_einsum,
                                          cost_move, samples_unary_einsum),
    expansion_record<expand_broadcast>("stablehlo.broadcast", "Repeats the operand along new leading dimensions.",
                                       Syntax::kCustom, {{"broadcast_sizes", AttrKind::kInts}}, type_broadcast,
                                       cost_move, samples_broadcast),
    expansion_record<expand_index_select>("stablehlo.torch_index_select",
                                          "The slices of the operand along `dim` that the index names, for each index "
                                          "of the first batch_dims dimensions.",
                                          Syntax::kGeneric, {{"dim", AttrKind::kInt}, {"batch_dims", AttrKind::kInt}},
                                          type_index_select, cost_move, samples_index_select),
};

}  // namespace

Family short_form_ops() { return kOps; }

}  // namespace weft

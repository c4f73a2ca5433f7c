// Sources: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), for eigenvalues,
// singular values and the like; Walter and Lehmann, "Algorithmic differentiation of linear algebra functions" (2010), for QR; Ballard et al.,
// "Reconstructing Householder vectors from TSQR" (2014): reflectors V are the lower factor of Q - 1.
#include "lapack/derivatives.h"

#include <algorithm>
#include <string>

#include "lapack/derivative_parts.h"
#include "lapack/matrix.h"
#include "lapack/plain_ops.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/expansion.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack {

namespace ma = matrix_algebra;
using ma::conjugate;
using ma::part;
using ma::product;
using Values = std::span<const Value>;

std::string target_of(const OpView& op) { return op.attrs().text("call_target_name"); }

void expect_static(const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type t = op.operand_type(i);
    if (!t.is_tensor() || !t.is_static())
      throw Unsupported(
          "[stablehlo.custom_call] derivative of @" + target_of(op) + ": got " + t.str() + ", expected static tensors",
          op.loc());
  }
}

void expect_unused(LinearizeContext& context, const OpView& op, size_t result, const char* what) {
  if (context.regions().is_differentiated(op.result(result)))
    throw Unsupported("[stablehlo.custom_call] derivative of @" + target_of(op) + ": " + what + " states none",
                      op.loc());
}

Attrs with_letter(const OpView& op, std::string_view name, char letter) {
  Attrs attrs = op.attrs();
  AttrEntries entries;
  if (const Attr* given = attrs.find("mhlo.backend_config"); given != nullptr) {
    if (const auto* list = given->get_if<std::shared_ptr<const AttrEntries>>()) entries = **list;
  }
  std::erase_if(entries, [&](const auto& entry) { return entry.first == name; });
  entries.emplace_back(std::string(name), OpaqueAttr{std::to_string(static_cast<int>(letter)) + " : ui8"});
  attrs.set("mhlo.backend_config", std::move(entries));
  return attrs;
}

Value inverse_or_zero(OpBuilder& b, Value x) {
  const Type t = b.type(x);
  const Value is_zero = b.compare(x, b.zeros(t), "EQ"), one = b.splat(t, 1);
  return b.select(is_zero, b.zeros(t), b.divide(one, b.select(is_zero, one, x)));
}

Value reflector_factor(OpBuilder& b, Value v, Value tau, int64_t columns) {
  const Type t = b.type(v);
  const int64_t k = columns_of(t);
  const Value gram = product(b, conjugate(b, v), true, v, false),
              first = ma::adjoint(b, ma::block(b, v, 0, columns, 0, k));
  const Value upper = part(b, b.multiply(gram, ma::spread(b, tau, b.type(gram), 0)), "LT");
  return ma::solve(b, upper, b.multiply(first, ma::spread(b, tau, b.type(first), 0)),
                   {.left = true, .lower = false, .unit = true});
}

Value reflectors(OpBuilder& b, Value packed, int64_t k) {
  const Value v = ma::block(b, packed, 0, rows_of(b.type(packed)), 0, k);
  return b.add(part(b, v, "GT"), ma::eye(b, b.type(v)));
}

namespace {

// ---- what StableHLO's own ops say ---------------------------------------------------------------------------------------------

std::vector<Value> expand_plainly(OpBuilder& b, const OpView& op, Values operands) {
  const auto plain = as_plain_ops(b, op, operands);
  if (!plain)
    throw Unsupported("[stablehlo.custom_call] derivative of @" + target_of(op) + ": not in this form", op.loc());
  return *plain;
}

Linearized linearize_plainly(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  return expansion_detail::linearize(expand_plainly, context, op, primals, tangents);
}

/// (reflectors, τ) → the first columns of their product.
std::vector<Value> expand_orgqr(OpBuilder& b, const OpView&, Values operands) {
  const Type type = b.type(operands[0]);
  const Value v = reflectors(b, operands[0], columns_of(b.type(operands[1])));
  const Value factor = reflector_factor(b, v, operands[1], columns_of(type));
  return {b.subtract(ma::eye(b, type), product(b, v, factor))};
}

Linearized linearize_orgqr(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  // The value is LAPACK's own.
  return {context.clone_primal(op, primals),
          expansion_detail::linearize(expand_orgqr, context, op, primals, tangents).tangents};
}

// ---- LU -----------------------------------------------------------------------------------------------------------------------

/// P·a = l·u: with m = l⁻¹·P·ȧ·u⁻¹, l̇ = l·(m below the diagonal) and u̇ = (the rest of m)·u. Where a is not square, l and u are made so by
/// the rows and columns of 1.
Linearized linearize_lu(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  OpBuilder &b = context.primal(), &linear = context.linear();
  std::vector<Value> results = context.clone_primal(op, primals);
  const Type type = op.operand_type(0);
  const int64_t m = rows_of(type), n = columns_of(type), k = std::min(m, n);
  const bool has_order = target_of(op) == "LuDecomposition";
  Value order = results[2];
  if (!has_order) {
    const Value from_zero = b.subtract(results[1], b.splat(b.type(results[1]), 1));
    std::vector<int64_t> shape(type.shape().begin(), type.shape().end() - 1);
    const Type rows[] = {Type::tensor(ElementType::kI32, shape)};
    order = b.create("stablehlo.custom_call", std::span(&from_zero, 1),
                     Attrs{{"call_target_name", "lu_pivots_to_permutation"}}, rows)[0];
  }
  std::vector<int64_t> square(type.shape().begin(), type.shape().end());
  square.back() = m;
  const Type chosen = Type::tensor(ElementType::kI32, square);
  const Value rows = b.convert(b.compare(ma::spread(b, order, chosen, 0), b.iota(chosen, chosen.rank() - 1), "EQ"),
                               type.element_type());
  const Value lower = ma::enlarged(b, part(b, ma::block(b, results[0], 0, m, 0, k), "GT"), m, m);
  const Value l = b.add(lower, ma::eye(b, b.type(lower)));
  Value u = ma::enlarged(b, part(b, ma::block(b, results[0], 0, k, 0, n), "LE"), n, n);
  if (n > k) {
    // Ones where u has no rows.
    std::vector<double> ones(static_cast<size_t>(n * n), 0);
    for (int64_t i = k; i < n; ++i) ones[static_cast<size_t>(i * n + i)] = 1;
    const int64_t axes[] = {type.rank() - 2, type.rank() - 1};
    const Value corner = b.convert(b.constant(Literal::dense(Tensor::of<double>(ones, {n, n}))), type.element_type());
    u = b.add(u, b.broadcast_in_dim(corner, axes, b.type(u).shape()));
  }
  const Value moved = product(linear, rows, tangents[0]);
  const Value middle = ma::solve(linear, u, ma::solve(linear, l, moved, {.left = true, .lower = true, .unit = true}),
                                 {.left = false, .lower = false});
  const Value below = product(linear, l, part(linear, middle, "GT")),
              above = product(linear, part(linear, middle, "LE"), u);
  return {std::move(results), {linear.add(below, above), Value{}, Value{}}};
}

// ---- QR -----------------------------------------------------------------------------------------------------------------------

}  // namespace

/// Through q and r: with x = ȧ·r⁻¹ and m = qᴴ·x, q turns by ω = m's lower part less its adjoint, and by the imaginary part of m's diagonal, as
/// r's is real; so q̇ = q·(ω - m) + x and ṙ = (m - ω)·r.
/// Then the reflectors: q - 1 = v·u is a factorization as in LU, whose upper factor has -τ on its diagonal.
std::array<Value, 2> reflector_tangents(LinearizeContext& context, Value packed_qr, Value tau, Value tangent) {
  OpBuilder &b = context.primal(), &linear = context.linear();
  const Type type = b.type(packed_qr);
  const int64_t m = rows_of(type), n = columns_of(type), k = std::min(m, n);
  if (type.num_elements() == 0) return {};
  const Value v = reflectors(b, packed_qr, k), u = b.negate(reflector_factor(b, v, tau, k));
  const Value q = b.add(ma::eye(b, b.type(v)), product(b, v, u));
  const Value r = part(b, ma::block(b, packed_qr, 0, k, 0, n), "LE"), r1 = ma::block(b, r, 0, k, 0, k);

  const Value x = ma::solve(linear, r1, ma::block(linear, tangent, 0, m, 0, k), {.left = false, .lower = false});
  const Value q_conjugate = conjugate(b, q);
  const Value middle = product(linear, q_conjugate, true, x, false), low = part(linear, middle, "GT");
  Value omega = linear.subtract(low, ma::adjoint(linear, low));
  if (is_complex(type.element_type())) {
    const Value imaginary = linear.make("stablehlo.imag", {part(linear, middle, "EQ")});
    omega = linear.add(omega, linear.make("stablehlo.complex", {b.zeros(b.type(imaginary)), imaginary}));
  }
  const Value turn = linear.subtract(omega, middle);  // ω - m
  const Value q_dot = linear.add(product(linear, q, turn), x);
  Value r_dot = product(linear, linear.negate(turn), r1);
  if (n > k) {
    const Value rest = ma::block(b, r, 0, k, k, n);
    const Value a_rest = product(b, q, rest);
    const Value r2_dot = linear.add(product(linear, conjugate(linear, q_dot), true, a_rest, false),
                                    product(linear, q_conjugate, true, ma::block(linear, tangent, 0, m, k, n), false));
    const Value parts[] = {r_dot, r2_dot};
    r_dot = linear.concatenate(parts, type.rank() - 1);
  }

  // A reflector that is the identity has 0 on the diagonal of u.
  const Value on_diagonal = ma::where(b, b.type(u), "EQ"), zeros = b.zeros(b.type(u));
  const Value is_zero = b.logical_and(on_diagonal, b.compare(u, zeros, "EQ"));
  const Value divisor = b.select(is_zero, b.splat(b.type(u), 1), u);
  const Value l1 = ma::block(b, v, 0, k, 0, k);
  const Value w =
      ma::solve(linear, l1, ma::block(linear, q_dot, 0, k, 0, k), {.left = true, .lower = true, .unit = true});
  const Value inner = part(linear, ma::solve(linear, divisor, w, {.left = false, .lower = false}), "GT");
  const Value u_dot = part(linear, linear.subtract(w, product(linear, inner, u)), "LE");
  Value v_dot = product(linear, l1, inner);
  if (m > k) {
    const Value l2 = ma::block(b, v, k, m, 0, k);
    const Value rest = linear.subtract(ma::block(linear, q_dot, k, m, 0, k), product(linear, l2, u_dot));
    const Value parts[] = {v_dot, ma::solve(linear, divisor, rest, {.left = false, .lower = false})};
    v_dot = linear.concatenate(parts, type.rank() - 2);
  }
  const Value packed = linear.add(ma::enlarged(linear, part(linear, r_dot, "LE"), m, n),
                                  ma::enlarged(linear, part(linear, v_dot, "GT"), m, n));
  return {packed, linear.negate(ma::diagonal(linear, u_dot))};
}

namespace {

Linearized linearize_geqrf(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  std::vector<Value> results = context.clone_primal(op, primals);
  const auto [packed, tau] = reflector_tangents(context, results[0], results[1], tangents[0]);
  return {std::move(results), {packed, tau}};
}

// ---- eigenvalues and singular values ----------------------------------------------------------------------------------------------

/// a·v = v·w of a Hermitian a: with m = vᴴ·ȧ·v, ẇ is m's diagonal and v̇ = v·(m_ij / (w_j - w_i)). Phases of complex vectors are kept.
Linearized linearize_eigh(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  OpBuilder &b = context.primal(), &linear = context.linear();
  std::vector<Value> results = context.clone_primal(op, primals);
  const bool is_portable = target_of(op) == "Eigh";
  Value v = results[0];
  bool has_vectors = true;
  if (!is_portable && letter(op, "mode", 'V') != 'V') {
    has_vectors = false;
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    v = b.create(op.def(), primals, with_letter(op, "mode", 'V'), types)[0];
    expect_unused(context, op, 0, "the matrix of mode N");
  }
  const bool lower =
      is_portable ? !op.attrs().text_or("backend_config", "1").starts_with("0") : letter(op, "uplo", 'L') == 'L';
  const Value given = ma::hermitian(linear, tangents[0], lower);
  const Value middle = product(linear, conjugate(b, v), true, product(linear, given, v), false);
  const Type square = b.type(v).with_element(b.type(results[1]).element_type());
  const Value gaps =
      b.subtract(ma::spread(b, results[1], square, 1), ma::spread(b, results[1], square, 0));  // w_j - w_i
  std::vector<Value> out(op.num_results());
  out[1] = ma::real_part(linear, ma::diagonal(linear, middle));
  if (has_vectors) {
    const Value inverse = ma::as_element(b, inverse_or_zero(b, gaps), b.type(v).element_type());
    out[0] = product(linear, v, linear.multiply(middle, inverse));
  }
  return {std::move(results), std::move(out)};
}

/// a = u·s·vᴴ: with d = uᴴ·ȧ·v, ṡ is d's diagonal; u and v turn by antisymmetric parts, and where a is not square by what ȧ adds outside of
/// the space that they span. Of the phases of complex vectors, which only their difference determines, those of v are kept.
Linearized linearize_svd(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  expect_static(op);
  OpBuilder &b = context.primal(), &linear = context.linear();
  const Type type = op.operand_type(0);
  const int64_t m = rows_of(type), n = columns_of(type), k = std::min(m, n);
  const char mode = letter(op, "mode", 'A');
  std::vector<Value> results = context.clone_primal(op, primals);
  expect_unused(context, op, 0, "the matrix that is written over");
  Value u = results[2], vt = results[3];
  if (mode == 'N') {
    expect_unused(context, op, 2, "the matrix of mode N");
    expect_unused(context, op, 3, "the matrix of mode N");
  }
  if (mode == 'A' && m != n) {
    const size_t large = m > n ? 2 : 3;
    expect_unused(context, op, large, "the part of it outside of the space of a");
  }
  if (mode == 'N' || (mode == 'A' && m != n)) {
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    std::vector<int64_t> left(type.shape().begin(), type.shape().end()), right = left;
    left.back() = k;
    right[right.size() - 2] = k;
    types[2] = type.with_shape(left);
    types[3] = type.with_shape(right);
    Attrs attrs = with_letter(op, "mode", 'S');
    // The checks want both or none.
    for (const char* name : {"operand_layouts", "result_layouts"}) attrs.erase(name);
    const std::vector<Value> thin = b.create(op.def(), primals, attrs, types);
    u = thin[2];
    vt = thin[3];
  }
  const Value s = results[1], u_conjugate = conjugate(b, u), v = ma::adjoint(b, vt);
  const ElementType element = type.element_type();
  const auto widened = [&](Value x) { return ma::as_element(b, x, element); };
  const Value d = product(linear, u_conjugate, true, product(linear, tangents[0], v), false);
  std::vector<int64_t> extents(type.shape().begin(), type.shape().end());
  extents.back() = extents[extents.size() - 2] = k;
  const Type square = Type::tensor(b.type(s).element_type(), extents);
  const Value columns = ma::spread(b, s, square, 1), rows = ma::spread(b, s, square, 0);  // s_j, s_i
  const Value gaps = widened(inverse_or_zero(b, b.multiply(b.add(columns, rows), b.subtract(columns, rows))));
  const auto symmetric = [&](Value x) { return linear.add(x, ma::adjoint(linear, x)); };
  Value u_turn = linear.multiply(symmetric(linear.multiply(d, widened(columns))), gaps);
  const Value v_turn = linear.multiply(symmetric(linear.multiply(d, widened(rows))), gaps);
  const Value inverse = inverse_or_zero(b, s);
  if (is_complex(element)) {
    const Value imaginary = linear.make("stablehlo.imag", {part(linear, d, "EQ")});
    const Value phase = linear.multiply(imaginary, ma::spread(b, inverse, square, 0));
    u_turn = linear.add(u_turn, linear.make("stablehlo.complex", {b.zeros(square), phase}));
  }
  Value u_dot = product(linear, u, u_turn), v_dot = product(linear, v, v_turn);
  const auto over_values = [&](Value x) {
    const Type t = b.type(x).with_element(square.element_type());
    return linear.multiply(x, widened(ma::spread(b, inverse, t, 1)));
  };
  if (m > n)
    u_dot = linear.add(u_dot, over_values(linear.subtract(product(linear, tangents[0], v), product(linear, u, d))));
  if (n > m) {
    const Value moved = product(linear, ma::adjoint(linear, tangents[0]), u);
    v_dot = linear.add(v_dot, over_values(linear.subtract(moved, product(linear, v, ma::adjoint(linear, d)))));
  }
  std::vector<Value> out(op.num_results());
  out[1] = ma::real_part(linear, ma::diagonal(linear, d));
  if (mode != 'N' && b.type(results[2]) == b.type(u)) out[2] = u_dot;
  if (mode != 'N' && b.type(results[3]) == b.type(vt)) out[3] = ma::adjoint(linear, v_dot);
  return {std::move(results), std::move(out)};
}

}  // namespace

LinearizeFn* linearize_of(std::string_view target) {
  static constexpr std::pair<std::string_view, LinearizeFn*> kNamed[] = {
      {"LuDecomposition", linearize_lu},
      {"Qr", linearize_geqrf},
      {"ProductOfElementaryHouseholderReflectors", linearize_orgqr},
      {"householder_product", linearize_orgqr},
      {"Eigh", linearize_eigh},
      {"tridiagonal_solve_perturbed_ffi", linearize_tridiagonal}};
  for (const auto& [name, rule] : kNamed) {
    if (name == target) return rule;
  }
  static constexpr std::pair<std::string_view, LinearizeFn*> kRoutines[] = {
      {"trsm", linearize_plainly}, {"potrf", linearize_plainly},    {"getrf", linearize_lu},
      {"geqrf", linearize_geqrf},  {"orgqr", linearize_orgqr},      {"ungqr", linearize_orgqr},
      {"syevd", linearize_eigh},   {"heevd", linearize_eigh},       {"syevr", linearize_eigh},
      {"heevr", linearize_eigh},   {"gesdd", linearize_svd},        {"gesvd", linearize_svd},
      {"geev", linearize_geev},    {"gtsv", linearize_tridiagonal}, {"geqp3", linearize_geqp3},
      {"ormqr", linearize_ormqr},  {"unmqr", linearize_ormqr},      {"gees", refuse_reduction},
      {"gehrd", refuse_reduction}, {"sytrd", refuse_reduction},     {"hetrd", refuse_reduction}};
  constexpr std::string_view kBegin = "lapack_", kEnd = "_ffi";
  if (!target.starts_with(kBegin) || !target.ends_with(kEnd)) return nullptr;
  const std::string_view routine = target.substr(kBegin.size() + 1, target.size() - kBegin.size() - 1 - kEnd.size());
  for (const auto& [name, rule] : kRoutines) {
    if (name == routine) return rule;
  }
  return nullptr;
}

std::vector<LaneValue> lanes_of_call(VectorizeContext& context, const OpView& op, std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(context.broadcast(v));
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(with_lanes(op.result_type(i), context.lanes()));
  // Of matrices without the lanes; our own are row-major.
  Attrs attrs = op.attrs();
  for (const char* name : {"operand_layouts", "result_layouts", "mhlo.frontend_attributes"}) attrs.erase(name);
  std::vector<LaneValue> out;
  for (Value v : context.builder().create(op.def(), values, attrs, types)) out.push_back({v, true});
  return out;
}

}  // namespace weft::lapack

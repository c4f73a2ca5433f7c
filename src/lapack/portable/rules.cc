#include "lapack/portable/rules.h"

#include <map>

#include "lapack/matrix.h"
#include "lapack/plain_ops.h"
#include "lapack/routines.h"

namespace weft::lapack {
namespace {

using namespace portable;

/// A routine's rule, on batches: of every operand the last `kept` dimensions are a matrix's or a vector's.
struct Rule {
  Values (*write)(MatrixWriter&, const OpView&, std::span<const Value>);
  std::vector<int64_t> kept;
};

std::vector<std::pair<std::string, Rule>> rules() {
  std::vector<std::pair<std::string, Rule>> out = {
      {"LuDecomposition", {lu_decomposition_rule, {2}}},
      {"lu_pivots_to_permutation", {permutation_rule, {1}}},
      {"Qr", {qr_rule, {2}}},
      {"ProductOfElementaryHouseholderReflectors", {q_rule, {2, 1}}},
      {"householder_product", {q_rule, {2, 1}}},
      {"Eigh", {eigh_rule, {2}}},
      {"tridiagonal_solve_perturbed_ffi", {perturbed_solve_rule, {1, 1, 1, 2}}},
  };
  const auto add = [&](const std::string& real, const std::string& complex_name, const Rule& rule) {
    for (const char* letter : {"s", "d"}) out.emplace_back(std::string("lapack_") + letter + real + "_ffi", rule);
    for (const char* letter : {"c", "z"})
      out.emplace_back(std::string("lapack_") + letter + complex_name + "_ffi", rule);
  };
  add("getrf", "getrf", {lu_rule, {2}});
  add("geqrf", "geqrf", {qr_rule, {2}});
  add("orgqr", "ungqr", {q_rule, {2, 1}});
  add("ormqr", "unmqr", {times_q_rule, {2, 1, 2}});
  add("geqp3", "geqp3", {pivoted_qr_rule, {2, 1}});
  add("syevd", "heevd", {hermitian_rule, {2}});
  add("syevr", "heevr", {hermitian_rule, {2}});
  add("gesdd", "gesdd", {svd_rule, {2}});
  add("gesvd", "gesvd", {svd_rule, {2}});
  add("gtsv", "gtsv", {tridiagonal_solve_rule, {1, 1, 1, 2}});
  add("sytrd", "hetrd", {to_tridiagonal_rule, {2}});
  add("gehrd", "gehrd", {to_hessenberg_rule, {2}});
  add("gees", "gees", {schur_rule, {2}});
  add("geev", "geev", {eigenvalues_rule, {2}});
  return out;
}

const Rule* find_rule(std::string_view target) {
  static const std::map<std::string, Rule, std::less<>> table = [] {
    std::map<std::string, Rule, std::less<>> out;
    for (auto& [name, rule] : rules()) out.emplace(name, rule);
    return out;
  }();
  const auto found = table.find(target);
  return found == table.end() ? nullptr : &found->second;
}

Values zeros_of_results(OpBuilder& b, const OpView& op) {
  Values out;
  for (size_t i = 0; i < op.num_results(); ++i) out.push_back(b.zeros(op.result_type(i)));
  return out;
}

Values write_out(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  OpBuilder& b = context.builder();
  const std::string& target = op.attrs().text("call_target_name");
  if (const Routine* routine = find_routine(op)) expect_form(*routine, op);
  const Rule& rule = *find_rule(target);
  if (operands.size() != rule.kept.size())
    refuse(op, "got " + std::to_string(operands.size()) + " operands, expected " + std::to_string(rule.kept.size()));
  bool is_empty = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Type t = b.type(operands[i]);
    if (!t.is_tensor() || !t.is_static() || t.rank() < rule.kept[i])
      refuse(op, "operand " + std::to_string(i) + ": got " + t.str() + ", expected a static tensor of rank " +
                     std::to_string(rule.kept[i]) + " or more");
    is_empty = is_empty || (rule.kept[i] == 2 && t.num_elements() == 0);
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type t = op.result_type(i);
    if (!t.is_tensor() || !t.is_static())
      refuse(op, "type of result " + std::to_string(i) + ": got " + t.str() + ", expected a static tensor");
  }
  if (is_empty) return zeros_of_results(b, op);
  MatrixWriter w(b);
  Values batches;
  for (size_t i = 0; i < operands.size(); ++i) batches.push_back(w.as_batch(operands[i], rule.kept[i]));
  const Values found = rule.write(w, op, batches);
  if (found.size() != op.num_results())
    refuse(op, "got " + std::to_string(op.num_results()) + " results, expected " + std::to_string(found.size()));
  Values out;
  for (size_t i = 0; i < found.size(); ++i) {
    const Type to = op.result_type(i);
    if (!found[i]) {  // of no meaning in this mode
      out.push_back(w.zeros(to));
      continue;
    }
    const Type from = w.type(found[i]);
    if (from.element_type() != to.element_type() || from.num_elements() != to.num_elements())
      refuse(op, "type of result " + std::to_string(i) + ": got " + to.str() + ", expected " +
                     std::to_string(from.num_elements()) + " elements of " + std::string(name(from.element_type())));
    out.push_back(w.reshape(found[i], to.shape()));
  }
  return out;
}

/// Those that single ops stand for; in a form that these do not take, the call itself.
Values write_plainly(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  const auto plain = as_plain_ops(context.builder(), op, operands);
  if (!plain)
    refuse(op, "@" + op.attrs().text("call_target_name") + " of " + op.operand_type(0).str() +
                   " in this form has no StableHLO ops");
  return *plain;
}

}  // namespace

PortableFn* portable_of(std::string_view target) {
  if (target.starts_with("lapack_") && (target.ends_with("trsm_ffi") || target.ends_with("potrf_ffi")))
    return write_plainly;
  return find_rule(target) == nullptr ? nullptr : write_out;
}

}  // namespace weft::lapack

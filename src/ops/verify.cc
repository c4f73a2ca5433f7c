// The verifier: every op agrees with its record, every value is defined before use, every region ends in its only terminator.
#include "base/format.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/distribution/sharding.h"
#include "ops/foreign/foreign.h"
#include "ops/indexing/index_elements.h"
#include "ops/quantized/quantization.h"
#include "ops/record.h"
#include "ops/structural/dynamic.h"

namespace weft {
namespace {

class Verifier {
 public:
  Verifier(const Function& function, const Module* module)
      : f_(function), module_(module), defined_(function.num_values()) {}

  void region(RegionId r) {
    for (Value v : f_.args(r)) {
      if (!f_.type(v)) throw InternalError("@" + f_.name() + ": a region argument without a type");
      defined_[v.index] = true;
    }
    const std::span<const OpId> ops = f_.ops(r);
    for (size_t i = 0; i < ops.size(); ++i) {
      op(OpView{f_, ops[i]}, r);
      if (f_.def(ops[i]).is_terminator && i + 1 < ops.size()) {
        fail(ops[i], "an op stands after the terminator of its region");
      }
    }
    // Ops of other dialects may end a region as they like.
    if (f_.owner(r) && is_foreign_op(f_.def(f_.owner(r)))) return;
    if (ops.empty() || !f_.def(ops.back()).is_terminator) {
      const std::string what = "a region ends without a terminator (stablehlo.return, func.return)";
      const OpId near = ops.empty() ? f_.owner(r) : ops.back();
      if (!near) throw UserError("[func.func] @" + f_.name() + ": " + what, f_.loc());
      fail(near, what);
    }
    // After the ops, which name themselves when they take such an argument.
    for (Value v : f_.args(r)) {
      const std::string fault = quantization_fault(f_.type(v));
      if (fault.empty()) continue;
      const std::string what = "argument " + std::to_string(f_.position(v)) + ": " + fault;
      if (f_.owner(r)) fail(f_.owner(r), what);
      throw UserError("[func.func] @" + f_.name() + ": " + what, f_.loc());
    }
  }

 private:
  [[noreturn]] void fail(OpId op, const std::string& what) const {
    throw UserError("[" + std::string(f_.def(op).mnemonic) + "] " + what, f_.loc(op));
  }

  void op(const OpView& op, RegionId r) {
    TypeContext context{op.def(), {}, op.attrs(), f_, op.regions(), {}, module_, op.loc()};
    for (size_t i = 0; i < op.num_operands(); ++i) {
      const Value v = op.operand(i);
      const bool exists = v && v.index < f_.num_values();
      if (!exists || !defined_[v.index] || !f_.is_within(r, f_.region(v))) {
        fail(op.id, "operand " + std::to_string(i) + " is not defined before this use");
      }
      context.operands.push_back(f_.type(v));
    }
    for (size_t i = 0; i < op.num_results(); ++i) context.declared.push_back(op.result_type(i));
    for (RegionId nested : op.regions()) {
      if (f_.owner(nested) != op.id)
        throw InternalError("[" + std::string(op.def().mnemonic) + "] a region with two owners", op.loc());
      region(nested);
    }
    // Without declared results a rule infers them, as for a builder; here they are what the op has.
    if (const size_t inferred = check_op(context).size(); inferred != op.num_results()) {
      fail(op.id,
           "number of results: got " + std::to_string(op.num_results()) + ", expected " + std::to_string(inferred));
    }
    check_static_results(op);
    if (is_dynamic_op(op.def())) check_shapes(op);
    if (op.def().mnemonic == "stablehlo.rng") check_rng_shape(op);
    for (size_t i = 0; i < op.num_results(); ++i) defined_[op.result(i).index] = true;
  }

  /// Results whose extents no operand says must state them.
  void check_static_results(const OpView& op) const {
    static constexpr std::pair<std::string_view, size_t> kFirstStated[] = {
        {"stablehlo.iota", 0}, {"stablehlo.infeed", 0}, {"stablehlo.recv", 0}, {"stablehlo.rng_bit_generator", 1}};
    for (const auto& [mnemonic, first] : kFirstStated) {
      if (mnemonic != op.def().mnemonic) continue;
      for (size_t i = first; i < op.num_results(); ++i) {
        const Type t = op.result_type(i);
        if (t.is_tensor() && !t.is_static())
          fail(op.id, "type of result " + std::to_string(i) + ": got " + t.str() + ", expected known extents");
      }
    }
  }

  std::optional<Tensor> constant(Value v) const {
    const OpId source = f_.defining_op(v);
    const Attr* value = source ? f_.attrs(source).find("value") : nullptr;
    const Literal* literal = value == nullptr ? nullptr : value->get_if<Literal>();
    return literal == nullptr ? std::nullopt : std::optional(literal->materialize());
  }

  /// Shapes that are constants are checked now, not first at run time.
  void check_shapes(const OpView& op) const {
    std::vector<std::optional<Tensor>> shapes(op.num_operands());
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (is_shape_operand(op.def(), i)) shapes[i] = constant(op.operand(i));
    }
    check_constant_shapes(op, shapes);
  }

  void check_rng_shape(const OpView& op) const {
    const std::optional<Tensor> shape = constant(op.operand(2));
    if (!shape) return;
    const std::vector<int64_t> extents = index_elements(*shape);
    const Type result = op.result_type();
    for (size_t i = 0; i < extents.size(); ++i) {
      if (result.shape()[i] == kDynamic || result.shape()[i] == extents[i]) continue;
      fail(op.id, "type of the result: got " + result.str() + ", expected the shape " + format_list(extents) +
                      " that operand 2 says (rng_c3)");
    }
  }

  const Function& f_;
  const Module* module_;
  std::vector<bool> defined_;
};

}  // namespace

void verify(const Function& function, const Module* module) {
  if (!function.is_declaration()) Verifier(function, module).region(function.body());
}

void verify(const Module& module) {
  for (const auto& f : module.functions()) {
    verify(*f, &module);
    verify_derivative_rule(*f, module);
    verify_shardings(*f, module);
  }
  for (const auto& inner : module.nested) verify(*inner);
}

}  // namespace weft

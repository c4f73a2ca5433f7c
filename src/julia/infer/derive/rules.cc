#include "julia/infer/derive/rules.h"

#include <algorithm>

#include "julia/host/array.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"

namespace weft::julia {
namespace {

/// A name of a package, when that is loaded.
Value in_package(Evaluator& e, const char* package, const char* name) {
  const auto module = e.impl().packages.find(Symbol(package));
  if (module == e.impl().packages.end()) return {};
  const Binding* b = find_binding(*module->second, Symbol(name));
  return b == nullptr ? Value() : b->value;
}

bool is_constant(Evaluator& e, const Value& callee) {
  const Value list = in_package(e, "ChainRulesCore", "constants");
  if (!list.is_defined()) return false;
  const ArrayObject& a = array_of(list);
  for (int64_t i = 0; i < a.length; ++i) {
    if (is_identical(get_element(a, i), callee)) return true;
  }
  return false;
}

}  // namespace

std::optional<DerivativeRule> rule_for(Evaluator& e, const Value* callee, const std::vector<const Type*>& types) {
  Evaluator::Impl& impl = e.impl();
  if (callee != nullptr && is_constant(e, *callee)) return DerivativeRule{};
  const Value rrule = in_package(e, "ChainRulesCore", "rrule");
  const MethodTable* rules = rrule.is_defined() ? e.methods_of(rrule) : nullptr;
  if (rules != nullptr && !rules->methods().empty()) {
    std::vector<const Type*> all = {rrule.type()};
    all.insert(all.end(), types.begin(), types.end());
    if (impl.target_of_types(&rrule, rrule.type(), all)) return DerivativeRule{rrule, true};
  }
  const Value adjoint = in_package(e, "Zygote", "AdjointOf");
  if (!adjoint.is_defined()) return std::nullopt;
  const Type* parameters[] = {types[0]};
  const auto* of_callee = as<DataType>(apply_type(adjoint.as_type(), parameters));
  if (of_callee == nullptr || !impl.functions.contains(of_callee->name)) return std::nullopt;
  const Value object = Value::singleton(of_callee);
  std::vector<const Type*> all = types;
  all[0] = of_callee;
  if (impl.target_of_types(&object, of_callee, all)) return DerivativeRule{object, false};
  return std::nullopt;
}

}  // namespace weft::julia

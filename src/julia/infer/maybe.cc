#include "julia/infer/maybe.h"

#include "julia/host/array.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/state.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

bool is_maybe(const Type* t) {
  static const Symbol kName("_Maybe");
  const auto* d = as<DataType>(t);
  return d != nullptr && d->name->name == kName;
}

bool is_nothing(const Abstract& a) { return a.is_constant() && a.type == core().nothing; }

Abstract maybe_of(Compiler& c, const Abstract& flag, const Abstract& value) {
  const Type* name = find_binding(c.evaluator().base(), "_Maybe")->value.as_type();
  return Abstract::of_fields(applied(name, {value.type}), {flag, value});
}

Abstract present(Compiler& c, const Abstract& a) {
  if (!a.is_defined() || !is_maybe(a)) return a;
  check_all(c, c.scalar(a.fields[0]), "`nothing` in the place of a " + type_text(a.fields[1].type));
  return a.fields[1];
}

Abstract absent_value(Compiler& c, const Abstract& like) {
  switch (like.kind) {
    case How::kScalar: return Abstract::of_scalar(like.type, c.b().zeros(weft::Type::scalar(*element_type(like.type))));
    case How::kFields: {
      Abstract out = like;
      for (Abstract& f : out.fields) f = absent_value(c, f);
      return out;
    }
    case How::kUndefined:
    case How::kUnknown:
    case How::kConstant:
    case How::kObject: break;
  }
  return like;
}

Narrowing Narrowing::by(Compiler& c, IrValue condition, const Activation& a) {
  Narrowing out;
  const Function& f = c.b().function();
  // The conditions that this one is, by an even or odd number of negations.
  for (bool holds = true; condition && condition.index < f.num_values(); holds = !holds) {
    for (SlotId s = 0; s < a.slots.size(); ++s) {
      const Abstract& v = a.slots[s];
      const bool is_flagged =
          v.is_defined() && v.kind == How::kFields && is_maybe(v) && v.fields[0].kind == How::kScalar;
      if (is_flagged && v.fields[0].ir == condition) out.slots.push_back({s, holds});
    }
    const OpId op = f.defining_op(condition);
    if (!op || f.def(op).mnemonic != "stablehlo.not") break;
    condition = f.operand(op, 0);
  }
  return out;
}

void Narrowing::apply(Activation& a, bool holds) const {
  for (const Slot& s : slots) {
    const Abstract value = a.slots[s.slot].fields[1];
    a.slots[s.slot] = holds == s.is_value_where_true ? value : Abstract::nothing();
  }
}

void Narrowing::undo(std::vector<Abstract>& now, const std::vector<Abstract>& before, bool holds) const {
  for (const Slot& s : slots) {
    const Abstract& was = before[s.slot];
    if (is_same(now[s.slot], holds == s.is_value_where_true ? was.fields[1] : Abstract::nothing())) now[s.slot] = was;
  }
}

}  // namespace weft::julia

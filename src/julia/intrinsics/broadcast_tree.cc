#include "julia/intrinsics/broadcast_tree.h"

#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/exception.h"

namespace weft::julia {
namespace {

const TypeName* name_of(const char* type) { return as<DataType>(unwrap_union_all(builtin_type(type)))->name; }

bool is_literal_power(const Value& f) {
  static const Symbol name("literal_pow"), base("Base");
  return f.is_defined() && !f.is_type() && !f.is_reference() && f.type()->name->function == name &&
         f.type()->name->module == base;
}

std::string axis_text(int64_t extent) { return "Base.OneTo(" + std::to_string(extent) + ")"; }

}  // namespace

bool is_scalar(const Value& v) {
  if (number_kind(v) || v.is_type()) return true;
  const DataType* t = v.type();
  if (t == core().string || t == core().char_ || t == core().symbol || t == core().nothing || t == core().missing)
    return true;
  static const TypeName* const names[] = {name_of("Complex"),        name_of("Rational"), name_of("Val"),
                                          name_of("CartesianIndex"), name_of("Pair"),     name_of("Irrational")};
  return std::ranges::find(names, t->name) != std::end(names) || t->name->function;
}

bool is_broadcasted(const Value& v) {
  static const TypeName* const name = name_of("Broadcasted");
  return v.is_defined() && v.type()->name == name;
}

BroadcastTerm broadcast_term(Evaluator& e, const Value& v) {
  BroadcastTerm out;
  if (is_broadcasted(v)) {
    const Value arguments = get_field(v, 2);
    out.function = get_field(v, 1);
    for (size_t i = 0; i < field_count(arguments); ++i)
      out.arguments.push_back(broadcast_term(e, get_field(arguments, i)));
    return out;
  }
  static const TypeName* const ref = name_of("RefValue");
  static const TypeName* const ref_array = name_of("RefArray");
  out.value = v;
  if (v.type()->name == ref) {
    out.value = get_field(v, 0);
    if (!out.value.is_defined()) throw_undef_ref_error();
  } else if (v.type()->name == ref_array) {
    out.value = e.call_base("getindex", {v});
  } else if (is_tuple(v) || is_abstract_array(v)) {
    out.reader = std::make_unique<Reader>(e, v);
  } else if (!is_scalar(v) && !is_a(v, core().function)) {
    // A program's own container that broadcasts as itself.
    if (field_count(e.call_base("axes", {v})) > 0)
      out.reader = std::make_unique<Reader>(e, e.call_base("collect", {v}));
  }
  return out;
}

BroadcastTerm broadcast_call(Evaluator& e, const Value& f, std::span<const Value> arguments) {
  BroadcastTerm out;
  out.function = f;
  for (const Value& a : arguments) out.arguments.push_back(broadcast_term(e, a));
  return out;
}

std::vector<int64_t> broadcast_shape(const BroadcastTerm& term) {
  if (term.is_leaf()) return term.reader ? term.reader->dims() : std::vector<int64_t>{};
  std::vector<int64_t> out;
  for (const BroadcastTerm& a : term.arguments) {
    const std::vector<int64_t> more = broadcast_shape(a);
    for (size_t d = 0; d < more.size(); ++d) {
      if (d == out.size()) out.push_back(more[d]);
      else if (out[d] == 1) out[d] = more[d];
      else if (more[d] != 1 && more[d] != out[d])
        throw_dimension_mismatch("arrays could not be broadcast to a common size: a has axes " + axis_text(out[d]) +
                                 " and b has axes " + axis_text(more[d]));
    }
  }
  return out;
}

void check_destination(const BroadcastTerm& term, const std::vector<int64_t>& dims) {
  for (const BroadcastTerm& a : term.arguments) check_destination(a, dims);
  if (!term.reader) return;
  const std::vector<int64_t>& mine = term.reader->dims();
  for (size_t d = 0; d < mine.size(); ++d) {
    if (mine[d] != 1 && (d >= dims.size() || mine[d] != dims[d]))
      throw_dimension_mismatch("array could not be broadcast to match destination");
  }
}

bool may_share(const BroadcastTerm& term, const Value& destination) {
  if (!term.is_leaf())
    return std::ranges::any_of(term.arguments, [&](const BroadcastTerm& a) { return may_share(a, destination); });
  if (!term.reader || is_tuple(term.value) || is_range(term.value)) return false;
  // An array read at the places written, or an array that is no part of the other.
  return !is_array(term.value) || !is_array(destination) ||
         (term.value.object() == destination.object() &&
          broadcast_shape(term).size() != array_of(destination).dims.size());
}

Value evaluate_term(Evaluator& e, const BroadcastTerm& term, const std::vector<int64_t>& index) {
  if (term.is_leaf()) return term.reader ? term.reader->at(index) : term.value;
  constexpr size_t kFew = 4;
  const size_t n = term.arguments.size();
  if (n <= kFew) {
    Value few[kFew];
    for (size_t i = 0; i < n; ++i) few[i] = evaluate_term(e, term.arguments[i], index);
    return e.call(term.function, std::span<const Value>(few, n));
  }
  std::vector<Value> arguments;
  arguments.reserve(n);
  for (const BroadcastTerm& a : term.arguments) arguments.push_back(evaluate_term(e, a, index));
  return e.call(term.function, arguments);
}

Elementwise::Node elementwise_term(Elementwise& tree, const BroadcastTerm& term) {
  if (term.is_leaf()) {
    if (term.reader && is_tuple(term.value)) return -1;
    return tree.leaf(term.value);
  }
  const auto& arguments = term.arguments;
  if (is_literal_power(term.function) && arguments.size() == 3 && arguments[0].is_leaf() && arguments[2].is_leaf()) {
    if (scalar_function(arguments[0].value) != ScalarFunction::kPower) return -1;
    return tree.literal_power(elementwise_term(tree, arguments[1]), arguments[2].value);
  }
  std::vector<Elementwise::Node> nodes;
  for (const BroadcastTerm& a : arguments) {
    nodes.push_back(elementwise_term(tree, a));
    if (nodes.back() == -1) return -1;
  }
  return tree.apply(term.function, nodes);
}

Value term_sample(Evaluator& e, const BroadcastTerm& term) {
  if (term.is_leaf()) {
    if (!term.reader) return term.value;
    const Type* element = term.reader->element();
    return element == nullptr ? Value() : sample_of(element);
  }
  std::vector<Value> samples;
  for (const BroadcastTerm& a : term.arguments) samples.push_back(term_sample(e, a));
  return sample_call(e, term.function, samples);
}

Value collect_term(Evaluator& e, const BroadcastTerm& term, const std::vector<int64_t>& dims, bool bits) {
  {
    Elementwise tree(dims);
    const Elementwise::Node node = elementwise_term(tree, term);
    if (node != -1) {
      Value out = collect_elements(tree, node, bits);
      if (out.is_defined()) return out;
    }
  }
  Collector all;
  for_each_index(dims, [&](int64_t, const std::vector<int64_t>& index) { all.add(evaluate_term(e, term, index)); });
  const Type* of_none = all.element() == nullptr ? type_of_sample(term_sample(e, term)) : nullptr;
  return bits ? all.bits(dims, of_none) : all.array(dims, of_none);
}

}  // namespace weft::julia

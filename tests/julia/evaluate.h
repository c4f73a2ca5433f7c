// Expressions of a few builtin operations on numbers, strings and types, straight from the syntax tree: what tests of values
// need before, and beside, the evaluator.
#pragma once
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/exception.h"
#include "julia/host/hash.h"
#include "julia/host/literal.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"
#include "julia/syntax/literals.h"
#include "julia/syntax/parse.h"
#include "julia/types/subtype.h"

namespace weft::julia {

/// Thrown for what this evaluator does not know: the test passes the record over.
struct Unknown {};

class Expressions {
 public:
  explicit Expressions(const Tree& tree) : tree_(tree) {}

  Value evaluate(NodeId id) {
    id = tree_.unparen(id);
    switch (tree_.kind(id)) {
      case Kind::kToplevel:
      case Kind::kBlock:
        if (tree_.count(id) == 1) return evaluate(tree_.child(id, 0));
        throw Unknown();
      case Kind::kIdentifier: return name(name_value(tree_, id));
      case Kind::kTuple: {
        if (tree_.count(id) > 0 && tree_.is(tree_.child(id, 0), Kind::kParameters)) throw Unknown();
        std::vector<Value> elements = all(tree_.children(id));
        return make_tuple(std::move(elements));
      }
      case Kind::kVect: return vector(all(tree_.children(id)));
      case Kind::kCurly: {
        std::vector<const Type*> parameters;
        for (size_t i = 1; i < tree_.count(id); ++i) parameters.push_back(parameter(evaluate(tree_.child(id, i))));
        const std::string base(tree_.text(tree_.child(id, 0)));
        if (base == "Union") return Value::of_type(make_union(parameters));
        if (base == "Tuple" && parameters.empty()) return Value::of_type(core().tuple0);
        const Value v = evaluate(tree_.child(id, 0));
        if (!v.is_type()) throw Unknown();
        return Value::of_type(apply_type(v.as_type(), parameters));
      }
      case Kind::kRef: {
        const Value base = evaluate(tree_.child(id, 0));
        if (!base.is_type()) throw Unknown();
        std::vector<Value> elements;
        for (size_t i = 1; i < tree_.count(id); ++i)
          elements.push_back(converted(base.as_type(), evaluate(tree_.child(id, i))));
        return make_vector(base.as_type(), std::move(elements));
      }
      case Kind::kSubtype: {
        if (tree_.count(id) != 2) throw Unknown();
        const Value a = evaluate(tree_.child(id, 0)), b = evaluate(tree_.child(id, 1));
        if (!a.is_type() || !b.is_type()) throw Unknown();
        return boolean(subtype(a.as_type(), b.as_type()));
      }
      case Kind::kComparison: {
        bool holds = true;
        for (size_t i = 0; holds && i + 2 < tree_.count(id); i += 2) {
          const Value left = evaluate(tree_.child(id, i)), right = evaluate(tree_.child(id, i + 2));
          holds = call(std::string(tree_.text(tree_.child(id, i + 1))), {left, right}).get<bool>();
        }
        return boolean(holds);
      }
      case Kind::kAndAnd: return boolean(truth(tree_.child(id, 0)) && truth(tree_.child(id, 1)));
      case Kind::kOrOr: return boolean(truth(tree_.child(id, 0)) || truth(tree_.child(id, 1)));
      case Kind::kCall: return call_node(id);
      default: {
        const Value v = literal_value(tree_, id);
        if (!v.is_defined()) throw Unknown();
        return v;
      }
    }
  }

  /// Of two values: `==`.
  static Value equal(const Value& a, const Value& b) {
    if (number_kind(a) && number_kind(b)) return boolean(numbers_equal(a, b));
    if (a.is(core().missing) || b.is(core().missing)) throw Unknown();
    if (a.is_type() && b.is_type()) return boolean(types_equal(a.as_type(), b.as_type()));
    const bool tuples = a.type()->is_tuple && b.type()->is_tuple;
    const auto la = look_at(a), lb = look_at(b);
    if (tuples || (la && lb)) {
      const auto n = tuples ? static_cast<int64_t>(field_count(a)) : la->length();
      if (tuples ? field_count(a) != field_count(b) : la->dims != lb->dims) return boolean(false);
      if (!tuples && la->dims.size() != 1) throw Unknown();
      for (int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<size_t>(i);
        if (!equal(tuples ? get_field(a, at) : la->at(&i), tuples ? get_field(b, at) : lb->at(&i)).get<bool>())
          return boolean(false);
      }
      return boolean(true);
    }
    const bool plain = a.is(core().string) || a.is(core().symbol) || a.is(core().char_) || a.is(core().nothing);
    if (!plain || a.type() != b.type()) throw Unknown();
    return boolean(is_equal(a, b));
  }

 private:
  std::vector<Value> all(std::span<const NodeId> ids) {
    std::vector<Value> out;
    for (const NodeId id : ids) out.push_back(evaluate(id));
    return out;
  }

  bool truth(NodeId id) {
    const Value v = evaluate(id);
    if (!v.is(core().bool_)) throw Unknown();
    return v.get<bool>();
  }

  static const Type* parameter(const Value& v) {
    if (v.is_type()) return v.as_type();
    if (v.is(core().int64)) return make_int(v.get<int64_t>());
    if (v.is(core().symbol)) return make_symbol_constant(v.as_symbol());
    throw Unknown();
  }

  static Value converted(const Type* t, const Value& v) {
    if (is_a(v, t)) return v;
    const auto to = number_kind(t), from = number_kind(v);
    if (!to || !from) throw Unknown();
    return convert_number(*to, v);
  }

  static Value vector(std::vector<Value> elements) {
    if (elements.empty()) return make_array(core().any, {0});
    const Type* element = elements[0].type();
    bool numbers = true;
    std::optional<NumberKind> kind = number_kind(elements[0]);
    for (const Value& v : elements) {
      const auto k = number_kind(v);
      numbers = numbers && k && kind;
      if (numbers) kind = promote_kind(*kind, *k);
      element = element == v.type() ? element : promote_type_join(element, v.type());
    }
    if (numbers) {
      element = number_type(*kind);
      for (Value& v : elements) v = convert_number(*kind, v);
    }
    return make_vector(element, std::move(elements));
  }

  static Value name(const std::string& n) {
    if (n == "NaN") return number(std::numeric_limits<double>::quiet_NaN());
    if (n == "Inf") return number(std::numeric_limits<double>::infinity());
    if (n == "NaN32") return number(std::numeric_limits<float>::quiet_NaN());
    if (n == "Inf32") return number(std::numeric_limits<float>::infinity());
    if (n == "NaN16") return number(f16(std::numeric_limits<float>::quiet_NaN()));
    if (n == "Inf16") return number(f16(std::numeric_limits<float>::infinity()));
    if (n == "nothing") return nothing();
    if (n == "missing") return missing();
    if (const Type* t = builtin_type(n)) return Value::of_type(t);
    throw Unknown();
  }

  Value call_node(NodeId id) {
    std::vector<Value> arguments;
    int base = 10;
    const bool infix = tree_[id].has(Node::kInfix), postfix = tree_[id].has(Node::kPostfixOp);
    if (postfix) throw Unknown();
    const NodeId callee = tree_.callee(id);
    if (!is_name(tree_.kind(callee))) {
      const Value f = evaluate(callee);
      if (!f.is_type()) throw Unknown();
      return construct(f.as_type(), all(tree_.children(id).subspan(1)));
    }
    const std::string f(name_value(tree_, callee));
    for (size_t i = 0; i < tree_.count(id); ++i) {
      if (infix ? i == 1 : i == 0) continue;
      const NodeId a = tree_.child(id, i);
      const bool is_base = tree_.is(a, Kind::kAssign) && tree_.text(tree_.child(a, 0)) == "base";
      if (is_base) base = static_cast<int>(evaluate(tree_.child(a, 1)).get<int64_t>());
      else if (f == "sprint" && arguments.empty() && tree_.text(a) == "show") continue;
      else arguments.push_back(evaluate(a));
    }
    return call(f, arguments, base);
  }

  static const Type* type_argument(const Value& v) {
    if (!v.is_type()) throw Unknown();
    return v.as_type();
  }

  static Value construct(const Type* t, const std::vector<Value>& a) {
    if (a.size() == 1 && number_kind(t) && number_kind(a[0])) return convert_number(*number_kind(t), a[0]);
    throw Unknown();
  }

  static Value limit(const Type* t, bool high) {
    const auto kind = number_kind(t);
    if (!kind) throw Unknown();
    return visit_number(*kind, [&]<class T>(T) -> Value {
      if constexpr (std::is_same_v<T, bool>) return boolean(high);
      else if constexpr (kIsFloat<T>)
        return number(
            static_cast<T>(high ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity()));
      else {
        const T top = static_cast<T>(T(1) << (sizeof(T) * 8 - 1));
        if (kIsSigned<T>) return number(high ? static_cast<T>(~top) : top);
        return number(high ? static_cast<T>(~T(0)) : T(0));
      }
    });
  }

  static Value call(const std::string& f, const std::vector<Value>& a, int base = 10) {
    if (a.size() == 2) {
      const Value &x = a[0], &y = a[1];
      const bool numbers = number_kind(x) && number_kind(y);
      if (f == "==") return equal(x, y);
      if (f == "!=" || f == "≠") return boolean(!equal(x, y).get<bool>());
      if (f == "===" || f == "≡") return boolean(is_identical(x, y));
      if (f == "!==") return boolean(!is_identical(x, y));
      if (f == "isequal") return boolean(is_equal(x, y));
      if (f == "isa") return boolean(is_a(x, type_argument(y)));
      if (numbers && f == "<") return boolean(numbers_less(x, y));
      if (numbers && f == ">") return boolean(numbers_less(y, x));
      if (numbers && (f == "<=" || f == "≤")) return boolean(numbers_less_equal(x, y));
      if (numbers && (f == ">=" || f == "≥")) return boolean(numbers_less_equal(y, x));
      if (f == "promote_type" && number_kind(type_argument(x)) && number_kind(type_argument(y)))
        return Value::of_type(number_type(promote_kind(*number_kind(x.as_type()), *number_kind(y.as_type()))));
      if (f == "convert") return converted(type_argument(x), y);
      if (f == "parse" && number_kind(type_argument(x)) && y.is(core().string))
        return parse_number(*number_kind(x.as_type()), string_of(y), base);
      if (f == "tryparse" && number_kind(type_argument(x)) && y.is(core().string))
        return try_parse_number(*number_kind(x.as_type()), string_of(y), base);
      if (f == "%" && number_kind(x) && y.is_type() && number_kind(y.as_type()))
        return wrap_integer(*number_kind(y.as_type()), x);
      if (const auto op = binary_op(f); op && numbers) {
        if (const auto v = apply(*op, x, y)) return *v;
      }
    }
    if (a.size() > 2 && (f == "+" || f == "*" || f == "&" || f == "|" || f == "⊻")) {
      Value v = a[0];
      for (size_t i = 1; i < a.size(); ++i) v = call(f, {v, a[i]});
      return v;
    }
    if (a.size() == 1) {
      const Value& x = a[0];
      if (f == "typeof") return Value::of_type(x.type());
      if (f == "string" && base != 10 && number_kind(x)) return make_string(based_text(x, base));
      if (f == "string" && !x.type()->is_mutable()) return make_string(print_text(x));
      if (f == "string" && x.is(core().string)) return x;
      if (f == "repr" || f == "sprint") return make_string(show_text(x));
      if (f == "hash") return number(hash_of(x));
      if (f == "isnan" && number_kind(x)) return boolean(call("!=", {x, x}).get<bool>());
      if (f == "!" && x.is(core().bool_)) return boolean(!x.get<bool>());
      if (x.is_type() && f == "typemax") return limit(x.as_type(), true);
      if (x.is_type() && f == "typemin") return limit(x.as_type(), false);
      if (x.is_type() && number_kind(x.as_type()) && f == "zero")
        return convert_number(*number_kind(x.as_type()), boolean(false));
      if (x.is_type() && number_kind(x.as_type()) && f == "one")
        return convert_number(*number_kind(x.as_type()), boolean(true));
      if (number_kind(x)) {
        static const std::pair<const char*, UnaryOp> kNames[] = {{"-", UnaryOp::kNegate},
                                                                 {"~", UnaryOp::kNot},
                                                                 {"abs", UnaryOp::kAbsolute},
                                                                 {"sign", UnaryOp::kSign},
                                                                 {"signbit", UnaryOp::kSignBit},
                                                                 {"floor", UnaryOp::kFloor},
                                                                 {"ceil", UnaryOp::kCeil},
                                                                 {"trunc", UnaryOp::kTruncate},
                                                                 {"round", UnaryOp::kRound},
                                                                 {"count_ones", UnaryOp::kCountOnes},
                                                                 {"leading_zeros", UnaryOp::kLeadingZeros},
                                                                 {"trailing_zeros", UnaryOp::kTrailingZeros}};
        for (const auto& [n, op] : kNames) {
          if (f != n) continue;
          if (const auto v = apply(op, x)) return *v;
        }
        if (f == "+") return x;
      }
      if (const Type* t = builtin_type(f)) return construct(t, a);
    }
    throw Unknown();
  }

  const Tree& tree_;
};

/// The value of an expression's text; throws Unknown, or JuliaError as the expression does.
inline Value evaluate(const std::string& text) {
  const Parsed parsed = parse(text);
  if (!parsed.ok()) throw Unknown();
  return Expressions(parsed.tree).evaluate(parsed.tree.root());
}

/// A literal number, of either sign.
inline Value number_literal(std::string_view text) { return evaluate(std::string(text)); }

}  // namespace weft::julia

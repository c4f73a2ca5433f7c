#include "transform/integer_facts.h"

#include <algorithm>

#include "ops/record.h"
#include "transform/counted_loop.h"
#include "transform/dead_code.h"

namespace weft {
namespace {

constexpr int kDeep = 8;
/// Sums of bounds within these do not wrap around, whatever the type's width says below.
constexpr int64_t kFar = int64_t{1} << 62;

bool is_near(int64_t x) { return -kFar < x && x < kFar; }

/// All values of the type, as far as they are followed.
IntegerRange of_type(ElementType t) {
  if (!is_integer(t) || is_boolean(t)) return {};
  const unsigned bits = bit_width(t);
  if (is_signed_integer(t)) {
    if (bits >= 64) return {};
    return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  }
  return bits < 64 ? IntegerRange{0, (int64_t{1} << bits) - 1} : IntegerRange{};
}

IntegerRange both(IntegerRange a, IntegerRange b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

/// The sum, where no pair of values wraps around in the type; the type's values otherwise.
IntegerRange sum(IntegerRange a, IntegerRange b, ElementType t) {
  const IntegerRange all = of_type(t);
  if (!is_near(a.low) || !is_near(a.high) || !is_near(b.low) || !is_near(b.high)) return all;
  const IntegerRange out = {a.low + b.low, a.high + b.high};
  return out.low >= all.low && out.high <= all.high ? out : all;
}

std::string_view turned(std::string_view direction) {
  if (direction == "LT") return "GT";
  if (direction == "LE") return "GE";
  if (direction == "GT") return "LT";
  if (direction == "GE") return "LE";
  return direction;
}

std::string_view opposite(std::string_view direction) {
  if (direction == "LT") return "GE";
  if (direction == "LE") return "GT";
  if (direction == "GT") return "LE";
  if (direction == "GE") return "LT";
  return direction == "EQ" ? "NE" : "EQ";
}

/// Whether comparisons of the type are those of the numbers that are followed.
bool is_followed(ElementType t) {
  return is_integer(t) && !is_boolean(t) && (is_signed_integer(t) || bit_width(t) < 64);
}

}  // namespace

IntegerRange IntegerFacts::range(Value v, int depth) const {
  const Type type = f_->type(v);
  if (!type.is_scalar() || !is_followed(type.element_type())) return {};
  if (const auto constant = integer_constant(*f_, v)) return {*constant, *constant};
  const ElementType t = type.element_type();
  const auto known = known_.find(v);
  const IntegerRange so_far = both(of_type(t), known == known_.end() ? IntegerRange() : known->second);
  const OpId def = f_->defining_op(v);
  if (!def || depth > kDeep) return so_far;
  const std::string_view name = f_->def(def).mnemonic;
  const auto operand = [&](size_t i) { return range(f_->operand(def, i), depth + 1); };
  if (name == "stablehlo.add") return both(so_far, sum(operand(0), operand(1), t));
  if (name == "stablehlo.subtract") {
    const IntegerRange b = operand(1);
    if (is_near(b.low) && is_near(b.high)) return both(so_far, sum(operand(0), {-b.high, -b.low}, t));
  }
  if (name == "stablehlo.convert") {
    const ElementType from = f_->type(f_->operand(def, 0)).element_type();
    const IntegerRange all = of_type(t), r = operand(0);
    if (is_followed(from) && r.low >= all.low && r.high <= all.high) return both(so_far, r);
  }
  if (name == "stablehlo.select") { return both(so_far, operand(1).joined(operand(2))); }
  if (name == "stablehlo.minimum" || name == "stablehlo.maximum") {
    const IntegerRange a = operand(0), b = operand(1);
    return both(so_far, name == "stablehlo.minimum" ? IntegerRange{std::min(a.low, b.low), std::min(a.high, b.high)}
                                                    : IntegerRange{std::max(a.low, b.low), std::max(a.high, b.high)});
  }
  return so_far;
}

bool IntegerFacts::is_true(Value condition, int depth) const {
  const OpId def = f_->defining_op(condition);
  if (!def || depth > kDeep || !f_->type(condition).is_scalar()) return false;
  const std::string_view name = f_->def(def).mnemonic;
  if (name == "stablehlo.and")
    return is_true(f_->operand(def, 0), depth + 1) && is_true(f_->operand(def, 1), depth + 1);
  if (name == "stablehlo.or") return is_true(f_->operand(def, 0), depth + 1) || is_true(f_->operand(def, 1), depth + 1);
  if (name != "stablehlo.compare" || !is_followed(f_->type(f_->operand(def, 0)).element_type())) return false;
  const std::string_view direction = f_->attrs(def).text("comparison_direction");
  const IntegerRange a = range(f_->operand(def, 0)), b = range(f_->operand(def, 1));
  if (direction == "LT") return a.high < b.low;
  if (direction == "LE") return a.high <= b.low;
  if (direction == "GT") return a.low > b.high;
  if (direction == "GE") return a.low >= b.high;
  return direction == "NE" && (a.high < b.low || a.low > b.high);
}

void IntegerFacts::narrow(Value v, IntegerRange r) {
  if (f_->defining_op(v) && integer_constant(*f_, v)) return;
  IntegerRange& known = known_[v];
  known = both(known, r);
  // Of i - 1 in bounds, as of i.
  const OpId def = f_->defining_op(v);
  if (!def) return;
  const std::string_view name = f_->def(def).mnemonic;
  if (name != "stablehlo.add" && name != "stablehlo.subtract") return;
  const auto by = integer_constant(*f_, f_->operand(def, 1));
  if (!by || !is_near(*by)) return;
  const Value before = f_->operand(def, 0);
  const int64_t offset = name == "stablehlo.add" ? *by : -*by;
  const IntegerRange old = range(before, 0);
  // Only where the sum does not wrap around.
  if (!is_near(old.low) || !is_near(old.high)) return;
  IntegerRange moved;
  if (is_near(known.low)) moved.low = known.low - offset;
  if (is_near(known.high)) moved.high = known.high - offset;
  known_[before] = both(old, moved);
}

void IntegerFacts::compare(Value v, std::string_view direction, IntegerRange limit) {
  IntegerRange r;
  if (direction == "EQ") r = limit;
  if (direction == "LE") r.high = limit.high;
  if (direction == "GE") r.low = limit.low;
  if (direction == "LT" && limit.high != std::numeric_limits<int64_t>::min()) r.high = limit.high - 1;
  if (direction == "GT" && limit.low != std::numeric_limits<int64_t>::max()) r.low = limit.low + 1;
  if (direction == "NE" && limit.low == limit.high && is_near(limit.low)) {
    // One of the ends may go.
    const IntegerRange old = range(v);
    if (old.low == limit.low) r.low = limit.low + 1;
    if (old.high == limit.low) r.high = limit.low - 1;
  }
  narrow(v, r);
}

void IntegerFacts::assume(Value condition, bool holds, int depth) {
  const OpId def = f_->defining_op(condition);
  if (!def || depth > kDeep || !f_->type(condition).is_scalar()) return;
  const std::string_view name = f_->def(def).mnemonic;
  if (name == "stablehlo.not") return assume(f_->operand(def, 0), !holds, depth + 1);
  if (name == (holds ? "stablehlo.and" : "stablehlo.or")) {
    assume(f_->operand(def, 0), holds, depth + 1);
    assume(f_->operand(def, 1), holds, depth + 1);
    return;
  }
  if (name != "stablehlo.compare") return;
  const Value a = f_->operand(def, 0), b = f_->operand(def, 1);
  if (!f_->type(a).is_scalar() || !is_followed(f_->type(a).element_type())) return;
  std::string_view direction = f_->attrs(def).text("comparison_direction");
  if (!holds) direction = opposite(direction);
  const IntegerRange of_a = range(a), of_b = range(b);
  compare(a, direction, of_b);
  compare(b, turned(direction), of_a);
}

void IntegerFacts::enter_condition(OpId loop) {
  const RegionId cond = f_->regions(loop)[0], body = f_->regions(loop)[1];
  const auto cond_args = f_->args(cond), body_args = f_->args(body);
  for (size_t i = 0; i < cond_args.size(); ++i) {
    if (results(body)[i] == body_args[i]) known_[cond_args[i]] = range(f_->operand(loop, i));
  }
}

void IntegerFacts::enter_body(OpId loop) {
  const RegionId cond = f_->regions(loop)[0], body = f_->regions(loop)[1];
  const auto cond_args = f_->args(cond), body_args = f_->args(body);
  assume(results(cond)[0], true);
  for (size_t i = 0; i < cond_args.size(); ++i) {
    const auto found = known_.find(cond_args[i]);
    if (found == known_.end()) continue;
    IntegerRange r = found->second;
    const IntegerRange start = range(f_->operand(loop, i));
    // Where the body only adds, or only subtracts, the start bounds all turns, as long as the condition keeps sums from wrapping around.
    const OpId add = f_->defining_op(results(body)[i]);
    const bool adds = add && f_->def(add).mnemonic == "stablehlo.add" && f_->operand(add, 0) == body_args[i];
    const auto by = adds ? integer_constant(*f_, f_->operand(add, 1)) : std::nullopt;
    if (by && is_near(*by)) {
      const IntegerRange all = of_type(f_->type(body_args[i]).element_type());
      if (*by >= 0 && is_near(r.high) && r.high + *by <= all.high) r.low = std::max(r.low, start.low);
      if (*by <= 0 && is_near(r.low) && r.low + *by >= all.low) r.high = std::min(r.high, start.high);
    }
    narrow(body_args[i], r);
  }
}

namespace {

/// Walks a function as it runs, with what is known at each place.
class Walk {
 public:
  Walk(const Module& program, const Function& f) : f_(f), effects_(&program), facts_(f) {}

  bool runs_through(RegionId region) {
    for (const OpId op : f_.ops(region)) {
      if (!f_.def(op).is_terminator && !runs_through(op)) return false;
    }
    return true;
  }

 private:
  bool runs_through(OpId op) {
    const OpView view{f_, op};
    const std::string_view name = f_.def(op).mnemonic;
    if (name == "weft.check") {
      if (!facts_.is_true(f_.operand(op, 0))) return false;
      facts_.assume(f_.operand(op, 0), true);
      return true;
    }
    if (name == "stablehlo.while") {
      const IntegerFacts outside = facts_;
      facts_.enter_condition(op);
      bool out = runs_through(f_.regions(op)[0]);
      facts_.enter_body(op);
      out = out && runs_through(f_.regions(op)[1]);
      facts_ = outside;
      return out;
    }
    if (name == "stablehlo.if") {
      const IntegerFacts outside = facts_;
      bool out = true;
      std::vector<IntegerRange> ranges(f_.num_results(op));
      for (const size_t k : {0, 1}) {
        const RegionId region = f_.regions(op)[k];
        facts_.assume(f_.operand(op, 0), k == 0);
        out = out && runs_through(region);
        const auto results = f_.operands(f_.terminator(region));
        for (size_t i = 0; i < ranges.size(); ++i) {
          const IntegerRange r = facts_.range(results[i]);
          ranges[i] = k == 0 ? r : ranges[i].joined(r);
        }
        facts_ = outside;
      }
      for (size_t i = 0; i < ranges.size(); ++i) facts_.learn(f_.result(op, i), ranges[i]);
      return out;
    }
    return name != "func.call" && !effects_.has_effects(view);
  }

  const Function& f_;
  EffectAnalysis effects_;
  IntegerFacts facts_;
};

}  // namespace

bool runs_through(const Module& program, const std::string& entry) {
  const Function& f = program.get(entry);
  return Walk(program, f).runs_through(f.body());
}

}  // namespace weft

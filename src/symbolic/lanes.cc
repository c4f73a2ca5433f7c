// Lanes, and what a lane asks of all of them.
#include <algorithm>
#include <array>

#include "symbolic/node.h"

namespace weft {

using namespace symbolic;

namespace {

struct Lanes {
  ScopeId scope;
  std::string level;
  int64_t count;
};
/// The pfors whose bodies are being made on this thread, the innermost last.
thread_local std::vector<Lanes> open_lanes;

class InLanes {
 public:
  InLanes(ScopeId scope, std::string level, int64_t count) { open_lanes.push_back({scope, std::move(level), count}); }
  ~InLanes() { open_lanes.pop_back(); }
  InLanes(const InLanes&) = delete;
  InLanes& operator=(const InLanes&) = delete;
};

const Lanes& lanes_of(std::string_view op, const Loc& loc, const std::string& level) {
  if (open_lanes.empty()) fail(op, loc, "there are no lanes here: expected it in the body of a pfor");
  for (size_t i = open_lanes.size(); i-- > 0;) {
    if (level.empty() || open_lanes[i].level == level) return open_lanes[i];
  }
  std::string there;
  for (const Lanes& l : open_lanes)
    there +=
        (there.empty() ? "" : ", ") + (l.level.starts_with("lanes ") ? "one without a name" : "\"" + l.level + "\"");
  fail(op, loc, "no pfor around this is called so: got \"" + level + "\", there are " + there);
}

/// The extreme that changes nothing.
Value extreme(OpBuilder& b, ElementType t, bool is_lowest) {
  const Value zeros = b.zeros(Type::tensor(t, {0}));
  const std::vector<int64_t> all = {0};
  return b.reduce(zeros, all, is_lowest ? "stablehlo.maximum" : "stablehlo.minimum");
}

Expr reduced(std::string_view op, const Operand& x, const std::string& level, const char* body) {
  const Loc loc = to_loc(x.loc());
  const Lanes& lanes = lanes_of(op, loc, level);
  const Expr e = to_expr(op, x);
  if (e.element_type() == ElementType::kI1)
    fail(op, loc, "truth values have no such reduction: got " + describe(e) + ", expected numbers (cast them first)");
  return make_ops(
      loc, {e},
      [body = std::string(body), name = lanes.level](OpBuilder& b, std::span<const Value> v) {
        const ElementType t = b.type(v[0]).element_type();
        const Value init =
            body == "stablehlo.add" ? b.zeros(Type::scalar(t)) : extreme(b, t, body == "stablehlo.maximum");
        const RegionId region = b.binary_region(t, body);
        const Value operands[] = {v[0], init};
        return b.create("weft.lanes_reduce", operands, {{"level", name}}, {}, std::span(&region, 1));
      },
      lanes.scope)[0];
}

}  // namespace

namespace symbolic {

std::vector<Expr> pfor(std::optional<int64_t> given, std::vector<Expr> xs, const ExprFunction& body,
                       const PforOptions& options, const std::source_location& where) {
  const Loc loc = to_loc(where);
  if (options.chunk < 0)
    fail("pfor", loc, "chunk: got " + std::to_string(options.chunk) + ", expected 0 (all lanes) or more");
  auto node = std::make_shared<Node>();
  Body lane = new_scope();
  std::vector<Type> types;
  int64_t n = given.value_or(1);
  if (!given) {
    if (xs.empty())
      fail("pfor", loc, "there is nothing to run over: expected at least one operand, or a number of lanes");
    expect_expressions("pfor", loc, "operand", xs);
    for (const Expr& x : xs) {
      if (x.rank() == 0)
        fail("pfor", loc, "an operand has no axis for the lanes: got " + describe(x) + ", expected rank 1 or more");
      if (x.dim(0) == 1) continue;
      if (n != 1 && x.dim(0) != n) {
        fail("pfor", loc,
             "number of lanes: got " + std::to_string(x.dim(0)) + " and " + std::to_string(n) +
                 ", expected the same for all operands, or 1");
      }
      n = x.dim(0);
    }
    for (Expr& x : xs) {
      const Shape one(x.shape().begin() + 1, x.shape().end());
      types.push_back(Type::tensor(x.element_type(), one));
      node->is_shared.push_back(x.dim(0) == 1 && n != 1);
      if (node->is_shared.back()) x = reshape(Operand(x, where), one);
    }
  } else {
    if (n < 0) fail("pfor", loc, "number of lanes: got " + std::to_string(n) + ", expected 0 or more");
    types = {Type::scalar(ElementType::kI32)};
  }
  // Lanes of other names than the caller's, so that a body that names none means these.
  node->level = options.level.empty() ? "lanes " + std::to_string(lane.scope) : options.level;
  {
    const InLanes here(lane.scope, node->level, n);
    lane.results = body(scope_args(lane, types, loc));
  }
  expect_expressions("pfor", loc, "result of the body", lane.results);
  node->kind = NodeKind::kPfor;
  node->loc = loc;
  node->lanes = n;
  node->pfor = options;
  for (const Expr& e : lane.results) {
    Shape shape = e.shape();
    shape.insert(shape.begin(), n);
    node->types.push_back(Type::tensor(e.element_type(), shape));
  }
  node->inputs = std::move(xs);
  node->bodies = {std::move(lane)};
  return finish(std::move(node));
}

}  // namespace symbolic

Expr lane_sum(Operand x, const std::string& level) { return reduced("lane_sum", x, level, "stablehlo.add"); }
Expr lane_max(Operand x, const std::string& level) { return reduced("lane_max", x, level, "stablehlo.maximum"); }
Expr lane_min(Operand x, const std::string& level) { return reduced("lane_min", x, level, "stablehlo.minimum"); }

Expr lane_mean(Operand x, const std::string& level) {
  const Loc loc = to_loc(x.loc());
  const int64_t count = lanes_of("lane_mean", loc, level).count;
  const Expr sum = reduced("lane_mean", x, level, "stablehlo.add");
  if (!is_float(sum.element_type()) && !is_complex(sum.element_type()))
    fail("lane_mean", loc,
         "the mean of whole numbers: got " + describe(sum) + ", expected a floating-point type (cast it first)");
  return Operand(sum, x.loc()) / Operand(static_cast<double>(count), x.loc());
}

Expr lane_concat(Operand x, const std::string& level) {
  const Loc loc = to_loc(x.loc());
  const Lanes& lanes = lanes_of("lane_concat", loc, level);
  const Expr e = to_expr("lane_concat", x);
  Shape shape = e.shape();
  shape.insert(shape.begin(), lanes.count);
  const Type all = Type::tensor(e.element_type(), shape);
  return make_ops(
      loc, {e},
      [all, name = lanes.level](OpBuilder& b, std::span<const Value> v) {
        return b.create("weft.lanes_concat", v, {{"level", name}}, std::span(&all, 1));
      },
      lanes.scope)[0];
}

std::vector<Expr> lane_reduce(const std::function<std::vector<Expr>(std::span<const Expr>, std::span<const Expr>)>& f,
                              std::vector<Operand> init, std::vector<Operand> xs, const std::string& level,
                              std::source_location where) {
  const Loc loc = to_loc(where);
  const int64_t count = lanes_of("lane_reduce", loc, level).count;
  std::vector<Operand> all;
  for (const Operand& x : xs) all.emplace_back(lane_concat(x, level), x.loc());
  const size_t carries = init.size();
  std::vector<Expr> out = scan(
      [&](std::span<const Expr> reached, std::span<const Expr> x) {
        std::vector<Expr> next = f(reached, x);
        if (next.size() != carries) {
          fail("lane_reduce", loc,
               "number of values that f returns: got " + std::to_string(next.size()) + ", expected " +
                   std::to_string(carries) + ", one for each start value");
        }
        return next;
      },
      std::move(init), std::move(all), count, where);
  return out;
}

}  // namespace weft

#include "transform/solves.h"

#include <algorithm>
#include <map>

#include "ops/record.h"
#include "transform/loop_rewriter.h"

namespace weft {
namespace {

/// A value and one of its dimensions.
using Along = std::pair<uint32_t, int64_t>;

class SolveFactorer : public LoopRewriter {
 public:
  explicit SolveFactorer(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const Function& f = from();
    if (f.def(op).mnemonic != "stablehlo.triangular_solve") return false;
    const Value right = f.operand(op, 1);
    const Type t = f.type(right);
    if (!f.type(f.operand(op, 0)).is_static() || !t.is_static() || t.is_quantized() || f.type(f.result(op)) != t)
      return false;
    const Attrs& attrs = f.attrs(op);
    const bool left = attrs.boolean_or("left_side", true);
    const std::string mode = attrs.text_or("transpose_a", "NO_TRANSPOSE");
    if (mode == "ADJOINT" && is_complex(t.element_type())) return false;
    solve_ = {op, left == (mode != "NO_TRANSPOSE"), t.rank()};
    const int64_t axis = t.rank() - (left ? 2 : 1), extent = t.dim(axis);
    if (extent < 2 || t.num_elements() == 0) return false;
    parts_.clear();
    written_.clear();
    only_moves_ = false;
    if (2 * survey(right, axis, kMaxDepth) > t.num_elements()) {
      // No less to solve, but perhaps no transposes around it.
      only_moves_ = true;
      parts_.clear();
      survey(right, axis, kMaxDepth);
      const auto [part, at] = parts_.begin()->first;
      if (part == right.index || !left || !is_last(Value{part}, at) || parts_.begin()->second != t.num_elements())
        return false;
    }
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    map().set(f.result(op), write(b, right, axis, kMaxDepth));
    return true;
  }

 private:
  static constexpr int kMaxDepth = 48;

  struct Solve {
    OpId op;
    bool is_transposed = false;  // what is solved for vectors along the axis: aᵀ instead of a
    int64_t rank = 2;            // of a; all but the last two of its dimensions are a batch
  };

  bool is_last(Value v, int64_t axis) const { return axis == from().type(v).rank() - 1; }

  /// How a value follows from operands as far as one of its dimensions is concerned.
  struct Step {
    enum class Kind : uint8_t { kPart, kEach, kOne } kind = Kind::kPart;
    size_t operand = 0;  // kOne: the operand that varies along the dimension
    int64_t axis = 0;    // and its dimension
  };

  Step step_of(Value v, int64_t axis) const {
    const Function& f = from();
    const OpId op = f.defining_op(v);
    if (!op || !f.type(v).is_static()) return {};
    const std::string_view name = f.def(op).mnemonic;
    const auto one = [](size_t operand, int64_t at) { return Step{Step::Kind::kOne, operand, at}; };
    if (!only_moves_ && (name == "stablehlo.add" || name == "stablehlo.subtract")) return {Step::Kind::kEach, 0, axis};
    if (!only_moves_ && name == "stablehlo.negate") return one(0, axis);
    if (!only_moves_ && (name == "stablehlo.multiply" || name == "stablehlo.divide")) {
      if (is_same_along(f.operand(op, 1), axis, kMaxDepth)) return one(0, axis);
      if (name == "stablehlo.multiply" && is_same_along(f.operand(op, 0), axis, kMaxDepth)) return one(1, axis);
      return {};
    }
    if (solve_.rank > 2 && !keeps_batch(op, axis)) return {};
    if (const auto moved = moved_axis(op, axis)) {
      if (*moved >= 0) return one(0, *moved);
      return {};
    }
    if (!only_moves_ && name == "stablehlo.dot_general" && solve_.rank == 2) {
      const auto [side, at] = side_of(op, axis);
      if (side < 2) return one(side, at);
    }
    return {};
  }

  /// Of a batch of matrices only the exchange of the two last dimensions is followed.
  bool keeps_batch(OpId op, int64_t axis) const {
    const Function& f = from();
    if (f.def(op).mnemonic != "stablehlo.transpose") return false;
    const auto& permutation = f.attrs(op).ints("permutation");
    for (int64_t d = 0; d + 2 < solve_.rank; ++d) {
      if (permutation[static_cast<size_t>(d)] != d) return false;
    }
    return axis + 2 >= solve_.rank;
  }

  /// Ops that move elements: the operand's dimension that becomes `axis`, -1 when it is none; nothing for other ops.
  std::optional<int64_t> moved_axis(OpId op, int64_t axis) const {
    const Function& f = from();
    const std::string_view name = f.def(op).mnemonic;
    if (name == "stablehlo.transpose") return f.attrs(op).ints("permutation")[static_cast<size_t>(axis)];
    if (name != "stablehlo.reshape" && name != "stablehlo.broadcast_in_dim") return std::nullopt;
    const Type in = f.type(f.operand(op, 0)), out = f.type(f.result(op));
    if (!in.is_static() || in.is_quantized()) return -1;
    if (name == "stablehlo.broadcast_in_dim") {
      const auto& dims = f.attrs(op).ints("broadcast_dimensions");
      const auto at = std::ranges::find(dims, axis);
      if (at == dims.end() || in.dim(at - dims.begin()) != out.dim(axis)) return -1;
      return at - dims.begin();
    }
    int64_t before = 1, given = 1;
    for (int64_t d = 0; d < axis; ++d) before *= out.dim(d);
    for (int64_t d = 0; d < in.rank(); given *= in.dim(d), ++d) {
      if (given == before && in.dim(d) == out.dim(axis)) return d;
    }
    return -1;
  }

  /// The operand of an outer product that has this dimension of the result, and where; 2 when there is none such.
  std::pair<size_t, int64_t> side_of(OpId op, int64_t axis) const {
    const Function& f = from();
    const Attrs& attrs = f.attrs(op);
    if (!attrs.ints_or("lhs_contracting_dimensions", 0, 0).empty() || attrs.has("lhs_precision_type")) return {2, 0};
    int64_t at = static_cast<int64_t>(attrs.ints_or("lhs_batching_dimensions", 0, 0).size());
    if (axis < at) return {2, 0};
    for (size_t side = 0; side < 2; ++side) {
      const Type t = f.type(f.operand(op, side));
      if (t.element_type() != f.type(f.result(op)).element_type()) return {2, 0};
      const auto batching = attrs.ints_or(side == 0 ? "lhs_batching_dimensions" : "rhs_batching_dimensions", 0, 0);
      for (int64_t d = 0; d < t.rank(); ++d) {
        if (std::ranges::find(batching, d) == batching.end() && at++ == axis) return {side, d};
      }
    }
    return {2, 0};
  }

  /// Whether all elements along the dimension are known to be equal.
  bool is_same_along(Value v, int64_t axis, int depth) const {
    const Function& f = from();
    const OpId op = f.defining_op(v);
    if (!op || depth == 0 || !f.type(v).is_static()) return false;
    const std::string_view name = f.def(op).mnemonic;
    if (name == "stablehlo.constant") return f.attrs(op).literal("value").splat;
    if (name == "stablehlo.broadcast_in_dim") {
      const auto moved = moved_axis(op, axis);
      if (*moved >= 0) return is_same_along(f.operand(op, 0), *moved, depth - 1);
      return f.type(f.operand(op, 0)).is_static();
    }
    if (name == "stablehlo.transpose" || name == "stablehlo.reshape") {
      const auto moved = moved_axis(op, axis);
      return *moved >= 0 && is_same_along(f.operand(op, 0), *moved, depth - 1);
    }
    if (name == "stablehlo.dot_general") {
      const auto [side, at] = side_of(op, axis);
      return side < 2 && is_same_along(f.operand(op, side), at, depth - 1);
    }
    if (name != "stablehlo.add" && name != "stablehlo.subtract" && name != "stablehlo.multiply" &&
        name != "stablehlo.divide" && name != "stablehlo.negate")
      return false;
    return std::ranges::all_of(f.operands(op), [&](Value x) { return is_same_along(x, axis, depth - 1); });
  }

  /// Elements of all the parts that are to be solved; each counts once.
  int64_t survey(Value v, int64_t axis, int depth) {
    const Step step = depth == 0 ? Step() : step_of(v, axis);
    if (step.kind == Step::Kind::kPart) {
      const int64_t elements = from().type(v).num_elements();
      return parts_.try_emplace({v.index, axis}, elements).second ? elements : 0;
    }
    const OpId op = from().defining_op(v);
    if (step.kind == Step::Kind::kOne) return survey(from().operand(op, step.operand), step.axis, depth - 1);
    const int64_t first = survey(from().operand(op, 0), axis, depth - 1);
    return first + survey(from().operand(op, 1), axis, depth - 1);
  }

  /// The solution of v along the dimension.
  Value write(OpBuilder& b, Value v, int64_t axis, int depth) {
    const auto found = written_.find({v.index, axis});
    if (found != written_.end()) return found->second;
    const Step step = depth == 0 ? Step() : step_of(v, axis);
    const OpId op = from().defining_op(v);
    Value out;
    if (step.kind == Step::Kind::kPart) {
      out = solved(b, map().at(v), axis);
    } else {
      std::vector<Value> operands;
      const size_t n = from().operands(op).size();
      for (size_t i = 0; i < n; ++i) {
        const bool is_solved = step.kind == Step::Kind::kEach || i == step.operand;
        const Value x = from().operand(op, i);
        operands.push_back(is_solved ? write(b, x, step.axis, depth - 1) : map().at(x));
      }
      const Type types[] = {from().type(v)};
      out = b.create(from().def(op), operands, from().attrs(op), types)[0];
    }
    written_[{v.index, axis}] = out;
    return out;
  }

  /// A triangular_solve of x along one of its dimensions, from the side on which it lies.
  Value solved(OpBuilder& b, Value x, int64_t axis) {
    const Type t = b.type(x);
    const std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
    const int64_t batch = solve_.rank - 2, rank = t.rank(), n = t.dim(axis);
    if (axis != rank - 1 && axis != batch) {
      std::vector<int64_t> order, back(static_cast<size_t>(rank));
      for (int64_t d = 0; d < rank; ++d) {
        if (d != axis) order.push_back(d);
      }
      order.push_back(axis);
      for (size_t d = 0; d < order.size(); ++d) back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
      return b.transpose(solved(b, b.transpose(x, order), rank - 1), back);
    }
    const bool left = axis != rank - 1 || rank == batch + 1;
    std::vector<int64_t> matrices(shape.begin(), shape.begin() + batch);
    int64_t others = n == 0 ? 0 : t.num_elements() / n;
    for (int64_t extent : matrices) others /= extent;
    matrices.push_back(left ? n : others);
    matrices.push_back(left ? others : n);
    Attrs attrs = from().attrs(solve_.op);
    attrs.set("left_side", left);
    attrs.set("transpose_a", solve_.is_transposed == left ? "TRANSPOSE" : "NO_TRANSPOSE");
    const Value operands[] = {map().at(from().operand(solve_.op, 0)), b.reshape(x, matrices)};
    return b.reshape(b.create(from().def(solve_.op), operands, std::move(attrs))[0], shape);
  }

  Solve solve_;
  bool only_moves_ = false;
  std::map<Along, int64_t> parts_;
  std::map<Along, Value> written_;
};

}  // namespace

std::unique_ptr<Function> factor_solves(const Function& f) {
  // What became of one solve may be the right side of another.
  constexpr int kRounds = 4;
  std::unique_ptr<Function> out;
  for (int round = 0; round < kRounds; ++round) {
    auto next = SolveFactorer(out ? *out : f).run();
    if (!next) break;
    out = std::move(next);
  }
  return out;
}

}  // namespace weft

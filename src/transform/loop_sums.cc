#include "transform/loop_sums.h"

#include <algorithm>
#include <optional>

#include "transform/counted_loop.h"
#include "transform/loop_rewriter.h"

namespace weft {
namespace {

constexpr int64_t kMaxSequenceBytes = int64_t{64} << 20;  // beyond this, at most twice the sum itself

/// How an operand of a product is had for all iterations at once.
struct Sequence {
  Value inside;      // its value in an iteration
  int64_t axis = 0;  // where the iterations are inserted
  Value whole;       // slices: what they are slices of; none: stored by the new loop
  Value place;       // slices: the start of the slice along the axis
  Affine order;      // and that start as a function of the iteration
  size_t carry = 0;  // stored: carry of the new loop
};

struct Sum {
  size_t carry;
  OpId add, product;
  std::vector<OpId> moves;  // transposes and reshapes between product and add, product's user first
  Sequence sides[2];
};

class SumHoister : public LoopRewriter {
 public:
  SumHoister(const Function& f, const std::function<int64_t(int64_t)>& likely) : LoopRewriter(f), likely_(likely) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const auto loop = counted_loop(from(), op);
    if (!loop || loop->trips < 2) return false;
    std::vector<Sum> sums;
    int64_t bytes = 0;
    for (size_t i = 0; i < from().num_results(op); ++i) {
      auto sum = find_sum(op, *loop, i);
      if (!sum) continue;
      const int64_t more = sequence_bytes(*sum, loop->trips);
      if (bytes + more > std::max(kMaxSequenceBytes, 2 * bytes_of(from().result(op, i)))) continue;
      bytes += more;
      sums.push_back(std::move(*sum));
    }
    if (sums.empty()) return false;
    write(op, region, *loop, sums);
    return true;
  }

 private:
  int64_t bytes_of(Value v) const { return bytes_of(from().type(v)); }
  int64_t bytes_of(Type t) const {
    auto bytes = static_cast<int64_t>(byte_size(t.element_type()));
    for (int64_t n : t.shape()) bytes *= likely_ ? likely_(n) : n;
    return bytes;
  }
  int64_t sequence_bytes(const Function& f, const Sequence& s, int64_t trips) const {
    return s.whole ? 0 : trips * bytes_of(f.type(s.inside));
  }
  int64_t sequence_bytes(const Sum& sum, int64_t trips) const {
    return sequence_bytes(from(), sum.sides[0], trips) + sequence_bytes(from(), sum.sides[1], trips);
  }

  std::optional<Sum> find_sum(OpId op, const CountedLoop& loop, size_t carry) const {
    const Function& f = from();
    const RegionId cond = f.regions(op)[0], body = f.regions(op)[1];
    const Value before = f.args(body)[carry], after = f.operand(f.terminator(body), carry);
    if (!f.type(before).is_tensor() || !f.type(before).is_static() || byte_size(f.type(before).element_type()) < 4)
      return std::nullopt;
    if (uses(f.args(cond)[carry]) != 0 || uses(before) != 1 || uses(after) != 1) return std::nullopt;
    Sum sum;
    sum.carry = carry;
    sum.add = f.defining_op(after);
    if (!sum.add || f.parent(sum.add) != body || f.def(sum.add).mnemonic != "stablehlo.add") return std::nullopt;
    const bool first = f.operand(sum.add, 0) == before;
    if (!first && f.operand(sum.add, 1) != before) return std::nullopt;
    Value term = f.operand(sum.add, first ? 1 : 0);
    for (;;) {
      const OpId made = f.defining_op(term);
      if (!made || f.parent(made) != body || uses(term) != 1) return std::nullopt;
      const std::string_view name = f.def(made).mnemonic;
      if (name == "stablehlo.dot_general") {
        sum.product = made;
        break;
      }
      if (name != "stablehlo.transpose" && name != "stablehlo.reshape") return std::nullopt;
      sum.moves.insert(sum.moves.begin(), made);
      term = f.operand(made, 0);
    }
    const Attrs& a = f.attrs(sum.product);
    if (f.type(term).element_type() != f.type(before).element_type()) return std::nullopt;
    for (size_t side = 0; side < 2; ++side) {
      Sequence& s = sum.sides[side];
      s.inside = f.operand(sum.product, side);
      const Type t = f.type(s.inside);
      if (!t.is_static() || t.element_type() != f.type(term).element_type() || t.num_elements() == 0 ||
          is_outside(s.inside, body))
        return std::nullopt;
      const std::string prefix = side == 0 ? "lhs" : "rhs";
      const auto& contracting = a.ints(prefix + "_contracting_dimensions");
      const auto& batching = a.ints(prefix + "_batching_dimensions");
      s.axis = !contracting.empty() ? *std::ranges::min_element(contracting) : static_cast<int64_t>(batching.size());
      find_slice(op, loop, s);
    }
    // One order of the iterations for both operands.
    if (sum.sides[0].whole && sum.sides[1].whole && (sum.sides[0].order.factor != sum.sides[1].order.factor)) {
      sum.sides[1].whole = {};
    }
    // Reading and writing the sum in each iteration against storing the operands and reading them once.
    int64_t stored = 0;
    for (const Sequence& s : sum.sides) stored += s.whole ? 0 : 2 * bytes_of(s.inside);
    if (stored > 2 * bytes_of(before)) return std::nullopt;
    return sum;
  }

  void find_slice(OpId op, const CountedLoop& loop, Sequence& s) const {
    const auto slice = slice_by_iteration(from(), op, loop, s.inside);
    if (!slice) return;
    s.whole = slice->whole;
    s.place = slice->place;
    s.order = slice->order;
    s.axis = slice->axis;
  }

  void write(OpId op, RegionId region, const CountedLoop& loop, std::vector<Sum>& sums) {
    const Function& f = from();
    const size_t n = f.num_results(op);
    const auto sum_of = [&](size_t carry) {
      return std::ranges::find_if(sums, [&](const Sum& s) { return s.carry == carry; }) != sums.end();
    };
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    // Carries of the new loop: those that stay, then the sequences. Operands that several products share are stored once.
    std::vector<Value> operands;
    std::vector<size_t> new_position(n, SIZE_MAX);
    for (size_t i = 0; i < n; ++i) {
      if (sum_of(i)) continue;
      new_position[i] = operands.size();
      operands.push_back(map().at(f.operand(op, i)));
    }
    std::vector<Sequence*> stored;
    for (Sum& sum : sums) {
      // The order of a slice beside it, else that of the iterations.
      for (size_t side = 0; side < 2; ++side) {
        Sequence& s = sum.sides[side];
        const Sequence& other = sum.sides[1 - side];
        if (s.whole) continue;
        s.place = other.whole ? other.place : Value{};
        s.order = other.whole ? other.order : Affine{1, 0};
        const auto same = std::ranges::find_if(stored, [&](const Sequence* t) {
          return t->inside == s.inside && t->axis == s.axis && t->order.factor == s.order.factor;
        });
        if (same != stored.end()) {
          s.carry = (*same)->carry;
          continue;
        }
        s.carry = operands.size();
        operands.push_back(b.zeros(sequence_type(s, loop.trips)));
        stored.push_back(&s);
      }
    }
    std::vector<RegionId> regions;
    for (size_t r = 0; r < 2; ++r) regions.push_back(write_region(op, r, loop, sums, stored, new_position, operands));
    const std::vector<Value> results = b.create(f.def(op), operands, f.attrs(op), {}, regions);
    for (size_t i = 0; i < n; ++i) {
      if (new_position[i] != SIZE_MAX) map().set(f.result(op, i), results[new_position[i]]);
    }
    for (const Sum& sum : sums) {
      Value sides[2];
      for (size_t side = 0; side < 2; ++side) {
        const Sequence& s = sum.sides[side];
        sides[side] = s.whole ? map().at(s.whole) : results[s.carry];
      }
      Value total =
          b.create(f.def(sum.product), sides, product_attrs(sum), std::vector{f.type(f.result(sum.product))})[0];
      for (OpId move : sum.moves) {
        const Value operand[] = {total};
        total = b.create(f.def(move), operand, f.attrs(move), std::vector{f.type(f.result(move))})[0];
      }
      const Value start = f.operand(op, sum.carry);
      map().set(f.result(op, sum.carry), is_zero(start) ? total : b.add(map().at(start), total));
    }
  }

  Type sequence_type(const Sequence& s, int64_t trips) const {
    const Type t = from().type(s.inside);
    std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
    shape.insert(shape.begin() + s.axis, trips);
    return Type::tensor(t.element_type(), shape);
  }

  RegionId write_region(OpId op, size_t r, const CountedLoop& loop, const std::vector<Sum>& sums,
                        const std::vector<Sequence*>& stored, const std::vector<size_t>& new_position,
                        const std::vector<Value>& operands) {
    const Function& f = from();
    const RegionId source = f.regions(op)[r], region = to().new_region();
    std::vector<Value> args;
    for (Value v : operands) args.push_back(to().add_arg(region, to().type(v)));
    for (size_t i = 0; i < new_position.size(); ++i) {
      if (new_position[i] != SIZE_MAX) map().set(f.args(source)[i], args[new_position[i]]);
    }
    copy_ops(source, region, [&](OpId inner) {
      return std::ranges::any_of(sums, [&](const Sum& s) {
        return inner == s.add || inner == s.product || std::ranges::find(s.moves, inner) != s.moves.end();
      });
    });
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    std::vector<Value> results;
    const auto old = f.operands(f.terminator(source));
    if (r == 0) {
      results.push_back(map().at(old[0]));
    } else {
      results.resize(operands.size());
      for (size_t i = 0; i < new_position.size(); ++i) {
        if (new_position[i] != SIZE_MAX) results[new_position[i]] = map().at(old[i]);
      }
      for (const Sequence* s : stored) {
        const Value counter = args[new_position[loop.counter]];
        const Value place = s->place ? map().at(s->place) : iteration_of(b, loop, counter);
        const ElementType index = b.type(place).element_type();
        const Value x = map().at(s->inside);
        std::vector<Value> starts(static_cast<size_t>(b.type(x).rank()) + 1, b.scalar(index, 0));
        starts[static_cast<size_t>(s->axis)] = place;
        results[s->carry] = b.dynamic_update_slice(args[s->carry], with_axis(b, x, s->axis), starts);
      }
    }
    b.yield(results);
    return region;
  }

  /// dot_general's attributes with the iterations as a further contracted dimension, outermost.
  Attrs product_attrs(const Sum& sum) const {
    Attrs attrs = from().attrs(sum.product);
    for (size_t side = 0; side < 2; ++side) {
      const int64_t axis = sum.sides[side].axis;
      const std::string prefix = side == 0 ? "lhs" : "rhs";
      for (const char* kind : {"_batching_dimensions", "_contracting_dimensions"}) {
        std::vector<int64_t> dims = attrs.ints(prefix + kind);
        for (int64_t& d : dims) d += d >= axis ? 1 : 0;
        if (kind == std::string_view("_contracting_dimensions")) dims.insert(dims.begin(), axis);
        attrs.set(prefix + kind, dims);
      }
    }
    return attrs;
  }

  const std::function<int64_t(int64_t)>& likely_;
};

}  // namespace

std::unique_ptr<Function> hoist_sums(const Function& f, const std::function<int64_t(int64_t)>& likely) {
  return SumHoister(f, likely).run();
}

}  // namespace weft

#include "ops/contraction/ragged_dot_in_ops.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ops/contraction/ragged_dims.h"

namespace weft {
namespace {

using namespace ragged_dims;
using enum ElementType;

Dims shape_of(const OpBuilder& b, Value v) { return {b.type(v).shape().begin(), b.type(v).shape().end()}; }
size_t at(int64_t d) { return static_cast<size_t>(d); }
int64_t place_in(const Dims& dims, int64_t d) { return std::ranges::find(dims, d) - dims.begin(); }

class Ragging {
 public:
  Ragging(OpBuilder& b, const OpView& op, std::span<const Value> operands)
      : builder_(b), dims_(op.attrs()), mode_(dims_.mode()), result_(op.result_type()) {
    lhs_ = b.convert(operands[0], result_.element_type());
    rhs_ = b.convert(operands[1], result_.element_type());
    sizes_ = b.convert(operands[2], kI64);
    groups_ = b.type(sizes_).shape().back();
    ragged_ = dims_.ragged[0];
    extent_ = b.type(lhs_).dim(ragged_);
    if (const Attr* precision = op.attrs().find("precision_config")) attrs_.set("precision_config", *precision);
  }

  Value run() {
    OpBuilder& b = builder_;
    if (mode_ == Ragged::kBatching) return product(b, lhs_, rhs_, result_);
    if (result_.num_elements() == 0 || extent_ == 0 || groups_ == 0) return b.zeros(result_);
    return b.type(sizes_).rank() == 1 ? by_blocks() : by_groups();
  }

 private:
  /// dot_general of an lhs (or a part of it) with an rhs without group dimension.
  Value product(OpBuilder& b, Value lhs, Value rhs, Type type) const {
    const auto shifted = [&](Dims dims) {
      for (int64_t& d : dims) {
        if (mode_ == Ragged::kFree && d > dims_.group[0]) --d;
      }
      return dims;
    };
    Attrs attrs = attrs_;
    attrs.set("lhs_batching_dimensions", dims_.lhs_batching);
    attrs.set("rhs_batching_dimensions", shifted(dims_.rhs_batching));
    attrs.set("lhs_contracting_dimensions", dims_.lhs_contracting);
    attrs.set("rhs_contracting_dimensions", shifted(dims_.rhs_contracting));
    const Value operands[] = {lhs, rhs};
    return b.create("stablehlo.dot_general", operands, attrs, std::span(&type, 1))[0];
  }

  static Value index(OpBuilder& b, int64_t i) { return b.scalar(kI64, static_cast<double>(i)); }

  /// `size` places of dimension d from `start` on.
  static Value part(OpBuilder& b, Value x, int64_t d, Value start, int64_t size) {
    Dims sizes = shape_of(b, x);
    std::vector<Value> starts(sizes.size(), index(b, 0));
    starts[at(d)] = start;
    sizes[at(d)] = size;
    return b.dynamic_slice(x, starts, sizes);
  }
  static Value place(OpBuilder& b, Value x, Value update, int64_t d, Value start) {
    std::vector<Value> starts(shape_of(b, x).size(), index(b, 0));
    starts[at(d)] = start;
    return b.dynamic_update_slice(x, update, starts);
  }
  /// Element d of the only dimension.
  static Value element(OpBuilder& b, Value x, Value d) { return b.reshape(part(b, x, 0, d, 1), {}); }

  Value matrix_of(OpBuilder& b, Value group) const {
    const Value one = part(b, rhs_, dims_.group[0], group, 1);
    Dims shape = shape_of(b, one);
    shape.erase(shape.begin() + dims_.group[0]);
    return b.reshape(one, shape);
  }

  /// Sums of the sizes up to and with each group, along the last dimension.
  Value ends() const {
    OpBuilder& b = builder_;
    Dims shape = shape_of(b, sizes_), square = shape;
    square.push_back(groups_);
    const auto rank = static_cast<int64_t>(square.size());
    Dims own;
    for (int64_t d = 0; d < rank; ++d) {
      if (d != rank - 2) own.push_back(d);
    }
    const Type t = Type::tensor(kI64, square);
    const Value counts = b.compare(b.iota(t, rank - 1), b.iota(t, rank - 2), "LE");
    const std::array<int64_t, 1> last = {rank - 1};
    return b.reduce(b.select(counts, b.broadcast_in_dim(sizes_, own, square), b.zeros(t)), last, "stablehlo.add");
  }

  Value masked(OpBuilder& b, Value mask, int64_t d, Value x) const {
    const int64_t dims[] = {d};
    const Dims shape = shape_of(b, x);
    return b.select(b.broadcast_in_dim(mask, dims, shape), x, b.zeros(b.type(x)));
  }

  /// Blocks of rows (or of terms) [row, end of its group) of at most `block_`, one after the other. Of the last block of all, which may
  /// begin before `row`, the rest of it counts.
  Value by_blocks() {
    OpBuilder& b = builder_;
    const auto wanted = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(extent_ / groups_ + 1)));
    const int64_t block = std::min(extent_, std::clamp<int64_t>(wanted, 16, 256));
    const Value end_of = ends();
    const std::array<int64_t, 1> only = {0};
    const Value last = b.minimum(b.reduce(end_of, only, "stablehlo.maximum"), index(b, extent_));
    const Type scalar = Type::scalar(kI64);
    const Type types[] = {scalar, scalar, result_};
    const RegionId condition = b.make_region(
        types, [&](OpBuilder& c, std::span<const Value> x) { return std::vector<Value>{c.compare(x[0], last, "LT")}; });
    const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> x) {
      const Value row = x[0], group = group_at(c, end_of, row, x[1]), end = element(c, end_of, group);
      const Value start = c.minimum(row, index(c, extent_ - block));
      const Type numbers = Type::tensor(kI64, {block});
      const int64_t shape[] = {block};
      const Value place_of = c.add(c.iota(numbers, 0), c.broadcast_scalar(start, shape));
      const Value mask = c.logical_and(c.compare(place_of, c.broadcast_scalar(row, shape), "GE"),
                                       c.compare(place_of, c.broadcast_scalar(end, shape), "LT"));
      const Value next = c.minimum(c.add(start, index(c, block)), end);
      const Value sum = mode_ == Ragged::kFree ? with_rows(c, x[2], group, start, block, mask)
                                               : with_terms(c, x[2], group, start, block, mask);
      return std::vector<Value>{next, group, sum};
    });
    const Value first[] = {index(b, 0), index(b, 0), b.zeros(result_)};
    const RegionId regions[] = {condition, body};
    return b.create("stablehlo.while", first, {}, {}, regions)[2];
  }

  /// The first group from `group` on that ends behind `row`.
  Value group_at(OpBuilder& b, Value ends, Value row, Value group) const {
    const Type types[] = {Type::scalar(kI64)};
    const RegionId condition = b.make_region(types, [&](OpBuilder& c, std::span<const Value> x) {
      return std::vector<Value>{c.compare(element(c, ends, x[0]), row, "LE")};
    });
    const RegionId body = b.make_region(
        types, [&](OpBuilder& c, std::span<const Value> x) { return std::vector<Value>{c.add(x[0], index(c, 1))}; });
    const RegionId regions[] = {condition, body};
    return b.create("stablehlo.while", std::span(&group, 1), {}, {}, regions)[0];
  }

  Value with_rows(OpBuilder& b, Value sum, Value group, Value start, int64_t block, Value mask) const {
    const int64_t d =
        static_cast<int64_t>(dims_.lhs_batching.size()) + place_in(dims_.lhs_free(b.type(lhs_).rank()), ragged_);
    Dims shape = shape_of(b, sum);
    shape[at(d)] = block;
    const Value rows = product(b, part(b, lhs_, ragged_, start, block), matrix_of(b, group), result_.with_shape(shape));
    const int64_t dims[] = {d};
    const Value before = part(b, sum, d, start, block);
    return place(b, sum, b.select(b.broadcast_in_dim(mask, dims, shape), rows, before), d, start);
  }

  Value with_terms(OpBuilder& b, Value sum, Value group, Value start, int64_t block, Value mask) const {
    const int64_t other = dims_.rhs_contracting[at(place_in(dims_.lhs_contracting, ragged_))];
    const Value lhs = masked(b, mask, ragged_, part(b, lhs_, ragged_, start, block));
    const Value rhs = masked(b, mask, other, part(b, rhs_, other, start, block));
    return add_to_group(b, sum, group, product(b, lhs, rhs, one_group()));
  }

  /// The type of one group's result of a contracting product.
  Type one_group() const {
    const auto shape = result_.shape();
    return result_.with_shape(shape.subspan(1));
  }
  Value add_to_group(OpBuilder& b, Value sum, Value group, Value term) const {
    Dims shape = shape_of(b, sum);
    shape[0] = 1;
    return place(b, sum, b.add(part(b, sum, 0, group, 1), b.reshape(term, shape)), 0, group);
  }

  /// The group of each place of the lhs' prefix and ragged dimensions; the number of groups past the last.
  Value group_of_places() const {
    OpBuilder& b = builder_;
    const Value end_of = ends();
    Dims shape = shape_of(b, end_of), own;
    shape.insert(shape.end() - 1, extent_);
    const auto rank = static_cast<int64_t>(shape.size());
    for (int64_t d = 0; d < rank; ++d) {
      if (d != rank - 2) own.push_back(d);
    }
    const Type t = Type::tensor(kI64, shape);
    const Value holds = b.compare(b.broadcast_in_dim(end_of, own, shape), b.iota(t, rank - 2), "GT");
    const Value none = b.splat(t, static_cast<double>(groups_));
    const std::array<int64_t, 1> last = {rank - 1};
    return b.reduce(b.select(holds, b.iota(t, rank - 1), none), last, "stablehlo.minimum",
                    b.scalar(kI64, static_cast<double>(groups_)));
  }

  Value by_groups() {
    OpBuilder& b = builder_;
    const Value group_of = group_of_places();
    Dims places = dims_.prefix(b.type(lhs_).rank());  // dimensions of the lhs that group_of has
    places.push_back(ragged_);
    const Type types[] = {Type::scalar(kI64), result_};
    const RegionId condition = b.make_region(types, [&](OpBuilder& c, std::span<const Value> x) {
      return std::vector<Value>{c.compare(x[0], index(c, groups_), "LT")};
    });
    const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> x) {
      const Value mask = c.compare(group_of, c.broadcast_scalar(x[0], shape_of(c, group_of)), "EQ");
      Value sum;
      if (mode_ == Ragged::kFree) {
        // Dimensions of the result that those of the lhs become.
        const Dims free = dims_.lhs_free(c.type(lhs_).rank());
        Dims to;
        for (int64_t d : places) {
          to.push_back(contains(dims_.lhs_batching, d)
                           ? place_in(dims_.lhs_batching, d)
                           : static_cast<int64_t>(dims_.lhs_batching.size()) + place_in(free, d));
        }
        const Value rows = product(c, lhs_, matrix_of(c, x[0]), result_);
        sum = c.select(spread(c, mask, to, shape_of(c, x[1])), rows, x[1]);
      } else {
        Dims others;
        for (int64_t d : places) {
          others.push_back(contains(dims_.lhs_batching, d)
                               ? dims_.rhs_batching[at(place_in(dims_.lhs_batching, d))]
                               : dims_.rhs_contracting[at(place_in(dims_.lhs_contracting, d))]);
        }
        const auto kept = [&](Value v, const Dims& to) {
          return c.select(spread(c, mask, to, shape_of(c, v)), v, c.zeros(c.type(v)));
        };
        sum = add_to_group(c, x[1], x[0], product(c, kept(lhs_, places), kept(rhs_, others), one_group()));
      }
      return std::vector<Value>{c.add(x[0], index(c, 1)), sum};
    });
    const Value first[] = {index(b, 0), b.zeros(result_)};
    const RegionId regions[] = {condition, body};
    return b.create("stablehlo.while", first, {}, {}, regions)[1];
  }

  /// The mask over a shape of which it has the dimensions `to`, in any order.
  static Value spread(OpBuilder& b, Value mask, const Dims& to, const Dims& shape) {
    return b.broadcast_in_dim(mask, to, shape);
  }

  OpBuilder& builder_;
  RaggedDims dims_;
  Ragged mode_;
  Type result_;
  Attrs attrs_;
  Value lhs_, rhs_, sizes_;
  int64_t groups_ = 0, ragged_ = 0, extent_ = 0;
};

}  // namespace

std::optional<std::vector<Value>> ragged_dot_in_ops(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  for (size_t i = 0; i < 3; ++i) {
    if (!op.operand_type(i).is_static()) return std::nullopt;
  }
  if (!op.result_type().is_static() || op.result_type().is_quantized()) return std::nullopt;
  return std::vector<Value>{Ragging(b, op, operands).run()};
}

}  // namespace weft

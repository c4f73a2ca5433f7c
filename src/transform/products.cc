#include "transform/products.h"

#include <algorithm>

#include "transform/loop_rewriter.h"

namespace weft {
namespace {

class ProductSettler : public LoopRewriter {
 public:
  ProductSettler(const Function& f, bool batches) : LoopRewriter(f), batches_(batches) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const std::string_view name = from().def(op).mnemonic;
    if (name == "stablehlo.transpose") return swap(op, region);
    if (name == "stablehlo.slice") return cut(op, region);
    return false;
  }

 private:
  /// The product of which v is the only use; none otherwise.
  OpId product(Value v) const {
    const Function& f = from();
    const OpId op = f.defining_op(v);
    if (!op || f.def(op).mnemonic != "stablehlo.dot_general" || uses(v) != 1 || !f.type(v).is_static()) return {};
    for (size_t i = 0; i < 2; ++i) {
      const Type t = f.type(f.operand(op, i));
      if (!t.is_static() || t.is_quantized()) return {};
    }
    return f.attrs(op).has("lhs_precision_type") ? OpId{} : op;  // an algorithm knows its sides
  }

  /// Dimensions of an operand that stay in the result, in order.
  std::vector<int64_t> free_dims(OpId op, size_t side) const {
    const std::string prefix = side == 0 ? "lhs" : "rhs";
    const auto& batching = from().attrs(op).ints(prefix + "_batching_dimensions");
    const auto& contracting = from().attrs(op).ints(prefix + "_contracting_dimensions");
    std::vector<int64_t> out;
    for (int64_t d = 0; d < from().type(from().operand(op, side)).rank(); ++d) {
      if (std::ranges::count(batching, d) + std::ranges::count(contracting, d) == 0) out.push_back(d);
    }
    return out;
  }

  bool swap(OpId op, RegionId region) {
    const Function& f = from();
    const OpId dot = product(f.operand(op, 0));
    if (!dot) return false;
    const int64_t batch = static_cast<int64_t>(f.attrs(dot).ints("lhs_batching_dimensions").size());
    const int64_t left = static_cast<int64_t>(free_dims(dot, 0).size()),
                  right = static_cast<int64_t>(free_dims(dot, 1).size());
    std::vector<int64_t> exchange;
    for (int64_t d = 0; d < batch; ++d) exchange.push_back(d);
    for (int64_t d = 0; d < right; ++d) exchange.push_back(batch + left + d);
    for (int64_t d = 0; d < left; ++d) exchange.push_back(batch + d);
    if (left == 0 || right == 0) return false;
    if (f.attrs(op).ints("permutation") != exchange)
      return batches_ && batch_leading(op, dot, batch, left, right, region);
    OpBuilder b(to(), region);
    b.loc = f.loc(dot);
    const Value operands[] = {map().at(f.operand(dot, 1)), map().at(f.operand(dot, 0))};
    const Type types[] = {f.type(f.result(op))};
    map().set(f.result(op), b.create(f.def(dot), operands, exchanged(dot), types)[0]);
    return true;
  }

  /// The attributes of the product of the operands in the other order.
  Attrs exchanged(OpId dot) const {
    Attrs attrs = from().attrs(dot);
    for (const char* kind : {"_batching_dimensions", "_contracting_dimensions"}) {
      const std::vector<int64_t> lhs = attrs.ints(std::string("lhs") + kind),
                                 rhs = attrs.ints(std::string("rhs") + kind);
      attrs.set(std::string("lhs") + kind, rhs);
      attrs.set(std::string("rhs") + kind, lhs);
    }
    if (const Attr* precision = attrs.find("precision_config")) {
      if (const auto* words = precision->get_if<std::shared_ptr<const AttrList>>(); words != nullptr) {
        AttrList reversed(**words);
        std::ranges::reverse(reversed);
        attrs.set("precision_config", Attr(std::move(reversed)));
      }
    }
    return attrs;
  }

  /// The free dimensions of rhs come between those of lhs: what stands before them becomes batching, of which rhs has copies.
  bool batch_leading(OpId op, OpId dot, int64_t batch, int64_t left, int64_t right, RegionId region) {
    const Function& f = from();
    const auto& permutation = f.attrs(op).ints("permutation");
    if (f.parent(op) != f.body()) return false;  // in a loop the copies would be made each time
    int64_t leading = 0;
    while (leading < left && permutation[static_cast<size_t>(batch + leading)] == batch + leading) ++leading;
    std::vector<int64_t> expected;
    for (int64_t d = 0; d < batch + leading; ++d) expected.push_back(d);
    for (int64_t d = 0; d < right; ++d) expected.push_back(batch + left + d);
    for (int64_t d = leading; d < left; ++d) expected.push_back(batch + d);
    if (leading == 0 || leading == left || permutation != expected) return false;
    const std::vector<int64_t> free = free_dims(dot, 0);
    const Type lhs = f.type(f.operand(dot, 0)), rhs = f.type(f.operand(dot, 1));
    std::vector<int64_t> shape, dimensions, added;
    for (int64_t d = 0; d < leading; ++d) {
      shape.push_back(lhs.dim(free[static_cast<size_t>(d)]));
      added.push_back(d);
    }
    int64_t copies = 1;
    for (int64_t n : shape) copies *= n;
    if (2 * copies * rhs.num_elements() > f.type(f.result(op)).num_elements()) return false;
    for (int64_t d = 0; d < rhs.rank(); ++d) {
      shape.push_back(rhs.dim(d));
      dimensions.push_back(leading + d);
    }
    Attrs attrs = exchanged(dot);
    std::vector<int64_t> batching = attrs.ints("lhs_batching_dimensions");
    for (int64_t& d : batching) d += leading;
    batching.insert(batching.end(), added.begin(), added.end());
    attrs.set("lhs_batching_dimensions", batching);
    std::vector<int64_t> contracting = attrs.ints("lhs_contracting_dimensions");
    for (int64_t& d : contracting) d += leading;
    attrs.set("lhs_contracting_dimensions", contracting);
    batching = attrs.ints("rhs_batching_dimensions");
    batching.insert(batching.end(), free.begin(), free.begin() + leading);
    attrs.set("rhs_batching_dimensions", batching);
    OpBuilder b(to(), region);
    b.loc = f.loc(dot);
    const Value spread = b.broadcast_in_dim(map().at(f.operand(dot, 1)), dimensions, shape);
    const Value operands[] = {spread, map().at(f.operand(dot, 0))};
    const Type types[] = {f.type(f.result(op))};
    map().set(f.result(op), b.create(f.def(dot), operands, std::move(attrs), types)[0]);
    return true;
  }

  bool cut(OpId op, RegionId region) {
    const Function& f = from();
    const OpId dot = product(f.operand(op, 0));
    if (!dot) return false;
    const Type whole = f.type(f.operand(op, 0)), part = f.type(f.result(op));
    const auto &start = f.attrs(op).ints("start_indices"), &limit = f.attrs(op).ints("limit_indices");
    const auto strides = f.attrs(op).ints_or("strides", start.size(), 1);
    if (std::ranges::any_of(strides, [](int64_t s) { return s != 1; })) return false;
    const size_t batch = f.attrs(dot).ints("lhs_batching_dimensions").size();
    const std::vector<int64_t> free[2] = {free_dims(dot, 0), free_dims(dot, 1)};
    Value operands[2];
    std::vector<int64_t> low[2], high[2];
    bool is_cut[2] = {false, false};
    for (size_t side = 0; side < 2; ++side) {
      operands[side] = f.operand(dot, side);
      const auto shape = f.type(operands[side]).shape();
      low[side].assign(shape.size(), 0);
      high[side].assign(shape.begin(), shape.end());
    }
    for (size_t d = 0; d < start.size(); ++d) {
      if (limit[d] - start[d] == whole.dim(static_cast<int64_t>(d))) continue;
      if (d < batch) return false;
      const size_t side = d - batch < free[0].size() ? 0 : 1;
      const size_t at = static_cast<size_t>(free[side][d - batch - (side == 0 ? 0 : free[0].size())]);
      low[side][at] = start[d];
      high[side][at] = limit[d];
      is_cut[side] = true;
    }
    // What is saved against what the slices of the operands may cost.
    int64_t terms = 1, copied = 0;
    for (int64_t d : f.attrs(dot).ints("lhs_contracting_dimensions")) terms *= f.type(operands[0]).dim(d);
    for (size_t side = 0; side < 2; ++side) {
      int64_t elements = 1;
      for (size_t d = 0; d < low[side].size(); ++d) elements *= high[side][d] - low[side][d];
      copied += is_cut[side] ? elements : 0;
    }
    if ((whole.num_elements() - part.num_elements()) * terms < 8 * copied) return false;
    OpBuilder b(to(), region);
    b.loc = f.loc(dot);
    for (size_t side = 0; side < 2; ++side) {
      operands[side] = map().at(operands[side]);
      if (is_cut[side]) operands[side] = b.slice(operands[side], low[side], high[side]);
    }
    const Type types[] = {part};
    map().set(f.result(op), b.create(f.def(dot), operands, f.attrs(dot), types)[0]);
    return true;
  }

  const bool batches_;
};

}  // namespace

std::unique_ptr<Function> settle_products(const Function& f) { return ProductSettler(f, false).run(); }
std::unique_ptr<Function> batch_products(const Function& f) { return ProductSettler(f, true).run(); }

}  // namespace weft

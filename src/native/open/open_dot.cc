// Products with open extents that no library takes, or that are too small for a call.
#include <algorithm>
#include <array>

#include "native/codegen/kernel.h"
#include "native/open/open_emitter.h"
#include "ops/families.h"

namespace weft::native {
namespace {

/// Contractions of so many numbers are written out.
constexpr int64_t kMostUnrolled = 16;

/// Where the elements of the operands of a product stand, by digits of the result and of the contraction.
struct DotPlaces {
  const OpView op;
  const std::vector<int64_t>&lb, &rb, &lc, &rc;

  explicit DotPlaces(const OpView& dot)
      : op(dot),
        lb(dot.attrs().ints("lhs_batching_dimensions")),
        rb(dot.attrs().ints("rhs_batching_dimensions")),
        lc(dot.attrs().ints("lhs_contracting_dimensions")),
        rc(dot.attrs().ints("rhs_contracting_dimensions")) {}

  std::vector<OpenIndex> digits(size_t side, std::span<const OpenIndex> out, std::span<const OpenIndex> inner) const {
    const Type x = op.operand_type(side);
    const auto &batch = side == 0 ? lb : rb, &contracting = side == 0 ? lc : rc;
    size_t free = lb.size();
    if (side == 1) free += static_cast<size_t>(op.operand_type(0).rank()) - lb.size() - lc.size();
    std::vector<OpenIndex> at;
    for (int64_t d = 0; d < x.rank(); ++d) {
      const auto b = std::ranges::find(batch, d), c = std::ranges::find(contracting, d);
      at.push_back(b != batch.end()         ? out[static_cast<size_t>(b - batch.begin())]
                   : c != contracting.end() ? inner[static_cast<size_t>(c - contracting.begin())]
                                            : out[free++]);
    }
    return at;
  }
  std::vector<int64_t> loops() const {
    std::vector<int64_t> l;
    for (int64_t d : lc) l.push_back(op.operand_type(0).dim(d));
    return l;
  }
};

/// Whether neighbouring results lie next to each other in an operand, too: they are then computed side by side.
bool has_columns(const OpView& op) {
  const DotPlaces p(op);
  for (size_t side : {size_t{1}, size_t{0}}) {
    const int64_t rank = op.operand_type(side).rank();
    const auto &batch = side == 0 ? p.lb : p.rb, &contracting = side == 0 ? p.lc : p.rc;
    const bool has_free = rank > static_cast<int64_t>(batch.size() + contracting.size());
    if (!has_free) continue;
    return std::ranges::count(batch, rank - 1) == 0 && std::ranges::count(contracting, rank - 1) == 0;
  }
  return false;
}

bool is_unrolled(const OpView& op, const ExtentNames& names) {
  int64_t n = 1;
  for (int64_t d : DotPlaces(op).loops()) {
    if (names.is_open(d)) return false;
    n *= d;
  }
  return n <= kMostUnrolled;
}

}  // namespace

bool sums_dot_columns(const OpView& op, const ExtentNames& names) {
  return op.def().mnemonic == "stablehlo.dot_general" && !is_complex(op.result_type().element_type()) &&
         has_columns(op) && !is_unrolled(op, names);
}

OpenValue OpenEmitter::dot(const OpView& op, const OpenPlace& place) {
  const DotPlaces places(op);
  const ElementType sum_type = codegen::compute_type(op.result_type().element_type());
  const bool unrolled = is_unrolled(op, names_);
  return sum_of_products(op.result_type().element_type(), places.loops(), digits(place, op.result_type().shape()),
                         unrolled, !unrolled && sums_dot_columns(op, names_),
                         [&](const std::vector<OpenIndex>& result, const std::vector<OpenIndex>& inner) {
                           const auto factor = [&](size_t side) {
                             const Type x = op.operand_type(side);
                             return convert(
                                 eval(op.operand(side), this->place(x.shape(), places.digits(side, result, inner))),
                                 x.element_type(), sum_type);
                           };
                           const OpenValue x = factor(0);
                           return std::pair(x, factor(1));
                         });
}

OpenValue OpenEmitter::sum_of_products(ElementType t, std::span<const int64_t> loops, const std::vector<OpenIndex>& out,
                                       bool unrolled, bool by_columns, const Factors& factors) {
  const ElementType sum_type = codegen::compute_type(t);
  const OpenValue zero = bits(sum_type, 0, 0);
  const auto product = [&](const std::vector<OpenIndex>& result, const std::vector<OpenIndex>& k, int depth,
                           std::span<llvm::Value* const> now) {
    const auto [x, y] = factors(result, k);
    llvm::IRBuilder<> b = at(depth);
    if (is_complex(t)) {
      llvm::Value* re = b.CreateFSub(b.CreateFMul(x.v, y.v), b.CreateFMul(x.im, y.im));
      llvm::Value* im = b.CreateFAdd(b.CreateFMul(x.v, y.im), b.CreateFMul(x.im, y.v));
      return std::vector<llvm::Value*>{b.CreateFAdd(now[0], re), b.CreateFAdd(now[1], im)};
    }
    if (is_float(sum_type)) {
      llvm::Value* sum = b.CreateFAdd(now[0], b.CreateFMul(x.v, y.v));
      // The grouping of a sum is free.
      if (auto* add = llvm::dyn_cast<llvm::Instruction>(sum)) add->setHasAllowReassoc(true);
      return std::vector<llvm::Value*>{sum};
    }
    if (is_boolean(t)) return std::vector<llvm::Value*>{b.CreateOr(now[0], b.CreateAnd(x.v, y.v))};
    return std::vector<llvm::Value*>{b.CreateAdd(now[0], b.CreateMul(x.v, y.v))};
  };
  bool in_columns = by_columns && columns.i != nullptr && !out.empty() && out.back().v == columns.i;
  for (size_t k = 0; in_columns && k + 1 < out.size(); ++k) in_columns = out[k].depth < columns.depth;
  if (in_columns) {
    const OpenValue sum = sum_columns(
        loops, {&zero, 1}, [&](OpenIndex column, const std::vector<OpenIndex>& k, const std::vector<OpenValue>& now) {
          std::vector<OpenIndex> here = out;
          here.back() = column;
          return std::vector{OpenValue{product(here, k, column.depth, {&now[0].v, 1})[0], nullptr, column.depth}};
        })[0];
    llvm::IRBuilder<> b = at(sum.depth);
    return {codegen::round_to(b, sum.v, t), nullptr, sum.depth};
  }
  int level = 0;
  for (OpenIndex k : out) level = std::max(level, k.depth);
  std::vector<llvm::Value*> start = {zero.v};
  if (zero.im != nullptr) start.push_back(zero.im);
  const NestBody step = [&](const std::vector<OpenIndex>& k, int depth, std::span<llvm::Value* const> now) {
    return product(out, k, depth, now);
  };
  std::vector<OpenIndex> k;
  const std::vector<llvm::Value*> sum = nest(level, loops, unrolled, k, start, step);
  llvm::IRBuilder<> b = at(level);
  OpenValue r{codegen::round_to(b, sum[0], t), nullptr, level};
  if (sum.size() > 1) r.im = sum[1];
  return r;
}

// The vectoriser takes the loop; unrolled, it would take the one around it.
void OpenEmitter::keep_rolled(llvm::Instruction* latch) const {
  llvm::Metadata* hint[] = {llvm::MDString::get(context(), "llvm.loop.unroll.disable")};
  llvm::Metadata* parts[] = {nullptr, llvm::MDNode::get(context(), hint)};
  llvm::MDNode* id = llvm::MDNode::getDistinct(context(), parts);
  id->replaceOperandWith(0, id);
  latch->setMetadata(llvm::LLVMContext::MD_loop, id);
}

// All columns of the innermost loop side by side, row by row, so that memory is read as it lies. The sums stand on the stack.
std::vector<OpenValue> OpenEmitter::sum_columns(std::span<const int64_t> extents, std::span<const OpenValue> start,
                                                const ColumnStep& step) {
  static constexpr std::array<int64_t, 1> kOneRow = {1};
  const int level = columns.depth - 1;
  std::vector<llvm::AllocaInst*> sums;
  for (const OpenValue& v : start) sums.push_back(stack(v.v->getType(), kMaxColumns));
  const Columns outer = columns;
  columns = {};
  const OpenIndex count = sub(outer.high, outer.low);
  const auto each = [&](int depth, const std::function<void(OpenIndex)>& body) {
    loop(depth, number(0).v, count.v, {}, [&](OpenIndex i, std::span<llvm::Value* const>) {
      body(i);
      keep_rolled(latch());
      return std::vector<llvm::Value*>{};
    });
  };
  const auto load_sums = [&](llvm::Value* i, int depth) {
    llvm::IRBuilder<> b = at(depth);
    std::vector<OpenValue> out;
    for (size_t k = 0; k < sums.size(); ++k) {
      llvm::Type* type = start[k].v->getType();
      out.push_back({b.CreateLoad(type, b.CreateGEP(type, sums[k], i)), nullptr, depth});
    }
    return out;
  };
  const auto store_sums = [&](llvm::Value* i, int depth, std::span<const OpenValue> values) {
    llvm::IRBuilder<> b = at(depth);
    for (size_t k = 0; k < sums.size(); ++k)
      b.CreateStore(values[k].v, b.CreateGEP(values[k].v->getType(), sums[k], i));
  };
  each(level, [&](OpenIndex i) { store_sums(i.v, i.depth, start); });
  if (extents.empty()) extents = kOneRow;
  // Several rows at a time: a sum goes through memory once for all of them.
  const int64_t last = extents.back();
  const int64_t most = kernel_.num_ops() <= 16 ? 8 : kernel_.num_ops() <= 40 ? 4 : 1;
  const int64_t together = names_.is_open(last) ? most : std::clamp<int64_t>(last, 1, most);
  std::vector<OpenIndex> rows;
  const auto block = [&](int depth, OpenIndex first, int64_t count) {
    each(depth, [&](OpenIndex i) {
      std::vector<OpenValue> now = load_sums(i.v, i.depth);
      for (int64_t k = 0; k < count; ++k) {
        std::vector<OpenIndex> row = rows;
        if (extents.data() != kOneRow.data()) row.push_back(add(first, number(k)));
        now = step(add(outer.low, i), row, now);
      }
      store_sums(i.v, i.depth, now);
    });
  };
  nest(level, extents.first(extents.size() - 1), false, rows, {},
       [&](const std::vector<OpenIndex>&, int depth, std::span<llvm::Value* const>) {
         const OpenIndex extent = number(last), whole = mul(div(extent, number(together)), number(together));
         const auto turns = [&](OpenIndex low, OpenIndex high, int64_t count) {
           loop(depth, div(low, number(count)).v, div(high, number(count)).v, {},
                [&](OpenIndex turn, std::span<llvm::Value* const>) {
                  block(depth + 1, mul(turn, number(count)), count);
                  return std::vector<llvm::Value*>{};
                });
         };
         turns(number(0), whole, together);
         if (together > 1 && (names_.is_open(last) || last % together != 0)) turns(whole, extent, 1);
         return std::vector<llvm::Value*>{};
       });
  columns = outer;
  return load_sums(at(outer.depth).CreateSub(outer.i, outer.low.v), outer.depth);
}

}  // namespace weft::native

// Sums of every kind with open extents: reductions, and products that no library takes.
#include <algorithm>
#include <utility>

#include "native/codegen/reduce.h"
#include "native/open/open_emitter.h"
#include "ops/families.h"

namespace weft::native {

OpenPlace OpenEmitter::reduced_place(const OpView& op, const std::vector<OpenIndex>& kept,
                                     const std::vector<OpenIndex>& reduced) const {
  const Type x = op.operand_type(0);
  const auto& dims = op.attrs().ints("dimensions");
  OpenPlace p;
  size_t k = 0, r = 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const OpenIndex at = std::ranges::count(dims, d) != 0 ? reduced[r++] : kept[k++];
    if (x.dim(d) != 1) p.push_back({x.dim(d), at});
  }
  return p;
}

std::vector<OpenValue> OpenEmitter::region(RegionId region, std::span<const OpenValue> args) {
  std::vector<uint32_t> names;
  const auto bind = [&](Value v, const OpenValue& value) {
    bound_[v.index] = value;
    names.push_back(v.index);
  };
  for (size_t i = 0; i < args.size(); ++i) bind(kernel_.args(region)[i], args[i]);
  std::vector<OpenValue> results;
  for (OpId id : kernel_.ops(region)) {
    const OpView op{kernel_, id};
    if (op.def().is_terminator) {
      for (Value v : op.operands()) results.push_back(eval(v, {}));
      break;
    }
    bind(op.result(), compute(op, 0, {}));
  }
  for (uint32_t n : names) bound_.erase(n);
  return results;
}

namespace {

/// Order and grouping of sums, products and extrema do not matter: LLVM may do several at once.
void allow_reordering(llvm::Value* v) {
  auto* i = llvm::dyn_cast<llvm::BinaryOperator>(v);
  if (i == nullptr || !llvm::isa<llvm::FPMathOperator>(i)) return;
  if (i->getOpcode() == llvm::Instruction::FAdd || i->getOpcode() == llvm::Instruction::FMul)
    i->setHasAllowReassoc(true);
}

}  // namespace

OpenEmitter::Fold::Fold(OpenEmitter& e, const OpView& op) : e_(e), op_(op) {
  const Function& f = op.function;
  for (Value v : f.args(op.region(0))) types_.push_back(f.type(v).element_type());
  types_.resize(op.num_results());
  if (op.num_results() != 1) return;
  const auto monoid = codegen::monoid_of(f, op.region(0));
  is_monoid_ = monoid.has_value();
  if (!monoid) return;
  const std::string_view m = f.def(monoid->op).mnemonic;
  wide_ = (m == "stablehlo.add" || m == "stablehlo.multiply") && codegen::compute_type(types_[0]) != types_[0];
}

std::vector<OpenValue> OpenEmitter::Fold::start() const {
  std::vector<OpenValue> out;
  for (size_t i = 0; i < types_.size(); ++i) {
    const Value init = op_.operand(types_.size() + i);
    out.push_back(e_.convert(e_.eval(init, {}), op_.function.type(init).element_type(), types_[i]));
  }
  return out;
}

std::vector<OpenValue> OpenEmitter::Fold::step(std::span<const OpenValue> now, std::span<const OpenValue> elements,
                                               bool reorders) const {
  std::vector<OpenValue> args(now.begin(), now.end());
  for (size_t i = 0; i < types_.size(); ++i)
    args.push_back(e_.convert(elements[i], op_.operand_type(i).element_type(), types_[i]));
  const bool rounding = e_.rounding_;
  e_.rounding_ = rounding && !wide_;
  std::vector<OpenValue> next = e_.region(op_.region(0), args);
  e_.rounding_ = rounding;
  for (const OpenValue& v : next) {
    if (!reorders || !is_monoid_) continue;
    allow_reordering(v.v);
    if (v.im != nullptr) allow_reordering(v.im);
  }
  return next;
}

std::vector<OpenValue> OpenEmitter::Fold::finish(std::span<const OpenValue> now) const {
  std::vector<OpenValue> out;
  for (size_t i = 0; i < types_.size(); ++i) {
    OpenValue v = now[i];
    llvm::IRBuilder<> b = e_.at(v.depth);
    if (wide_) v.v = codegen::round_to(b, v.v, types_[i]);
    out.push_back(e_.convert(v, types_[i], op_.result_type(i).element_type()));
  }
  return out;
}

llvm::AllocaInst* OpenEmitter::stack(llvm::Type* type, int64_t count) {
  llvm::IRBuilder<> entry(start_);
  llvm::AllocaInst* memory =
      entry.CreateAlloca(llvm::ArrayType::get(type, static_cast<uint64_t>(count)), nullptr, "columns");
  memory->setAlignment(llvm::Align(64));
  return memory;
}

std::vector<OpenValue> OpenEmitter::fold(const OpView& op, int level, std::span<const int64_t> extents,
                                         bool is_unrolled, const Elements& elements) {
  const Fold body(*this, op);
  const std::vector<OpenValue> start = body.start();
  std::vector<llvm::Value*> carried;
  for (const OpenValue& v : start) {
    level = std::max(level, v.depth);
    carried.push_back(v.v);
    if (v.im != nullptr) carried.push_back(v.im);
  }
  const auto unpack = [&](std::span<llvm::Value* const> flat, int depth) {
    std::vector<OpenValue> out;
    size_t k = 0;
    for (const OpenValue& v : start) {
      OpenValue x{flat[k++], nullptr, depth};
      if (v.im != nullptr) x.im = flat[k++];
      out.push_back(x);
    }
    return out;
  };
  const bool is_row = extents.size() == 1 && extents[0] == kept_row_.extent && !is_unrolled;
  const NestBody step = [&](const std::vector<OpenIndex>& at, int depth, std::span<llvm::Value* const> now) {
    std::vector<llvm::Value*> flat;
    llvm::Value* const outer = std::exchange(row_fold_, is_row ? at[0].v : nullptr);
    const std::vector<OpenValue> met = elements(at);
    row_fold_ = outer;
    for (const OpenValue& v : body.step(unpack(now, depth), met, !is_unrolled)) {
      flat.push_back(v.v);
      if (v.im != nullptr) flat.push_back(v.im);
    }
    return flat;
  };
  std::vector<OpenIndex> at;
  const std::vector<llvm::Value*> folded = nest(level, extents, is_unrolled, at, carried, step);
  if (is_row) kept_.merge(being_kept_);
  return body.finish(unpack(folded, level));
}

// Fresh accumulators at every level keep the code of an element inside the innermost loop.
std::vector<llvm::Value*> OpenEmitter::nest(int depth, std::span<const int64_t> extents, bool is_unrolled,
                                            std::vector<OpenIndex>& at, std::span<llvm::Value* const> now,
                                            const NestBody& body) {
  if (at.size() == extents.size()) return body(at, depth, now);
  const int64_t extent = extents[at.size()];
  const auto inside = [&](OpenIndex i, int inner, std::span<llvm::Value* const> values) {
    at.push_back(i);
    auto out = nest(inner, extents, is_unrolled, at, values, body);
    at.pop_back();
    return out;
  };
  if (is_unrolled) {
    std::vector<llvm::Value*> values(now.begin(), now.end());
    for (int64_t k = 0; k < extent; ++k) values = inside(number(k), depth, values);
    return values;
  }
  return loop(depth, number(0).v, number(extent).v, now,
              [&](OpenIndex i, std::span<llvm::Value* const> values) { return inside(i, depth + 1, values); });
}

std::vector<OpenValue> OpenEmitter::reduce(const OpView& op, const OpenPlace& place) {
  const std::vector<OpenIndex> kept = digits(place, op.result_type().shape());
  if (auto columns = column_reduce(op, kept)) return *columns;
  int level = 0;
  for (OpenIndex k : kept) level = std::max(level, k.depth);
  const Type x = op.operand_type(0);
  std::vector<int64_t> extents;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (std::ranges::count(op.attrs().ints("dimensions"), d) != 0) extents.push_back(x.dim(d));
  }
  return fold(op, level, extents, false, [&](const std::vector<OpenIndex>& reduced) {
    const OpenPlace at = reduced_place(op, kept, reduced);
    std::vector<OpenValue> out;
    for (size_t i = 0; i < op.num_results(); ++i) out.push_back(eval(op.operand(i), at));
    return out;
  });
}

// Sums over outer dimensions for each place of the innermost loop.
std::optional<std::vector<OpenValue>> OpenEmitter::column_reduce(const OpView& op, const std::vector<OpenIndex>& kept) {
  if (columns.i == nullptr) return std::nullopt;
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (is_complex(op.result_type(i).element_type())) return std::nullopt;
  }
  const Type x = op.operand_type(0);
  const auto& dims = op.attrs().ints("dimensions");
  // Several results, as of an argmax, are not vectorised along a row: rows then run side by side.
  const bool along_rows = x.rank() > 0 && std::ranges::count(dims, x.rank() - 1) != 0;
  if (x.rank() == 0 || (along_rows && op.num_results() == 1) || kept.empty() || kept.back().v != columns.i)
    return std::nullopt;
  for (size_t k = 0; k + 1 < kept.size(); ++k) {
    if (kept[k].depth >= columns.depth) return std::nullopt;
  }
  const Fold body(*this, op);
  const int level = columns.depth - 1;
  const std::vector<OpenValue> start = body.start();
  if (std::ranges::any_of(start, [&](const OpenValue& v) { return v.depth > level; })) return std::nullopt;
  std::vector<int64_t> extents;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (std::ranges::count(dims, d) != 0) extents.push_back(x.dim(d));
  }
  const std::vector<OpenValue> sums = sum_columns(
      extents, start, [&](OpenIndex column, const std::vector<OpenIndex>& reduced, const std::vector<OpenValue>& now) {
        std::vector<OpenIndex> here = kept;
        here.back() = column;
        const OpenPlace at = reduced_place(op, here, reduced);
        std::vector<OpenValue> elements;
        for (size_t i = 0; i < op.num_results(); ++i) elements.push_back(eval(op.operand(i), at));
        return body.step(now, elements);
      });
  return body.finish(sums);
}

}  // namespace weft::native

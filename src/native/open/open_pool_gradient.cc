#include "native/open/open_pool_gradient.h"

#include <algorithm>

#include "native/open/open_window.h"

namespace weft::native {
namespace {

constexpr int64_t kMostPositions = 32;  // of a window, written out in the code

class PoolGradient : public OpenRoot {
 public:
  PoolGradient(const OpView& op, const ExtentNames& names)
      : OpenRoot(op, names),
        windows_(op),
        x_(op.operand_type(0)),
        source_(op.operand_type(1)),
        type_(op.result_type().element_type()) {
    const size_t rank = static_cast<size_t>(x_.rank());
    while (first_ < rank && !windows_.moves(first_)) ++first_;
    last_ = rank;
    while (last_ > first_ && !windows_.moves(last_ - 1)) --last_;
    for (size_t d = 0; d < rank; ++d) (d < first_ ? outer_ : d < last_ ? middle_ : inner_) *= x_.shape()[d];
  }

  std::vector<int64_t> extents() const override { return {outer_, inner_}; }

  void emit(OpenEmitter& e, std::span<const OpenIndex> outer, OpenIndex low, OpenIndex high) override {
    const auto each = [&](const std::function<void(OpenIndex)>& body) {
      if (inner_ == 1) return body(e.number(0));
      loop(e, low, high, true, body);
    };
    const Value init = op_.operand(2);
    const OpenValue start = e.convert(e.eval(init, {}), type(init).element_type(), type_);
    loop(e, e.number(0), e.number(middle_), inner_ == 1, [&](OpenIndex m) {
      each([&](OpenIndex k) { e.store(outputs_, type_, {{outer_, outer[0]}, {middle_, m}, {inner_, k}}, start); });
    });
    std::vector<OpenIndex> at = e.digits({{outer_, outer[0]}}, x_.shape().first(first_));
    const std::function<void(size_t)> nest = [&](size_t d) {
      if (d < last_) {
        loop(e, e.number(0), e.number(source_.shape()[d]), false, [&](OpenIndex i) {
          at.push_back(i);
          nest(d + 1);
          at.pop_back();
        });
        return;
      }
      each([&](OpenIndex k) {
        std::vector<OpenIndex> all = at;
        for (OpenIndex i : e.digits({{inner_, k}}, x_.shape().subspan(last_))) all.push_back(i);
        window(e, all);
      });
    };
    nest(first_);
  }

 private:
  /// The number of the position that is selected, or -1: a window of padding only.
  void window(OpenEmitter& e, const std::vector<OpenIndex>& at) {
    const auto params = op_.function.args(op_.region(0));
    const std::vector<int64_t> loops = windows_.loops();
    llvm::LLVMContext& context = op_context(e);
    llvm::Type* i32 = llvm::Type::getInt32Ty(context);
    const auto number = [&](int64_t n) { return llvm::ConstantInt::get(i32, static_cast<uint64_t>(n), true); };
    const ElementType t = type(params[0]).element_type();
    std::vector<OpenWindows::Position> positions;
    OpenValue best, chosen;
    for (int64_t p = 0; p < windows_.size(names_); ++p) {
      std::vector<OpenIndex> k(loops.size());
      int64_t rest = p;
      for (size_t d = loops.size(); d-- > 0; rest /= loops[d]) k[d] = e.number(rest % loops[d]);
      positions.push_back(windows_.position(e, at, k));
      const OpenIndex inside = positions.back().inside;
      const OpenValue x =
          e.convert(e.eval(op_.operand(0), e.place(x_.shape(), positions.back().at)), x_.element_type(), t);
      const OpenValue n{number(p), nullptr, 0};
      if (p == 0) {
        best = x;
        chosen = inside.v == nullptr ? n : e.choose(inside, n, {number(-1), nullptr, 0});
        continue;
      }
      const std::vector<OpenValue> args = {best, x};
      const OpenValue keeps = e.region(op_.region(0), args)[0];
      const int depth = std::max({keeps.depth, chosen.depth, inside.v != nullptr ? inside.depth : 0});
      llvm::IRBuilder<> b = e.at(depth);
      // What was selected so far stays, if anything was.
      llvm::Value* stays = b.CreateAnd(keeps.v, b.CreateICmpSGE(chosen.v, number(0)));
      if (inside.v != nullptr) stays = b.CreateOr(stays, b.CreateNot(inside.v));
      const OpenIndex stay{stays, depth};
      best = e.choose(stay, best, x);
      chosen = e.choose(stay, chosen, n);
    }
    const OpenValue source = e.eval(op_.operand(1), e.place(source_.shape(), at));
    if (inner_ == 1) {
      // One place: found first, then written.
      OpenIndex to = e.number(0);
      for (size_t p = 0; p < positions.size(); ++p) {
        const OpenIndex here = e.linear(e.place(x_.shape(), positions[p].at));
        const int depth = std::max(chosen.depth, std::max(here.depth, to.depth));
        llvm::IRBuilder<> b = e.at(depth);
        to = {b.CreateSelect(b.CreateICmpEQ(chosen.v, number(static_cast<int64_t>(p))), here.v, to.v), depth};
      }
      llvm::IRBuilder<> b = e.at(chosen.depth);
      const OpenIndex found{b.CreateICmpSGE(chosen.v, number(0)), chosen.depth};
      when(e, found, [&] { add(e, {{x_.num_elements(), to}}, source, {}); });
      return;
    }
    for (size_t p = 0; p < positions.size(); ++p) {
      llvm::IRBuilder<> b = e.at(chosen.depth);
      const OpenIndex hit{b.CreateICmpEQ(chosen.v, number(static_cast<int64_t>(p))), chosen.depth};
      add(e, e.place(x_.shape(), positions[p].at), source, hit);
    }
  }

  /// What stands there and the source, where `hit` holds; else what stands there.
  void add(OpenEmitter& e, const OpenPlace& to, const OpenValue& source, OpenIndex hit) const {
    const auto params = op_.function.args(op_.region(1));
    OpenIndex offset = e.linear(to);
    offset.depth = e.depth();
    const OpenValue old = e.load(e.buffer(outputs_), type_, offset);
    const std::vector<OpenValue> args = {e.convert(old, type_, type(params[0]).element_type()),
                                         e.convert(source, source_.element_type(), type(params[1]).element_type())};
    const OpId last = op_.function.terminator(op_.region(1));
    const OpenValue sum =
        e.convert(e.region(op_.region(1), args)[0], type(op_.function.operand(last, 0)).element_type(), type_);
    e.store(outputs_, type_, to, hit.v == nullptr ? sum : e.choose(hit, sum, old));
  }

  static llvm::LLVMContext& op_context(const OpenEmitter& e) { return e.latch()->getContext(); }

  const OpenWindows windows_;
  const Type x_, source_;
  const ElementType type_;
  size_t first_ = 0, last_ = 0;  // windows move along [first, last)
  int64_t outer_ = 1, middle_ = 1, inner_ = 1;
};

}  // namespace

std::unique_ptr<OpenRoot> open_pool_gradient(const OpView& op, const ExtentNames& names) {
  return std::make_unique<PoolGradient>(op, names);
}

bool can_open_pool_gradient(const OpView& op, const ExtentNames& names, std::string* reason) {
  const int64_t size = OpenWindows(op).size(names);
  const auto refuse = [&](const char* text) {
    if (reason != nullptr) *reason = text;
    return false;
  };
  if (size == 0) return refuse("windows of open extents");
  if (size > kMostPositions) return refuse("windows of more than 32 positions");
  if (is_complex(op.result_type().element_type())) return refuse("complex numbers have no order");
  return true;
}

}  // namespace weft::native

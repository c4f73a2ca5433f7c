#include "native/open/open_root.h"

#include <algorithm>

#include "native/codegen/kernel.h"
#include "native/codegen/reduce.h"
#include "native/codegen/scan.h"
#include "native/open/open_pool_gradient.h"
#include "native/open/open_scatter.h"
#include "native/open/open_step.h"
#include "ops/reduction/window_rules.h"

namespace weft::native {

void OpenRoot::loop(OpenEmitter& e, OpenIndex low, OpenIndex high, bool is_independent,
                    const std::function<void(OpenIndex)>& body) const {
  e.loop(e.depth(), low.v, high.v, {}, [&](OpenIndex i, std::span<llvm::Value* const>) {
    body(i);
    if (is_independent && independent) independent(e.latch());
    return std::vector<llvm::Value*>{};
  });
}

void OpenRoot::when(OpenEmitter& e, OpenIndex condition, const std::function<void()>& body) const {
  if (condition.v == nullptr) return body();
  const OpenIndex turns{
      e.at(condition.depth).CreateZExt(condition.v, llvm::Type::getInt64Ty(condition.v->getContext())),
      condition.depth};
  loop(e, e.number(0), turns, false, [&](OpenIndex) { body(); });
}

namespace {

/// A fold that begins at an edge: one running value for each line, the lines of a chunk side by side.
class Scan : public OpenRoot {
 public:
  Scan(const OpView& op, const ExtentNames& names, const codegen::ScanForm& form) : OpenRoot(op, names), form_(form) {}

  std::vector<int64_t> extents() const override { return {form_.outer, form_.inner}; }

  void emit(OpenEmitter& e, std::span<const OpenIndex> outer, OpenIndex low, OpenIndex high) override {
    OpenEmitter::Fold fold(e, op_);
    const std::vector<OpenValue> start = fold.start();
    std::vector<llvm::AllocaInst*> rows;
    for (const OpenValue& v : start) {
      for (llvm::Value* part : {v.v, v.im}) {
        if (part != nullptr) rows.push_back(e.stack(part->getType(), OpenEmitter::kMaxColumns));
      }
    }
    const auto each = [&](const std::function<void(OpenIndex, OpenIndex)>& body) {
      if (form_.inner == 1) return body(e.number(0), e.number(0));
      loop(e, low, high, true, [&](OpenIndex k) { body(k, e.sub(k, low)); });
    };
    const auto keep = [&](const std::vector<OpenValue>& values, OpenIndex at) {
      llvm::IRBuilder<> b = e.at(e.depth());
      size_t row = 0;
      for (const OpenValue& v : values) {
        for (llvm::Value* part : {v.v, v.im}) {
          if (part == nullptr) continue;
          b.CreateStore(part, b.CreateGEP(part->getType(), rows[row++], at.v));
        }
      }
    };
    each([&](OpenIndex, OpenIndex at) { keep(start, at); });
    const OpenIndex last = e.sub(e.number(form_.extent), e.number(1));
    loop(e, e.number(0), e.number(form_.extent), false, [&](OpenIndex turn) {
      const OpenIndex t = form_.reverse ? e.sub(last, turn) : turn;
      each([&](OpenIndex k, OpenIndex at) {
        const OpenPlace place = {{form_.outer, outer[0]}, {form_.extent, t}, {form_.inner, k}};
        std::vector<OpenValue> now, element;
        size_t row = 0;
        for (OpenValue v : start) {
          v.depth = e.depth();
          llvm::IRBuilder<> b = e.at(v.depth);
          for (llvm::Value** part : {&v.v, &v.im}) {
            if (*part == nullptr) continue;
            llvm::Type* type = (*part)->getType();
            *part = b.CreateLoad(type, b.CreateGEP(type, rows[row++], at.v));
          }
          now.push_back(v);
        }
        for (size_t i = 0; i < op_.num_results(); ++i) element.push_back(e.eval(op_.operand(i), place));
        const std::vector<OpenValue> next = fold.step(now, element), out = fold.finish(form_.exclusive ? now : next);
        keep(next, at);
        for (size_t i = 0; i < out.size(); ++i) e.store(outputs_ + i, op_.result_type(i).element_type(), place, out[i]);
      });
    });
  }

 private:
  const codegen::ScanForm form_;
};

}  // namespace

// Windows as long as their axis that give as many results have one less than their length of padding. Whether the start value changes
// nothing is then asked of the same op with small extents.
std::optional<codegen::ScanForm> open_scan_form(const OpView& op, const ExtentNames& names) {
  constexpr int64_t kExample = 64;
  if (op.def().mnemonic != "stablehlo.reduce_window") return std::nullopt;
  if (const auto form = codegen::scan_form(op)) return form;
  const Window w(op);
  const Type x = op.operand_type(0);
  std::optional<size_t> axis;
  for (size_t d = 0; d < w.dimensions.size(); ++d) {
    const int64_t extent = x.shape()[d];
    if (w.strides[d] != 1 || w.base_dilations[d] != 1 || w.window_dilations[d] != 1 ||
        op.result_type().shape()[d] != extent)
      return std::nullopt;
    if (w.dimensions[d] == 1 && w.padding[2 * d] == 0 && w.padding[2 * d + 1] == 0) continue;
    const ExtentNames::Product p = names.decode(extent);
    const bool is_one_side = (w.padding[2 * d] == 0) != (w.padding[2 * d + 1] == 0);
    if (axis || w.dimensions[d] != extent || !is_one_side || p.symbols.size() != 1 || p.coefficient != 1)
      return std::nullopt;
    axis = d;
  }
  if (!axis) return std::nullopt;
  const int64_t padding = w.padding[2 * *axis] + w.padding[2 * *axis + 1];
  const ExtentNames::Product length = names.decode(x.shape()[*axis]), before = names.decode(padding);
  if (before.symbols.size() != 1 || before.coefficient != 1 || before.symbols == length.symbols) return std::nullopt;
  std::vector<int64_t> values(names.count(), 1);
  values[length.symbols[0]] = kExample;
  values[before.symbols[0]] = kExample - 1;
  const std::unique_ptr<Function> example = concrete_op(op, names, values);
  const auto ops = example->ops(example->body());
  auto form = codegen::scan_form({*example, ops[ops.size() - 2]});
  if (!form) return std::nullopt;
  form->outer = form->inner = 1;
  form->extent = x.shape()[*axis];
  for (size_t d = 0; d < w.dimensions.size(); ++d) {
    if (d != *axis) (d < *axis ? form->outer : form->inner) *= x.shape()[d];
  }
  return form;
}

std::unique_ptr<OpenRoot> OpenRoot::of(const OpView& op, const ExtentNames& names) {
  const std::string_view m = op.def().mnemonic;
  if (m == "stablehlo.scatter") return open_scatter(op, names);
  if (m == "stablehlo.select_and_scatter") return open_pool_gradient(op, names);
  if (const auto form = open_scan_form(op, names)) return std::make_unique<Scan>(op, names, *form);
  return nullptr;
}

bool has_open_root(const OpView& op, const ExtentNames& names, std::string* reason) {
  const std::string_view m = op.def().mnemonic;
  if (m == "stablehlo.select_and_scatter" && !can_open_pool_gradient(op, names, reason)) return false;
  return std::ranges::all_of(op.regions(),
                             [&](RegionId r) { return codegen::is_scalar_region(op.function, r, reason); });
}

}  // namespace weft::native

#include "native/lower/random.h"

#include <optional>

#include "native/lower/rewrite.h"

namespace weft::native {

std::unique_ptr<Module> with_seeds(const Module& module) {
  const auto draws = [](const Function& f, OpId op) { return f.def(op).mnemonic == "stablehlo.rng"; };
  bool any = false;
  for (const auto& f : module.functions()) {
    for (uint32_t i = 0; i < f->num_ops() && !any; ++i) any = draws(*f, OpId{i});
  }
  if (!any) return nullptr;
  auto out = std::make_unique<Module>();
  out->name = module.name;
  out->attrs = module.attrs;
  out->foreign_ops = module.foreign_ops;
  for (const auto& f : module.functions()) {
    auto copy = rewrite_ops(*f, [](OpBuilder& b, const OpView& op, std::span<const Value> operands) {
      if (op.def().mnemonic != "stablehlo.rng") return std::optional<std::vector<Value>>();
      Attrs attrs = op.attrs();
      if (!attrs.has("weft.seed")) attrs.set("weft.seed", static_cast<int64_t>(op.id.index));
      const Type type = op.result_type();
      return std::optional(b.create(op.def(), operands, attrs, std::span(&type, 1)));
    });
    out->add(std::move(copy));
  }
  return out;
}

}  // namespace weft::native

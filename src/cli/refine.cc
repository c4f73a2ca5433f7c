#include "cli/refine.h"

#include "transform/refine_shapes.h"

namespace weft::cli {

void refine_to(Module& module, const std::string& entry, std::span<const Tensor> args) {
  if (!needs_refinement(module, entry)) return;
  const std::vector<Type> declared = module.get(entry).arg_types();
  std::vector<Type> given;
  for (size_t i = 0; i < args.size(); ++i)
    given.push_back(declared[i].is_static() ? declared[i] : declared[i].with_shape(args[i].shape()));
  refine_shapes(module, entry, given);
}

}  // namespace weft::cli

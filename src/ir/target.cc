#include "ir/target.h"

#include "base/format.h"

namespace weft {

std::vector<Tensor> Executable::run(std::span<const Tensor> args) const {
  const auto types = arg_types();
  if (args.size() != types.size()) {
    throw UserError("wrong number of arguments: got " + std::to_string(args.size()) + ", expected " + std::to_string(types.size()));
  }
  std::vector<const void*> in;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type got = Type::tensor(args[i].element_type(), args[i].shape());
    if (got != types[i]) {
      throw UserError("argument " + std::to_string(i) + ": got " + got.str() + ", expected " + types[i].str());
    }
    in.push_back(args[i].raw());
  }
  std::vector<Tensor> results;
  std::vector<void*> out;
  for (Type t : result_types()) {
    results.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    out.push_back(results.back().raw());
  }
  invoke(in.data(), out.data());
  return results;
}

}  // namespace weft

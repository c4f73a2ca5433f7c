#include "cli/io/inputs_for.h"

#include "cli/io/inputs.h"
#include "reduce/random.h"

namespace weft::cli {

std::vector<Tensor> inputs_for(const Function& f, std::span<const std::string> given, uint64_t seed) {
  if (!given.empty() || f.args().empty()) return read_inputs(f, given);
  reduce::Random random(seed);
  std::vector<Tensor> out;
  for (Type t : f.arg_types()) {
    const std::string label = "argument " + std::to_string(out.size()) + " is a " + t.str();
    if (!t.is_tensor()) throw Unsupported("@" + f.name() + ": " + label + ": only tensors are given values");
    if (!t.is_static())
      throw UserError("@" + f.name() + ": " + label +
                      ", of which no random value is made: its extents come with --input");
    out.push_back(reduce::random_tensor(random, t, reduce::Numbers::kPlain));
  }
  return out;
}

}  // namespace weft::cli

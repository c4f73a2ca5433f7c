// What compiled code prints: the program hands the host the values, in order, and the host prints them as it always does.
#pragma once
#include <vector>

#include "julia/infer/border/packed.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

/// While a compiled program runs: its prints are those of `sites`, each a function of the host and its arguments.
class Printing {
 public:
  Printing(Evaluator& evaluator, const std::vector<Packed>& sites);
  ~Printing();
  Printing(const Printing&) = delete;
  Printing& operator=(const Printing&) = delete;

  /// The program failed, and the host runs the call again: what stands there already is not written a second time.
  void repeat() const;
  void print(size_t site, std::span<const void* const> leaves) const;

 private:
  Evaluator& evaluator_;
  const std::vector<Packed>& sites_;
  Printing* before_;
  size_t out_, error_;
};

}  // namespace weft::julia

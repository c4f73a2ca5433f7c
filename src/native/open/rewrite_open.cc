#include "native/open/rewrite_open.h"

#include "native/contraction/channels_last.h"
#include "native/lower/lower.h"
#include "native/switches.h"
#include "transform/expand_quantized.h"
#include "transform/loops.h"
#include "transform/simplify.h"

namespace weft::native {

void rewrite_open(OpenProgram& program, const CompileOptions& options) {
  using Owned = std::unique_ptr<Function>;
  const auto simple = [&](const Function& f) { return simplify(f, nullptr, {options.disabled}); };
  program.rewrite([&](Owned f) { return simple(*lower(std::move(f))); });
  if (has_quantized_values(*program.function())) {
    if (!program.rewrite([&](Owned f) { return simple(*expand_quantized(*f)); }))
      throw Unsupported("@" + program.source().name() +
                            ": the native target cannot write the quantized types out for all extents at once",
                        program.source().loc());
  }
  program.rewrite([&](Owned f) { return lower_barriers(std::move(f)); });
  // Few rows gain most by what stores more, and many lose little.
  constexpr int64_t kLikely = 8;
  program.rewrite_named([&](Owned f, const ExtentNames& names) {
    const std::vector<int64_t> values(names.count(), kLikely);
    return transform_loops(std::move(f), options.disabled, [&](int64_t n) { return names.value(n, values); });
  });
  const bool has_lapack = !options.no_libraries && !is_off(options, "lapack");
  program.rewrite_named([&](Owned f, const ExtentNames& names) {
    if (!is_off(options, "small_matrices")) f = lower_small_matrices(std::move(f));
    return simple(*lower_matrix_ops(std::move(f), has_lapack, [&](int64_t n) { return names.is_open(n); }));
  });
  if (options.no_libraries || is_off(options, "channels_last")) return;
  program.rewrite([&](Owned f) {
    const Owned ordered = channels_last(*f);
    return ordered == nullptr ? nullptr : simple(*ordered);
  });
}

}  // namespace weft::native

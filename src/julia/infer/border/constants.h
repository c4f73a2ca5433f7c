// Which numbers among a call's arguments are constants of its code: one answer for every way to compile a call (just in time, `@compile`, entries,
// `weft check`), so that each of them takes what the others take.
#pragma once
#include <optional>

#include "julia/infer/border/compiled.h"

namespace weft::julia {

enum class Constants : uint8_t { kNone, kIntegers, kNumbers };

void set_constants(CompileCallOptions& options, Constants what);
KeyOf key_of(Constants what);

/// What to compile a call with after `now` has ended for `why`; nothing: constants do not help. Numbers count wherever the compiler takes them for
/// constants: inside of tuples, structs and closures as well. `unfixed`: as in CompileCallOptions.
std::optional<Constants> more_constants(const NotCompiled& why, Constants now, const Value& callee,
                                        std::span<const Value> arguments, std::span<const Keyword> keywords,
                                        const std::set<size_t>& unfixed = {});

/// `make(options)` with as few constants as it takes. Throws what it throws when more do not help.
template <class Make>
auto with_constants(CompileCallOptions options, const Value& callee, std::span<const Value> arguments,
                    std::span<const Keyword> keywords, Make&& make) {
  for (Constants now = Constants::kNone;;) {
    set_constants(options, now);
    try {
      return make(options, now);
    } catch (const NotCompiled& why) {
      const std::optional<Constants> next = more_constants(why, now, callee, arguments, keywords, options.unfixed);
      if (!next) throw;
      now = *next;
    }
  }
}

}  // namespace weft::julia

// What can be switched off in the native target, one at a time: passes, rows of implementation lists, limits of their use. Each name may
// stand in CompileOptions::disabled and is a verification mode of `weft test`; results may not depend on it beyond rounding.
#pragma once
#include <span>
#include <string_view>

#include "ir/target.h"

namespace weft::native {

struct Switch {
  std::string_view name;
  std::string_view without;  // what runs instead
};
std::span<const Switch> switches();
bool is_off(const CompileOptions& options, std::string_view name);

/// Switches thrown together, "no-A,no-B": what leaves one implementation of an op as the only one, also where it does not pay.
std::span<const std::string_view> forced_rows();

}  // namespace weft::native

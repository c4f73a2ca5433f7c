// What can be switched off in the native target, one at a time: passes, rows of implementation lists, limits of their use. Each name may
// stand in CompileOptions::disabled and is a verification mode of `weft test`; results may not depend on it beyond rounding.
#pragma once
#include <span>
#include <string_view>

namespace weft::native {

struct Switch {
  std::string_view name;
  std::string_view without;  // what runs instead
};
std::span<const Switch> switches();

}  // namespace weft::native

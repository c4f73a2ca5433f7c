// Intrinsics: the C++ functions under the Julia of stdlib/, called there by names that begin with an underscore.
#pragma once
#include <span>
#include <string_view>

#include "julia/host/value.h"

namespace weft::julia {

class Evaluator;

/// Arguments are as many as the entry says. Failures are Julia exceptions (host/exception.h).
using Intrinsic = Value (*)(Evaluator& evaluator, std::span<const Value> arguments);

struct IntrinsicEntry {
  std::string_view name;  // "_add"
  Intrinsic function;
  int least = 0;  // number of arguments
  int most = 0;   // -1: any number
};

// One list for each file of intrinsics/; run/intrinsics.cc joins them.
std::span<const IntrinsicEntry> core_intrinsics();
std::span<const IntrinsicEntry> number_intrinsics();
std::span<const IntrinsicEntry> array_intrinsics();
std::span<const IntrinsicEntry> functional_intrinsics();
std::span<const IntrinsicEntry> text_intrinsics();
std::span<const IntrinsicEntry> algebra_intrinsics();
std::span<const IntrinsicEntry> random_intrinsics();
std::span<const IntrinsicEntry> data_intrinsics();
std::span<const IntrinsicEntry> derivative_intrinsics();  // of the static compiler

/// Null: none of this name.
const IntrinsicEntry* find_intrinsic(std::string_view name);

}  // namespace weft::julia

// What check ops accept: shared by the evaluator and by native's callbacks.
#pragma once
#include <optional>
#include <string>

#include "ops/record.h"

namespace weft {

/// How two tensors are compared.
struct CheckRule {
  enum Kind : uint8_t { kExact, kUlp, kAbsolute } kind = kExact;
  uint64_t min_ulp = 0, max_ulp = 3;  // kUlp: the largest distance found must lie between these
  double tolerance = 0;               // kAbsolute: |a - b| <= tolerance
};

/// Why `got` is not `expected` under the rule (first element at fault, count); nothing when it is. NaN equals NaN.
/// Unless `strict`, floats also pass with normwise error max|a-b| / max|b| <= 16·eps·√n, infinities and NaN in the same places.
std::optional<std::string> compare_tensors(const Tensor& got, const Tensor& expected, const CheckRule& rule,
                                           bool strict);

/// The rule by which a check.* op, or a custom call of such a name, compares; nothing for other ops.
std::optional<CheckRule> comparison_of(const OpView& op);

/// The message of a failed weft.check: `message` with each {} replaced by the next value.
std::string check_message(const Attrs& attrs, std::span<const Tensor> values);

/// What a check op (weft.check, check.*, or custom_call @check.*) finds wrong with its operands; nothing when it holds.
std::optional<std::string> failed_check(const OpView& op, std::span<const Tensor> operands, bool strict);

/// A custom_call target known by name. Without a rule its derivatives and lanes are refused, and other compilers see the call as it is.
struct CustomCall {
  std::string_view target;
  EvalFn* eval;
  LinearizeFn* linearize = nullptr;
  VectorizeFn* vectorize = nullptr;
  PortableFn* portable = nullptr;
};
/// Null when there is no such handler.
const CustomCall* find_custom_call(std::string_view target);
/// Makes handlers known that floors above ops/ have (as a static object; the table lives as long as the process).
struct RegisterCustomCalls {
  explicit RegisterCustomCalls(std::span<const CustomCall> handlers);
};

}  // namespace weft

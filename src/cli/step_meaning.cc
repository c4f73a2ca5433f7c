#include "cli/step_meaning.h"

#include <charconv>

#include "ops/tangent_space.h"

namespace weft::cli {
namespace {

using Names = std::vector<std::string>;

std::vector<size_t> with_tangents(const std::vector<Type>& types) {
  std::vector<size_t> out;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].is_tensor() && has_tangent(types[i])) out.push_back(i);
  }
  return out;
}

Names numbered(const std::string& what, const std::vector<size_t>& which) {
  Names out;
  for (size_t i : which) out.push_back(what + std::to_string(i));
  return out;
}

Names all(const std::string& what, size_t count) {
  Names out;
  for (size_t i = 0; i < count; ++i) out.push_back(what + std::to_string(i));
  return out;
}

void append(Names& to, const Names& more) { to.insert(to.end(), more.begin(), more.end()); }

/// d(one of `of`)/d(one of `by`), by rows.
Names pairs(const Names& of, const Names& by) {
  Names out;
  for (const std::string& r : of) {
    for (const std::string& a : by) out.push_back("derivative of " + r + " by " + a + ", whose dimensions come last");
  }
  return out;
}

}  // namespace

std::vector<size_t> differentiated_arguments(const Module& module, const TransformStep& step) {
  std::vector<size_t> out;
  for (const std::string& text : step.positions) {
    size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      throw UserError("transform " + step.function + ": got '" + text + "', expected a number");
    out.push_back(n);
  }
  if (!out.empty()) return out;
  if (step.kind == TransformStep::kGrad || step.kind == TransformStep::kHessian || step.kind == TransformStep::kHvp ||
      step.kind == TransformStep::kClippedGrad || step.kind == TransformStep::kSparseGrad)
    return {0};
  return with_tangents(module.get(step.function).arg_types());
}

std::string meaning_of(const TransformStep& step, const std::vector<size_t>& by, const std::vector<Type>& arg_types,
                       const std::vector<Type>& result_types, const Function& made) {
  const std::vector<size_t> floating = with_tangents(result_types);
  const Names wrt = numbered("argument ", by), of = numbered("result ", floating);
  Names args = all("argument ", arg_types.size()), results;
  switch (step.kind) {
    case TransformStep::kJvp:
      append(args, numbered("tangent of argument ", by));
      results = all("result ", result_types.size());
      append(results, numbered("tangent of result ", floating));
      break;
    case TransformStep::kVjp: append(args, numbered("cotangent of result ", floating)); [[fallthrough]];
    case TransformStep::kGrad:
      if (step.with_value) results = all("result ", result_types.size());
      append(results, numbered(step.kind == TransformStep::kGrad ? "gradient of result 0 by argument "
                                                                 : "cotangent of argument ",
                               by));
      break;
    case TransformStep::kJacobian: results = pairs(of, wrt); break;
    case TransformStep::kBatchJacobian:
      for (const std::string& r : of) {
        for (const std::string& a : wrt)
          results.push_back("derivative of " + r + " by " + a +
                            " of the same example, examples on axis 0, dimensions of " + a + " last");
      }
      break;
    case TransformStep::kHessian: results = pairs(numbered("result 0's gradient by argument ", by), wrt); break;
    case TransformStep::kHvp:
      append(args, numbered("vector v for argument ", by));
      results = numbered("product of result 0's Hessian with v, for argument ", by);
      break;
    case TransformStep::kClippedGrad:
      append(args, {"bound on the length of an example's gradient"});
      results = numbered("sum over the examples of clipped gradients of result 0 by argument ", by);
      append(results, {"result 0 of each example", "length of each example's gradient before clipping"});
      break;
    case TransformStep::kSparseGrad:
      for (const std::string& a : wrt)
        append(results,
               {"indices of the rows of " + a + " that are read", "gradient of result 0 by each of these rows"});
      break;
    case TransformStep::kVectorize:
      for (size_t i = 0; i < args.size(); ++i) {
        const bool is_same = i < step.positions.size() && step.positions[i] == "_";
        const std::string axis = i < step.positions.size() ? step.positions[i] : "0";
        args[i] += is_same ? ", the same for all lanes" : ", lanes on axis " + axis;
      }
      for (size_t i = 0; i < result_types.size(); ++i)
        results.push_back("result " + std::to_string(i) + ", lanes on axis 0");
      break;
    default: return {};
  }
  std::string out = "// @" + made.name() + ", made of @" + step.function + ":\n";
  const auto list = [&](const char* what, const Names& names, const std::vector<Type>& types) {
    for (size_t i = 0; i < names.size() && i < types.size(); ++i)
      out += "//   " + std::string(what) + " " + std::to_string(i) + ": " + names[i] + ", " + types[i].str() + "\n";
  };
  list("argument", args, made.arg_types());
  list("result", results, made.result_types());
  return out;
}

}  // namespace weft::cli

// A function made anew with other types: every op is asked again for its results, so that what comes out is well typed or refused.
#pragma once
#include <functional>
#include <memory>

#include "ir/function.h"

namespace weft::reduce {

struct Rewrite {
  /// Of arguments, constants, type attributes and results as they were declared.
  std::function<Type(Type)> type;
  /// Of results as they were declared, where that differs.
  std::function<Type(Type)> declared;
  /// Attributes in place of an op's, after their types are rewritten.
  std::function<void(const OpView&, Attrs&)> attrs;
  /// Results are what the type rules infer, and the rewritten ones only where those infer nothing; otherwise the other way round.
  bool infer = true;
};

/// Throws UserError where a type rule refuses.
std::unique_ptr<Function> rebuild(const Function& f, const Module* module, const Rewrite& rewrite);

/// The constant in another type: elements converted, repeated or left out to fit the shape.
Literal retyped(const Literal& literal, Type type);

}  // namespace weft::reduce

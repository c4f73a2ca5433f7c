// Replacing calls by what they call.
#pragma once
#include <functional>
#include <memory>

#include "ir/function.h"

namespace weft {

/// Whether a call of a function that could be inlined stays a call; `of_constants`: all its operands are constants.
using KeepsCall = std::function<bool(const Function& callee, bool of_constants)>;

/// A copy of f in which every call of a function that does not call itself (directly or through others) is replaced by that
/// function's ops. Calls that remain are part of a recursion, or their callee has no body, or `keeps` wants them, which is
/// asked for calls in the body of f and of its loops and branches (never in what computes elements, such as a reduction).
std::unique_ptr<Function> inline_calls(const Module& module, const Function& f, const KeepsCall& keeps = {});
/// A chain "@a calls @b calls @a" of functions reachable from f; empty when there is no recursion.
std::string recursion_chain(const Module& module, const Function& f);

/// A function without a body that is called by f or by what f calls; null when there is none.
const Function* called_declaration(const Module& module, const Function& f);

/// Whether the function may call itself, directly or through others.
bool is_recursive(const Module& module, const std::string& name);

}  // namespace weft

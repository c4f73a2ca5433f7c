// Derivatives of functions that are called, made once per pattern of what is differentiated.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transform/linearizer.h"

namespace weft {

/// UserError when the module has no such function or it has no body.
const Function& defined_function(const Module& module, const std::string& name);
/// Marks of the arguments to differentiate. UserError "[what] …" for one that does not exist, is listed twice or has no tangent.
std::vector<bool> mark_args(const Function& f, std::span<const size_t> args, std::string_view what);
/// Adds arguments of f's types to an empty function.
std::vector<Value> copy_args(const Function& from, Function& to);
/// Marks of the results that may have tangents.
std::vector<bool> tangent_results(const Function& f);

/// f with a tangent for each argument in `order`, returning f's results, then tangents of the results marked.
std::unique_ptr<Function> build_jvp(Module& module, CalleeCache& cache, const Function& f,
                                    std::span<const size_t> order, const std::vector<bool>& results,
                                    const std::string& name);
/// The forward derivative of a callee, added to the module unless it is in the cache.
RegionLinearizer::Callee jvp_callee(Module& module, CalleeCache& cache, const std::string& name,
                                    const std::vector<bool>& args);
/// Whether reverse mode keeps nothing inside the function: it is a checkpoint, and what it does may be done twice.
bool runs_again(const Module& module, const std::string& name);
/// The two halves of its reverse derivative.
RegionLinearizer::CalleeVjp vjp_callee(Module& module, CalleeCache& cache, const std::string& name,
                                       const std::vector<bool>& args, const std::vector<bool>& results);
/// Whether a function has fewer ops than `limit` when everything it calls is inlined. False for recursion.
bool is_inlined_size_below(const Module& module, const std::string& name, size_t limit);

}  // namespace weft

// Diagnoses as text.
#pragma once
#include "julia/infer/diagnose/check.h"
#include "weft/error.h"

namespace weft::julia {

/// Where a node stands, for render().
Loc location(const SourcePtr& source, NodeId node);
/// What a function is called in a chain of calls.
std::string frame_name(const Place& p);
/// With the types that it is called with: f(Float64, Int64).
std::string frame_text(const Place& p);
/// With the source line and a caret, the other places, the chain of calls and what to write instead.
std::string diagnosis_text(const NotCompiled& e);
/// The source of a function, with the types of its variables and expressions below each line.
std::string explanation_text(const Checked::Explanation& e);

}  // namespace weft::julia

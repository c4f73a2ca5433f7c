// Texts that depend on what is known only when the program runs: compiled code hands them on as the host's function that makes them and its
// arguments, and the host makes them where they are printed or returned.
#pragma once
#include <span>
#include <vector>

#include "julia/infer/compiler.h"

namespace weft::julia {

/// Whether it is such a text: fields of a String, the function first.
bool is_text(const Abstract& a);
/// What the host's function gives; constants are made at once.
Abstract make_text(Compiler& c, std::string_view intrinsic, std::span<const Abstract> arguments);
/// One of two texts by a number of the program.
Abstract choose_text(const Abstract& is_first, const Abstract& first, const Abstract& second);
/// Whether two are made by the same functions, so that their numbers are all that may differ.
bool is_same_recipe(const Abstract& a, const Abstract& b);
Value text_value(Evaluator& e, std::span<const Value> fields);

/// Fails for a value that only a program's own method can print: the host's functions are to run none of it.
void check_printable(Compiler& c, const Abstract& a, bool plain);
/// Whether show or print have a method of the program for values of a type itself.
bool has_own_show(Compiler& c, const Type* type, bool plain);

}  // namespace weft::julia

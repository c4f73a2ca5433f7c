// What the files that print values share.
#pragma once
#include "julia/host/array_look.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"

namespace weft::julia {

/// Whether elements of the type say it themselves, so that `[1, 2]` needs no prefix.
bool is_implicit_type(const Type* t);
bool is_pair(const Value& v);
/// π and the like: Irrational{:π}().
bool is_irrational(const Value& v);
/// Whether a value needs no parentheses as a part of a pair: all but pairs that show themselves as `a => b`.
bool is_delimited(const Value& v, const ShowContext& c);
/// A function's singleton.
std::string callable_name(const Value& v);  // of a function or closure; empty for other values
Value range_step(const Value& range);
void show_pair(std::string& out, const Value& key, const Value& value, const Type* key_type, const Type* value_type,
               const ShowContext& c);
/// `[1, 2]`, `Any[1, "a"]`, shortened under a limit; of any rank.
void show_array(std::string& out, const ArrayLook& a, const ShowContext& c);
void show_list(std::string& out, const std::vector<Value>& elements, const Type* element, const ShowContext& c);
/// The rows of a matrix or vector as the REPL prints them, aligned and elided.
void print_matrix(std::string& out, const ArrayLook& a, const ShowContext& c);
/// Columns before and after the point that the texts of a column are aligned at.
struct Alignment {
  int left = 0, right = 0;
  int total() const { return left + right; }
};
Alignment alignment(const Value& v, const ShowContext& c);

}  // namespace weft::julia

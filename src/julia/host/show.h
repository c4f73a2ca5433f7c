// Values as text, as Julia's REPL prints them.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "julia/host/number.h"
#include "julia/host/value.h"

namespace weft::julia {

/// What an IOContext says. `limit` shortens what does not fit the screen; `compact` prints floats with six digits; `typeinfo`
/// is the type that the reader of the text knows already, so that elements need not repeat it.
struct ShowContext {
  bool compact = false;
  bool limit = false;
  const Type* typeinfo = nullptr;
  int rows = 24;
  int columns = 80;
  int depth = 0;
  Value properties;  ///< all that an IOContext says, as a Dict{Symbol,Any}; undefined: nothing
  /// A program's own method of show (for text/plain when `plain`); false: it has none for this value.
  std::function<bool(std::string& out, const Value& v, const ShowContext& context, bool plain)> overridden;
  /// Fields of values behind which a host object stands: functions' method counts, modules' names.
  std::function<int(const Value& function)> method_count;
};

/// How a module is called; null: it shows as an object. Per thread, set by the evaluator.
std::function<std::string(const Value& module)>& module_name_of();

/// print: strings and characters without quotes.
void print(std::string& out, const Value& v, const ShowContext& context = {});
/// show: as code where that is possible, on one line.
void show(std::string& out, const Value& v, const ShowContext& context = {});
/// What the REPL prints: arrays with header and rows, dictionaries by entry.
void display(std::string& out, const Value& v, const ShowContext& context);

std::string print_text(const Value& v);
std::string show_text(const Value& v);
/// As the REPL does on a screen of 80 columns and 24 rows.
std::string display_text(const Value& v);

// Pieces, for whoever prints something of its own.
/// Shortest decimals that read back as the same number; `compact` rounds to six digits.
std::string float_text(double x, bool compact = false);
/// `mark` is the letter before the exponent: show writes 1.0f10, print 1.0e10.
std::string float_text(float x, bool compact = false, bool with_suffix = true, char mark = 'f');
std::string float_text(f16 x, bool compact = false, bool with_suffix = true);
std::string integer_text(Int128 x);
std::string unsigned_text(UInt128 x);
/// string(x; base, pad) of an integer: digits beyond 9 are small letters (base 36 and less; then capitals come first), at least
/// `pad` digits. Throws ArgumentError for bases outside 2…62.
std::string based_text(const Value& integer, int base, int pad = 1);
/// "\"a\\nb\"": with quotes and escapes.
std::string quoted(std::string_view text);
std::string escaped(std::string_view text, std::string_view also = {});
std::string char_literal(Char c);
/// Columns that a text takes on a screen.
int text_width(std::string_view text);
int char_width(uint32_t code_point);
bool is_printable(uint32_t code_point);
/// A floating-point number of any width, Bool, integer as `show` prints it under the context.
std::string number_text(const Value& v, const ShowContext& context);
/// "3-element Vector{Int64}", "2×3 Matrix{Float64}", "3-element view(::Vector{Int64}, 1:3) with eltype Int64".
std::string summary(const Value& v, const ShowContext& context = {});

}  // namespace weft::julia

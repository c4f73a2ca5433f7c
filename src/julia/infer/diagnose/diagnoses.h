// What a compilation that goes on after its first failure has found.
#pragma once
#include <functional>
#include <map>
#include <set>

#include "julia/infer/compiler.h"

namespace weft::julia {

/// The types of one function's expressions for one signature.
struct Explained {
  const Code* code = nullptr;
  std::string signature;  // f(Vector{Float64}(8))
  struct Seen {
    NodeId node;
    std::string what,
        type;  // a variable's name or the expression's text, and "Float64", "Vector{Float64}(8)", "Int64 = 3"
  };
  std::map<uint32_t, Seen> seen;  // by the form
  std::string result;
};

/// A call of a function of the program that the compiler came by.
struct SeenCall {
  Value callee;
  std::vector<Value> arguments;  // samples
  std::vector<Keyword> keywords;
  const Code* code = nullptr;
  bool is_outermost = false;  // no other function of the program calls it here
};

struct Diagnoses {
  std::vector<NotCompiled> found;
  struct Throw {
    std::string message;
    std::vector<Place> places;
  };
  Throw last_throw;
  std::string explain;  // the name of a function whose types are wanted
  std::vector<std::unique_ptr<Explained>> explained;
  /// Told of calls with arguments of known types; of the others, which function it was.
  std::function<void(SeenCall)> on_call;
  std::function<void(const Code&)> on_unknown_call;
  bool at_top_level = false;  // it is a program's top level that is followed: numbers are those of the program

  void clear();
  void add(NotCompiled e);  // once
  /// The compiler begins with a function of the program.
  void enter(Compiler& c, Activation& a, std::span<const Abstract> all,
             std::span<const std::pair<Symbol, Abstract>> keywords);
  void see(Compiler& c, const Activation& a, const Form& form, const Abstract& v);
  void see_variable(Compiler& c, const Activation& a, const Form& assignment, const Abstract& v);

 private:
  std::set<std::string> said_;
};

/// The innermost place in the program's own code; null: none.
const Place* user_place(const NotCompiled& e);
/// "Float64", "Vector{Float64}(8)", "Int64 = 3", "?" for an unknown.
std::string abstract_text(const Heap& heap, const Abstract& a, bool with_values);
/// What a function of the program is called in messages; empty: it has no name of its own.
std::string function_name(const Code& code);
NotCompiled consequence();
/// What the host threw in place of the value of something known.
NotCompiled host_failure(const Error& e);

}  // namespace weft::julia

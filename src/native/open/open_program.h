// A program with open extents as one program for all of them. The function is refined (transform/refine_shapes.h) to two sets of
// argument types; what is equal in both is the same for all, every other number gets a name (extent_names.h), and constants
// that differ become arguments. What the names stand for in a call is found by refining to the types of that call: that
// refinement must give the same program but for named numbers, or the call is refused. So nothing is assumed of extents that
// is not checked, and the shape functions of ops are those of refinement alone.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"
#include "native/open/argument_extents.h"
#include "native/open/extent_names.h"

namespace weft::native {

/// A function read in one walk: what it is made of, and the numbers and constants apart.
struct FunctionReading {
  std::string structure;
  std::vector<int64_t> numbers;   // extents of types and integers of attributes
  std::vector<Literal> literals;  // of constants
};
FunctionReading read_function(const Function& f);

class OpenProgram {
 public:
  /// `function` has no calls and some open extent; `program` has what its custom calls name. Throws Unsupported with the op and its type
  /// when an extent depends on data.
  OpenProgram(std::unique_ptr<Function> function, const Module& program);

  /// The function whose types have names for open extents. Its arguments are those of the source and then the constants that
  /// depend on extents.
  const std::shared_ptr<const Function>& function() const { return function_; }
  const ExtentNames& names() const { return names_; }
  /// Replaces `function` by what `rewrite` makes of it, if that is right for all extents: made of a copy with other names, the same
  /// ops must follow, with the same products of names. Returns whether it did. `rewrite` gives null for no change.
  using Rewrite = std::function<std::unique_ptr<Function>(std::unique_ptr<Function>)>;
  bool rewrite(const Rewrite& rewrite);
  /// The same for one that asks what the names of its copy are.
  using NamedRewrite = std::function<std::unique_ptr<Function>(std::unique_ptr<Function>, const ExtentNames&)>;
  bool rewrite_named(const NamedRewrite& rewrite);
  const Function& source() const { return *source_; }
  /// Arguments whose elements decide shapes: `resolve` needs them.
  const std::vector<size_t>& shape_arguments() const { return shape_arguments_; }

  /// Values of the symbols at which the program is well formed.
  std::span<const int64_t> example() const { return example_; }

  /// Two calls at which the program is well formed, in general position.
  struct Call {
    std::vector<Type> arg_types;
    std::vector<Tensor> elements;  // of the shape arguments
  };
  std::span<const Call> example_calls() const { return calls_; }

  /// What the names stand for in a call.
  struct Resolved {
    std::vector<int64_t> values;                // of the symbols
    std::vector<Tensor> constants;              // the further arguments
    std::vector<Type> arg_types, result_types;  // static
  };
  /// `elements[k]`: the value of shape argument k. Throws UserError when the types do not fit the program or one another.
  Resolved resolve(std::span<const Type> arg_types, std::span<const Tensor> elements) const;

  /// The type, or number, with the values of the names.
  Type concrete(Type t, std::span<const int64_t> values) const;

 private:
  void probe();
  /// Which extents of arguments are taken for equal: those that the ops are known to demand; also all first ones; all.
  enum class Equal : uint8_t { kKnown, kFirst, kAll };
  bool try_probe(const ArgumentExtents& extents, int attempt, Equal equal, std::string& why);
  std::unique_ptr<Function> refined(std::span<const Type> types, std::span<const Tensor> elements) const;
  void name_numbers(const FunctionReading& a, const FunctionReading& b);
  void expect_arguments(std::span<const Type> types) const;

  std::unique_ptr<Function> source_;
  std::vector<std::unique_ptr<Function>> named_;  // by custom calls
  bool is_guessed_ = false;                       // some extents are taken for equal of which it is not known
  ExtentNames names_;
  std::vector<int64_t> example_;
  std::vector<Call> calls_;
  std::vector<size_t> shape_arguments_;
  FunctionReading reading_;    // with names among the numbers
  std::vector<bool> is_hole_;  // per literal: depends on extents
  std::shared_ptr<const Function> function_;
};

}  // namespace weft::native

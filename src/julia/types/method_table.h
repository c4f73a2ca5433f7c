// Methods of one function and the choice among them: Julia's multiple dispatch.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "julia/types/subtype.h"
#include "julia/types/type.h"

namespace weft::julia {

struct Method {
  /// `Tuple{typeof(f), A, B, …} where …`: the callee's own type comes first; of a constructor it is Type{T}.
  const Type* signature = nullptr;
  Symbol name;
  std::vector<Symbol> argument_names;  ///< without the callee
  std::vector<Symbol> keywords;        ///< "k..." for the rest
  Symbol module = "Main";
  std::string file = "none";
  int line = 1;
  std::shared_ptr<const void> body;  ///< the evaluator's

  /// The tuple type inside the UnionAlls, and their variables, outermost first.
  const DataType* tuple() const { return as<DataType>(unwrap_union_all(signature)); }
  std::vector<const TypeVar*> variables() const;
};

/// What a call found.
struct Dispatch {
  const Method* method = nullptr;
  /// The values of the method's variables, in their order: types and constants; a variable that nothing fixes stands for itself.
  std::vector<const Type*> values;
  /// Methods that match equally well when none is the most specific; `method` is null then.
  std::vector<const Method*> ambiguous;
};

/// Julia's order of specificity of two signatures (or types).
bool more_specific(const Type* a, const Type* b);

/// Methods live as long as the table; a table is used by one thread at a time.
class MethodTable {
 public:
  explicit MethodTable(Symbol name) : name_(name) {}
  MethodTable(const MethodTable&) = delete;
  MethodTable& operator=(const MethodTable&) = delete;

  Symbol name() const { return name_; }
  /// Replaces a method of the same signature.
  const Method& add(Method method);
  /// The choice for a call: the callee's and the arguments' types, each concrete or a Type{T}. Remembered until a method is added.
  const Dispatch& find(const std::vector<const Type*>& types);
  /// All methods that some call of a type within `tuple` could reach, the most specific first, without those that a method
  /// before them covers altogether: what a compiler must consider when argument types are not concrete.
  std::vector<const Method*> reachable(const DataType* tuple) const;
  /// In the order of definition.
  std::vector<const Method*> methods() const;
  /// Pairs of methods between which some call could not be decided.
  std::vector<std::pair<const Method*, const Method*>> ambiguities() const;
  /// Grows with every addition: whoever remembers choices looks at it.
  uint64_t generation() const { return generation_; }

 private:
  struct HashTypes {
    size_t operator()(const std::vector<const Type*>& types) const;
  };
  Dispatch search(const std::vector<const Type*>& types) const;

  Symbol name_;
  std::deque<Method> methods_;        // addresses stay
  std::vector<const Method*> alive_;  // without replaced ones
  std::unordered_map<std::vector<const Type*>, Dispatch, HashTypes> found_;
  uint64_t generation_ = 0;
};

}  // namespace weft::julia

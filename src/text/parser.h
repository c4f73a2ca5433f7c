// The parser's inside: shared by the op forms (forms*.cc), which read what is special to a mnemonic.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/record.h"
#include "text/cursor.h"

namespace weft::text {

/// An op being read.
struct OpParts {
  const OpRecord* record = nullptr;
  Loc loc;
  size_t offset = 0;  // of the mnemonic
  std::vector<Value> operands;
  std::vector<size_t> operand_offsets;  // where each operand is written
  Attrs attrs;
  std::vector<Type> results;
  std::vector<RegionId> regions;
};

/// What follows the colon of a pretty op: "(t, t) -> t", or "t, t" alone, or "t, t -> t".
struct TypeClause {
  std::vector<Type> operands, results;
  bool has_arrow = false;
  size_t offset = 0;
};

/// A named region argument of a form that writes its own argument lists.
struct NamedArg {
  std::string_view name;
  Type type;
  Loc loc;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string* file);
  std::unique_ptr<Module> parse();

  Cursor cursor;

  // ---- pieces that forms are made of ----
  /// One use of a value: %x or %x#2.
  void operand(OpParts& op);
  /// Uses separated by commas, none or more.
  void operands(OpParts& op);
  Type type();
  std::vector<Type> types_in_parentheses();
  TypeClause type_clause();
  /// Sets results from a clause with an arrow and checks the operands against it.
  void apply_functional(OpParts& op, const TypeClause& clause);
  void check_operand_types(const OpParts& op, std::span<const Type> types, size_t at);
  /// ": type" for an op whose operands and result are of one type, or the full form.
  void elementwise_types(OpParts& op);
  /// Optional {name = value, …}.
  void attribute_dictionary(OpParts& op);
  void set_attribute(OpParts& op, std::string_view name, size_t at, Attr value, std::string_view written);
  Attr attribute();
  /// Constants of index are kept as text (layouts of custom calls) where this is off, and read where they are an op's value.
  bool reads_index = false;
  /// A number that no type follows.
  Attr untyped_number() { return number_attribute(false); }
  /// [1, 2, 3]
  std::vector<int64_t> int_list(std::string_view context);
  /// Flattened [[1, 2], [3, 4]].
  std::vector<int64_t> pair_list(std::string_view context);
  bool boolean(std::string_view context);
  /// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] as the op's flattened attributes.
  AttrEntries convolution_dimensions();
  /// The fields of #stablehlo.gather<…>, its brackets excluded, as the op's attributes.
  AttrEntries struct_fields(const struct StructAttribute& s);
  /// '{' [^bb0(%a: t):] ops '}'; `args` are arguments that a form has named itself.
  RegionId region(std::span<const NamedArg> args = {});
  std::vector<NamedArg> named_args();
  Function& function() { return *function_; }
  /// An error at the op's mnemonic.
  [[noreturn]] void fail(const OpParts& op, const std::string& message);

 private:
  friend class NestingGuard;
  struct Binding {
    Value first;
    uint32_t count = 0;
  };

  // module and functions (parse_module.cc)
  void module_body(Module& module, bool braces);
  void module_op(Module& outer);
  void foreign_module_op(Module& module, size_t start);
  void func_op(Module& module);
  void generic_module(Module& outer);
  void generic_func(Module& module);
  void alias_definition();
  void resources();
  void finish_function(Module& module, std::unique_ptr<Function> function, std::optional<std::vector<Type>> results,
                       Loc loc);
  std::vector<std::pair<std::string, Attr>> plain_dictionary();
  Attrs kept_dictionary();
  Attr keep(Attr value, std::string_view written);
  void optional_location();

  // ops (parse_ops.cc)
  void op(RegionId region);
  void generic_op(OpParts& parts, std::string_view mnemonic);
  void pretty_op(OpParts& parts, std::string_view mnemonic);
  const OpRecord& record_of(std::string_view mnemonic, size_t at);
  void bind(std::string_view name, Binding binding, size_t at);
  void block_argument(RegionId region);

  // types and attributes (parse_types.cc, parse_attributes.cc)
  Type tensor_type();
  /// A type that Weft only carries, as written.
  Type foreign_type(size_t start);
  /// What follows `!quant.uniform`, for a tensor of that shape.
  Type quantized_tensor(std::span<const int64_t> shape);
  double plain_float();
  /// What follows the comma of a tensor type.
  Type encoded(Type tensor);
  Attr attribute_inside();
  Attr number_attribute(bool typed = true);
  Attr dense_attribute();
  Attr dense_resource_attribute();
  Attr dense_array_attribute();
  Attr hash_attribute();
  void check_result_accuracy();
  Attr opaque_rest(size_t start);
  std::string expand_aliases(std::string_view written);
  /// Aliases of aliases can double at each step: what they expand to is bounded.
  void charge(std::string_view alias);
  /// What `read` makes of the text that an alias stands for; reading then goes on behind the alias.
  template <class F>
  auto read_alias(std::string_view alias, F read) {
    const size_t back = cursor.offset();
    charge(alias);
    const auto start = static_cast<size_t>(alias.data() - cursor.text().data());
    cursor.seek(start);
    auto result = read();
    // What cannot end there read on into the text behind the definition.
    const size_t read_to = cursor.offset();
    cursor.seek(start + alias.size());
    cursor.skip_space();
    if (read_to > cursor.offset()) cursor.fail_at(start, alias.size(), "an alias whose value does not end");
    cursor.seek(back);
    return result;
  }

  const std::string* file_;
  std::unique_ptr<Function> function_;
  RegionId region_;
  std::unordered_map<std::string_view, Binding> names_;
  std::vector<std::string_view> scope_;  // names in the order they were bound: a region forgets its own at its end
  std::unordered_map<std::string_view, std::string_view> attribute_aliases_, type_aliases_;
  std::unordered_map<std::string, std::pair<std::string_view, size_t>> resources_;
  bool resources_read_ = false;
  size_t expanded_ = 0;  // characters of aliases read so far
  int depth_ = 0;
};

/// Counts nesting, so that no text can exhaust the stack.
class NestingGuard {
 public:
  explicit NestingGuard(Parser& parser) : parser_(parser) {
    if (++parser_.depth_ > kMaxDepth) {
      --parser_.depth_;
      parser_.cursor.fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
  }
  ~NestingGuard() { --parser_.depth_; }

 private:
  static constexpr int kMaxDepth = 256;
  Parser& parser_;
};

}  // namespace weft::text

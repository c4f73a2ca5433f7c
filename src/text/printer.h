// The printer's inside: shared by the op forms (forms*.cc).
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/record.h"

namespace weft::text {

/// Whether MLIR reads the name without quotes.
bool is_bare(std::string_view name);
void append_int(std::string& out, int64_t v);

class Printer {
 public:
  explicit Printer(bool generic) : generic_(generic) {}
  std::string out;

  void module(const Module& module);
  /// Without the end of the line.
  void op_of_module(const Module& module);
  void function(const Function& function);

  // ---- pieces that forms are made of ----
  Printer& operator<<(std::string_view s) {
    out += s;
    return *this;
  }
  void value(Value v);
  void values(std::span<const Value> vs);
  void type(Type t);
  void types(std::span<const Value> vs);
  /// " : (t, t) -> t"
  void functional_type(const OpView& op);
  /// " : t" when operands and the result are of one type, else the full form.
  void elementwise_types(const OpView& op);
  void int_list(std::span<const int64_t> v);
  /// [[a, b], [c, d]] from a flattened list.
  void pair_list(std::span<const int64_t> v);
  /// " {…}" with the attributes that are not named in `said`; nothing when there are none.
  void other_attributes(const OpView& op, std::initializer_list<std::string_view> said);
  /// The same with `attrs` in place of the op's own.
  void attributes(const OpView& op, const Attrs& attrs);
  /// { ops } on lines of their own; `with_args` puts ^bb0(…): first.
  void region(RegionId r, bool with_args);
  void symbol(std::string_view name);
  /// Quoted and escaped.
  void string(std::string_view s);
  /// Names a region's arguments; `region` does it itself when they have no name yet.
  void name_args(RegionId r);
  /// Gives the arguments of `to` the names of those of `from`.
  void share_names(RegionId from, RegionId to);
  /// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]; false when the dimension numbers are not those of a convolution.
  bool convolution_dimensions(const Attrs& attrs);
  /// #stablehlo.gather<…>; without the tag "<…>".
  void struct_attribute(const Attrs& attrs, const struct StructAttribute& s, bool with_tag = true);
  void newline();
  const Function& current() const { return *function_; }

 private:
  void op(OpId id);
  void generic_op(const OpView& op);
  bool pretty_op(const OpView& op);
  void attribute(const Attr& value);
  void attribute_as_written(std::string_view mnemonic, std::string_view name, const Attr& value);
  /// A number with its type, `3.5 : f32`; other values by their kind.
  void number_of(ElementType type, const Attr& value);
  void entry(std::string_view name, const Attr& value);
  void dictionary(const Attrs& attrs);
  std::vector<std::pair<std::string, std::string>> entries_of(const OpView& op, const Attrs& attrs,
                                                              std::initializer_list<std::string_view> said, bool known,
                                                              bool unknown);
  void braced(const std::vector<std::pair<std::string, std::string>>& entries);
  void generic_function(const Function& f);

  bool generic_;
  const Function* function_ = nullptr;
  int indent_ = 0;
  // Name of a value: number of its op, or ~number for a region argument; kUnnamed when not met yet.
  static constexpr int64_t kUnnamed = INT64_MIN;
  std::vector<int64_t> names_;
  int64_t next_result_ = 0, next_arg_ = 0;
  std::unordered_map<Type, std::string> type_text_;
};

}  // namespace weft::text

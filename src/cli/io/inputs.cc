#include "cli/io/inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/format.h"
#include "cli/io/npy.h"
#include "cli/io/npz.h"
#include "text/cursor.h"
#include "text/literals.h"

namespace weft::cli {
namespace {

/// Extents of nested lists, by their first elements: "[[1, 2], [3, 4]]" is [2, 2]. The parser refuses ragged ones.
Shape shape_of_lists(std::string_view text) {
  struct Level {
    int64_t count = 0;
    bool is_counted = false;
  };
  std::vector<Level> levels;
  size_t depth = 0;
  bool in_number = false;  // of two parts, in parentheses
  for (const char c : text) {
    if (c == ' ') continue;
    if (c == ']') {
      if (depth == 0) break;
      levels[--depth].is_counted = true;
      continue;
    }
    // Whatever else stands in a list that no comma precedes is its first element.
    if (depth > 0 && !in_number && !levels[depth - 1].is_counted) {
      Level& level = levels[depth - 1];
      if (c == ',') ++level.count;
      else if (level.count == 0) level.count = 1;
    }
    if (c == '[' && ++depth > levels.size()) levels.emplace_back();
    in_number = c == '(' || (in_number && c != ')');
  }
  Shape shape;
  for (const Level& level : levels) shape.push_back(level.count);
  return shape;
}

class Inputs {
 public:
  explicit Inputs(const Function& f) : f_(f), types_(f.arg_types()), values_(types_.size()), names_(types_.size()) {
    for (size_t i = 0; i < types_.size(); ++i) {
      names_[i].push_back("arg" + std::to_string(i));
      if (i >= f.arg_attrs().size()) continue;
      if (const Attr* info = f.arg_attrs()[i].find("jax.arg_info")) {
        if (const auto* text = info->get_if<std::string>()) names_[i].push_back(*text);
        if (const auto* kept = info->get_if<OpaqueAttr>()) {
          const std::string& text = kept->text;
          if (text.size() > 2 && text.front() == '"') names_[i].push_back(text.substr(1, text.size() - 2));
        }
      }
    }
  }

  void give(std::string text) {
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    ++count_;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) {
      const std::string name = text.substr(0, equals);
      if (const auto position = find(name)) return set(*position, text.substr(equals + 1));
      const bool is_name = std::ranges::all_of(
          name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '%'; });
      if (is_name && !name.empty() && !std::filesystem::exists(text))
        throw UserError("@" + f_.name() + " has no argument " + name + ": expected " + signature());
    }
    if (text.ends_with(".npz")) return give_archive(text);
    set(next(), text);
  }

  std::vector<Tensor> take() {
    std::vector<Tensor> out;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i]) {
        throw UserError("@" + f_.name() + ": no input for " + label(i) + ": got " + std::to_string(count_) +
                        (count_ == 1 ? " input" : " inputs") + ", expected " + std::to_string(values_.size()) + " (" +
                        signature() + "); give --input once for each");
      }
      out.push_back(std::move(*values_[i]));
    }
    return out;
  }

 private:
  std::string label(size_t i) const { return "argument " + std::to_string(i) + " (" + types_[i].str() + ")"; }
  std::string signature() const {
    if (types_.empty()) return "none";
    std::string out;
    for (size_t i = 0; i < types_.size(); ++i) out += (i ? ", " : "") + names_[i].back() + ": " + types_[i].str();
    return out;
  }
  std::optional<size_t> find(std::string_view name) const {
    if (name.starts_with("%")) name.remove_prefix(1);
    for (size_t i = 0; i < names_.size(); ++i) {
      if (std::ranges::find(names_[i], name) != names_[i].end()) return i;
    }
    return std::nullopt;
  }
  /// The first argument without a value.
  size_t next() const {
    const auto at = std::ranges::find_if(values_, [](const auto& value) { return !value.has_value(); });
    if (at == values_.end()) {
      throw UserError("@" + f_.name() + ": got more inputs than arguments, expected " + std::to_string(values_.size()) +
                      " (" + signature() + ")");
    }
    return static_cast<size_t>(at - values_.begin());
  }
  void put(size_t i, Tensor value) {
    if (values_[i]) throw UserError("@" + f_.name() + ": got two inputs for " + label(i));
    values_[i] = std::move(value);
  }
  Type tensor_type(size_t i) const {
    if (!types_[i].is_tensor()) throw Unsupported(label(i) + " cannot be given: only tensors can");
    return types_[i];
  }

  void set(size_t i, const std::string& text) {
    const Type type = tensor_type(i);
    if (text.ends_with(".npy"))
      return put(i, parse_npy(read_file(text), "argument " + std::to_string(i) + ", " + text, type));
    if (const size_t colon = text.rfind(".npz:"); colon != std::string::npos) {
      const std::string archive = text.substr(0, colon + 4), member = text.substr(colon + 5);
      const std::vector<NpzMember> members = read_npz(archive);
      const auto found = std::ranges::find(members, member, &NpzMember::first);
      if (found == members.end())
        throw UserError(archive + ": got no member " + member + ", expected one of " + listed(members));
      return put(i, parse_npy(found->second, "argument " + std::to_string(i) + ", " + text, type));
    }
    if (text.ends_with(".npz")) throw UserError(text + ": one argument takes one member, as in " + text + ":NAME");
    put(i, parse_elements(i, type, text));
  }

  Tensor parse_elements(size_t i, Type type, const std::string& text) const {
    if (std::error_code ignored; std::filesystem::exists(text, ignored))
      throw UserError(text + ": arrays are read from files whose names end in .npy or .npz");
    Shape shape(type.shape().begin(), type.shape().end());
    if (!type.is_static()) {
      const Shape given = shape_of_lists(text);
      bool fits = given.size() == shape.size();
      for (size_t axis = 0; fits && axis < shape.size(); ++axis)
        fits = shape[axis] == kDynamic || shape[axis] == given[axis];
      if (!fits) {
        throw UserError(label(i) + ": got elements of shape " + format_list(given) +
                        "; a type with open extents needs nested lists of that rank, or a .npy file");
      }
      shape = given;
    }
    text::Cursor cursor(text, intern_file("--input " + std::to_string(i), text));
    const Literal literal = text::parse_dense_content(cursor, Type::tensor(type.element_type(), shape));
    if (!cursor.at_end()) cursor.fail_expected("the end", "an input");
    return literal.materialize();
  }

  static std::string listed(const std::vector<NpzMember>& members) {
    std::string out;
    for (const auto& [name, content] : members) out += (out.empty() ? "" : ", ") + name;
    return out.empty() ? "none" : out;
  }

  void give_archive(const std::string& path) {
    const std::vector<NpzMember> members = read_npz(path);
    if (members.empty()) throw UserError(path + ": the archive is empty");
    const bool by_name = std::ranges::any_of(members, [&](const NpzMember& m) { return find(m.first).has_value(); });
    for (const auto& [name, content] : members) {
      const std::optional<size_t> position = by_name ? find(name) : next();
      if (!position)
        throw UserError(path + ": its member " + name + " is no argument of @" + f_.name() + ": expected " +
                        signature());
      put(*position, parse_npy(content,
                               "argument " + std::to_string(*position) + ", " + path + ":" + name +
                                   (by_name ? "" : " (taken in order)"),
                               tensor_type(*position)));
    }
    count_ += members.size() - 1;
  }

  const Function& f_;
  std::vector<Type> types_;
  std::vector<std::optional<Tensor>> values_;
  std::vector<std::vector<std::string>> names_;
  size_t count_ = 0;
};

}  // namespace

std::vector<Tensor> read_inputs(const Function& f, std::span<const std::string> given) {
  Inputs inputs(f);
  for (const std::string& text : given) inputs.give(text);
  return inputs.take();
}

}  // namespace weft::cli

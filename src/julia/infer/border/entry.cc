#include "julia/infer/border/entry.h"

#include <algorithm>

#include <map>

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/infer/border/constants.h"
#include "julia/run/impl.h"
#include "julia/syntax/parse.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UserError("entry " + text + ": " + why +
                  "; expected a call such as f(Matrix{Float32}(3, 4), Vector{Float64}(3), Float64)");
}

Value sample_of_type(const std::string& text, const Type* t) {
  if (const auto kind = number_kind(t)) return convert_number(*kind, number(int64_t{0}));
  const auto* d = as<DataType>(t);
  if (d != nullptr && d->is_singleton()) return Value::singleton(d);
  if (d != nullptr && d->is_concrete && d->is_bits() && !d->is_primitive()) {
    // Complex numbers, tuples, structs of numbers: compiled code takes them field by field.
    const std::vector<std::byte> zeros(d->layout().size);
    return Value::from_bits(d, zeros.data());
  }
  refuse(text, "an argument of type " + type_text(t) + " needs extents or a value");
}

/// Sizes of the samples that stand for open extents, by name.
class OpenSizes {
 public:
  /// No number of the text stands for one.
  explicit OpenSizes(std::string text) : text_(std::move(text)) {}
  int64_t of(const std::string& name) {
    const auto known = by_name_.find(name);
    if (known != by_name_.end()) return known->second;
    do { next_ += 2; } while (text_.find(std::to_string(next_)) != std::string::npos);
    return by_name_[name] = next_;
  }
  std::map<int64_t, std::string> all() const {
    std::map<int64_t, std::string> out;
    for (const auto& [name, size] : by_name_) out[size] = name;
    return out;
  }

 private:
  std::string text_;
  std::map<std::string, int64_t> by_name_;
  int64_t next_ = 5;
};

/// `?` is no Julia: each becomes a name of its own.
std::string with_names(const std::string& text) {
  std::string out;
  int n = 0;
  for (const char c : text) out += c == '?' ? "open_extent_" + std::to_string(++n) : std::string(1, c);
  return out;
}

/// T(extents…) of an array type; undefined: the expression is another one.
Value sample_array(Evaluator& e, const Tree& tree, NodeId id, const std::string& text, OpenSizes& open) {
  if (!tree.is(id, Kind::kCall) || tree.count(id) < 2) return {};
  const Value callee = e.run(std::string(tree.text(tree.child(id, 0))), "entry", e.main());
  if (!callee.is_type() || !subtype(callee.as_type(), core().abstract_array)) return {};
  std::vector<int64_t> dims;
  for (size_t i = 1; i < tree.count(id); ++i) {
    const NodeId extent = tree.child(id, i);
    const std::string name(tree.text(extent));
    if (tree.is(extent, Kind::kIdentifier) && find_binding(e.main(), name) == nullptr) {
      dims.push_back(open.of(name));
      continue;
    }
    const Value d = e.run(name, "entry", e.main());
    if (!d.is(core().int64) || d.get<int64_t>() < 0) return {};
    dims.push_back(d.get<int64_t>());
  }
  const Value element = e.call_base("eltype", {callee});
  const Type* wanted = element.as_type();
  if (!is_concrete(wanted)) refuse(text, "the elements of " + std::string(tree.text(id)) + " have no concrete type");
  const Value made = make_array(wanted, dims);
  if (!is_a(made, callee.as_type()))
    refuse(text, std::string(tree.text(id)) + " has another number of extents than dimensions");
  return made;
}

}  // namespace

Entry read_entry(Evaluator& e, const std::string& given) {
  const bool has_marks = given.find("(?") != std::string::npos || given.find(" ?") != std::string::npos ||
                         given.find(",?") != std::string::npos;
  const std::string text = has_marks ? with_names(given) : given;
  OpenSizes open(text);
  const Parsed parsed = parse(text);
  const Tree& tree = parsed.tree;
  if (!parsed.diagnostics.empty()) refuse(text, "this is no expression");
  NodeId id = tree.root();
  while ((tree.is(id, Kind::kToplevel) || tree.is(id, Kind::kBlock)) && tree.count(id) == 1) id = tree.child(id, 0);
  if (!tree.is(id, Kind::kCall) || tree[id].has(Node::kInfix)) refuse(text, "this is no call");
  Entry out;
  const std::string callee(tree.text(tree.child(id, 0)));
  out.callee = e.run(callee, "entry", e.main());
  for (const char c : callee) out.name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  const auto read = [&](NodeId argument) {
    Value v = sample_array(e, tree, argument, text, open);
    if (!v.is_defined()) v = e.run(std::string(tree.text(argument)), "entry", e.main());
    if (!v.is_type()) return v;
    out.unfixed.insert(out.arguments.size() + out.keywords.size());
    return sample_of_type(text, v.as_type());
  };
  std::vector<NodeId> keywords;
  for (size_t i = 1; i < tree.count(id); ++i) {
    const NodeId argument = tree.child(id, i);
    if (tree.is(argument, Kind::kParameters)) {
      for (size_t k = 0; k < tree.count(argument); ++k) keywords.push_back(tree.child(argument, k));
    } else if (tree.is(argument, Kind::kAssign)) {
      keywords.push_back(argument);
    } else {
      out.arguments.push_back(read(argument));
    }
  }
  for (const NodeId k : keywords) {
    if (!tree.is(k, Kind::kAssign) || !tree.is(tree.child(k, 0), Kind::kIdentifier))
      refuse(text, "the keyword " + std::string(tree.text(k)) + " has no value");
    out.keywords.push_back({Symbol(tree.text(tree.child(k, 0))), read(tree.child(k, 1))});
  }
  out.open_extents = open.all();
  return out;
}

CompileCallOptions options_of(const Entry& entry, CompileCallOptions options) {
  options.open_extents = !entry.open_extents.empty();
  options.open_names = entry.open_extents;
  options.unfixed = entry.unfixed;
  return options;
}

namespace {

/// Numbers whose values the text says become constants where sizes depend on them.
TracedCall trace_with_sizes(Evaluator& e, const Entry& entry, const CompileCallOptions& given) {
  try {
    return with_constants(options_of(entry, given), entry.callee, entry.arguments, entry.keywords,
                          [&](const CompileCallOptions& options, Constants) {
                            return trace_call(e, entry.callee, entry.arguments, entry.keywords, options);
                          });
  } catch (NotCompiled& why) {
    // With their values there would be more to try.
    if (more_constants(why, Constants::kNone, entry.callee, entry.arguments, entry.keywords) && !entry.unfixed.empty())
      why.fix = "say the value of a number in the entry instead of its type: " +
                std::string(why.cause == Cause::kShape ? "a size" : "what is called") + " may depend on it";
    throw;
  }
}

}  // namespace

TracedCall trace_entry(Evaluator& e, const Entry& entry, const CompileCallOptions& options) {
  try {
    TracedCall out = trace_with_sizes(e, entry, options);
    if (std::ranges::any_of(out.globals, [](const Binding* g) { return g->owner != nullptr && g->owner->is_library; }))
      throw UserError("entry " + entry.name +
                      ": it draws from the task's random generator\n  fix: give it a Xoshiro as an argument");
    if (!out.globals.empty())
      throw UserError("entry " + entry.name +
                      ": it reads globals of the program that may change\n  fix: make them constants of numbers, or "
                      "pass them as arguments");
    auto renamed = std::make_shared<weft::Module>();
    for (const auto& f : out.program->functions()) {
      auto copy = std::make_unique<Function>(*f);
      if (f->name() == out.entry) copy->set_name(entry.name);
      renamed->add(std::move(copy));
    }
    out.program = renamed;
    out.entry = entry.name;
    return out;
  } catch (const NotCompiled& why) {
    throw UserError("entry " + entry.name + " is not compiled: " + not_compiled_text(why));
  }
}

}  // namespace weft::julia

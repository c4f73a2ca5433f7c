#include "julia/infer/entry.h"

#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
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
  refuse(text, "an argument of type " + type_text(t) + " needs extents or a value");
}

/// T(extents…) of an array type; undefined: the expression is another one.
Value sample_array(Evaluator& e, const Tree& tree, NodeId id, const std::string& text) {
  if (!tree.is(id, Kind::kCall) || tree.count(id) < 2) return {};
  const Value callee = e.run(std::string(tree.text(tree.child(id, 0))), "entry", e.main());
  if (!callee.is_type() || !subtype(callee.as_type(), core().abstract_array)) return {};
  std::vector<int64_t> dims;
  for (size_t i = 1; i < tree.count(id); ++i) {
    const Value d = e.run(std::string(tree.text(tree.child(id, i))), "entry", e.main());
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

Entry read_entry(Evaluator& e, const std::string& text) {
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
  for (size_t i = 1; i < tree.count(id); ++i) {
    const NodeId argument = tree.child(id, i);
    Value v = sample_array(e, tree, argument, text);
    if (!v.is_defined()) v = e.run(std::string(tree.text(argument)), "entry", e.main());
    if (v.is_type()) {
      v = sample_of_type(text, v.as_type());
      out.has_open_integer = out.has_open_integer || v.is(core().int64);
    }
    out.arguments.push_back(std::move(v));
  }
  return out;
}

namespace {

/// Integers whose values the text says become constants where sizes depend on them.
TracedCall trace_with_sizes(Evaluator& e, const Entry& entry, const CompileCallOptions& options) {
  try {
    return trace_call(e, entry.callee, entry.arguments, {}, options);
  } catch (NotCompiled& why) {
    if (why.cause != Cause::kShape || options.fixed_integers) throw;
    if (entry.has_open_integer) {
      why.fix = "say the value of an integer argument in the entry instead of Int: a size may depend on it";
      throw;
    }
  }
  CompileCallOptions fixed = options;
  fixed.fixed_integers = true;
  return trace_call(e, entry.callee, entry.arguments, {}, fixed);
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

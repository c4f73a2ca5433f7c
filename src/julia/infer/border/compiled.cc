#include "julia/infer/border/compiled.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/diagnose/diagnoses.h"
#include "julia/infer/open_extents.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"
#include "text/print.h"

namespace weft::julia {
namespace {

[[noreturn]] void refuse(Cause cause, std::string message, std::string fix = {}) {
  throw NotCompiled{cause, std::move(message), std::move(fix), {}};
}

struct KeyMaker {
  KeyOf what;
  std::map<int64_t, uintptr_t> open_numbers = {};
  std::vector<uintptr_t> key = {};
  std::map<const Object*, uintptr_t> places = {};

  void add(const Value& v) {
    key.push_back(dispatch_word(v));
    const DataType* t = v.type();
    const bool has_integers = what == KeyOf::kIntegers || what == KeyOf::kNumbers;
    if (has_integers && t == core().int64) key.push_back(static_cast<uintptr_t>(v.get<int64_t>()));
    if (what == KeyOf::kNumbers && is_machine_float(t)) {
      uint64_t bits = 0;
      std::memcpy(&bits, v.bits(), t->layout().size);
      key.push_back(bits);
    }
    if (t == core().char_) key.push_back(v.get<uint32_t>());
    if (number_kind(t) || v.is_type() || t->is_singleton()) return;
    if (t == core().symbol) {
      key.push_back(reinterpret_cast<uintptr_t>(v.as_symbol().address()));
      return;
    }
    if (t == core().string) {
      key.push_back(reinterpret_cast<uintptr_t>(Symbol(string_of(v)).address()));
      return;
    }
    if (v.is_reference() && t->is_mutable()) {
      const auto [it, is_new] = places.emplace(v.object(), places.size());
      key.push_back(it->second);
      if (!is_new) return;
    }
    if (is_array(v)) {
      for (const int64_t d : array_of(v).dims) {
        const bool is_open = what == KeyOf::kOpenExtents && d > 1;
        key.push_back(is_open ? ~open_numbers.emplace(d, open_numbers.size()).first->second
                              : static_cast<uintptr_t>(d));
      }
      return;
    }
    if (t->name->is_opaque) {
      key.push_back(reinterpret_cast<uintptr_t>(v.is_reference() ? v.object() : nullptr));
      return;
    }
    for (size_t i = 0; i < field_count(v); ++i) {
      const Value f = get_field(v, i);
      if (f.is_defined()) add(f);
      else key.push_back(0);
    }
  }
};

}  // namespace

std::vector<uintptr_t> call_key(const Value& callee, std::span<const Value> arguments,
                                std::span<const Keyword> keywords, KeyOf what, std::span<Binding* const> globals) {
  KeyMaker maker{what};
  maker.key.reserve(16);
  maker.add(callee);
  for (const Value& v : arguments) maker.add(v);
  for (const Keyword& k : keywords) {
    maker.key.push_back(reinterpret_cast<uintptr_t>(k.name.address()));
    maker.add(k.value);
  }
  for (const Binding* g : globals) {
    if (g->value.is_defined()) maker.add(g->value);
  }
  return std::move(maker.key);
}

TracedCall trace_call(Evaluator& evaluator, const Value& callee, std::span<const Value> arguments,
                      std::span<const Keyword> keywords, const CompileCallOptions& options) {
  std::set<std::pair<const void*, std::vector<const Type*>>> recursive;
  constexpr int kMostAttempts = 256;
  std::vector<Binding*> globals;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    TracedCall out;
    out.program = std::make_shared<weft::Module>();
    out.entry = "main";
    Compiler compiler(evaluator, *out.program);
    compiler.set_recursive(recursive);
    compiler.set_checks(!options.without_checks);
    if (options.has_host) compiler.set_prints(&out.prints);
    compiler.set_differentiated(options.differentiated);
    compiler.set_diagnoses(options.diagnoses);
    if (options.diagnoses != nullptr) options.diagnoses->clear();
    ArgumentReader reader;
    reader.fixed_integers = options.fixed_integers || options.fixed_captures;
    reader.fixed_characters = options.fixed_characters;
    reader.fixed_floats = options.fixed_floats;
    reader.open_extents = options.open_extents;
    reader.open_names = &options.open_names;
    reader.heap = &compiler.heap();
    out.arguments.push_back(reader.read(callee));
    out.first_argument_leaf = reader.types.size();
    reader.float_integers = options.float_integers;
    for (size_t i = 0; i < arguments.size() + keywords.size(); ++i) {
      const bool may_fix = !options.unfixed.contains(i);
      reader.fixed_integers = options.fixed_integers && may_fix;
      reader.fixed_floats = options.fixed_floats && may_fix;
      out.arguments.push_back(reader.read(i < arguments.size() ? arguments[i] : keywords[i - arguments.size()].value));
    }
    const size_t own = out.arguments.size();
    out.end_of_argument_leaves = reader.types.size();
    reader.fixed_integers = reader.fixed_floats = reader.float_integers = false;
    for (const Binding* g : globals) out.arguments.push_back(reader.read(g->value));
    out.objects = compiler.heap().objects;
    out.types = reader.types;
    auto function = std::make_unique<Function>(out.entry);
    std::vector<IrValue> leaves;
    for (const weft::Type t : reader.types) leaves.push_back(function->add_arg(function->body(), t));
    const Fill fill{leaves};
    std::vector<Abstract> values = out.arguments;
    for (Abstract& a : values) fill(a);
    const Abstract callable = values.front();
    std::vector<std::pair<Symbol, Abstract>> keyword_values;
    for (size_t i = 0; i < keywords.size(); ++i)
      keyword_values.emplace_back(keywords[i].name, values[1 + arguments.size() + i]);
    std::unordered_map<Binding*, Abstract> global_values;
    for (size_t i = 0; i < globals.size(); ++i) global_values[globals[i]] = values[own + i];
    compiler.set_globals(std::move(global_values));
    values.erase(values.begin());
    values.resize(arguments.size());
    for (HeapObject& o : compiler.heap().objects) {
      for (IrValue& v : o.leaves) fill(v);
      for (Abstract& f : o.fields) fill(f);
    }
    if (options.open_extents)
      compiler.set_open_extents(reader.last_open, [&](uint32_t number) {
        return std::ranges::any_of(reader.open_numbers, [&](const auto& known) { return known.second == number; });
      });
    OpBuilder builder(*function, function->body(), out.program.get());
    compiler.set_builder(&builder);
    const std::vector<HeapObject> before = compiler.heap().objects;
    compiler.keep_objects();
    if (!options.open_names.empty())
      assert_extents_of_one_name(compiler, [&](uint32_t extent) {
        const auto value = std::ranges::find(reader.open_numbers, extent, &std::pair<const int64_t, uint32_t>::second);
        return options.open_names.at(value->first);
      });
    try {
      Activation top = outermost_activation();  // what a call outside of all functions could throw into
      compiler.set_activation(&top);
      const Abstract value = compiler.call(callable, values, keyword_values);
      if (options.diagnoses != nullptr && !options.diagnoses->found.empty()) return out;
      if (top.is_dead) {
        NotCompiled e{Cause::kThrows, top.failure, {}, {}};
        if (options.diagnoses != nullptr) e.places = options.diagnoses->last_throw.places;
        throw NotCompiled(std::move(e));
      }
      if (!value.is_defined()) compiler.fail_branch("the result", true);
      compiler.share_written();
      Packer packer{compiler};
      packer.has_callers = options.has_arguments;
      for (uint32_t i = 0; i < before.size() && !options.value_only; ++i) {
        const HeapObject& now = compiler.heap().objects[i];
        bool changes = before[i].leaves != now.leaves;
        if (before[i].dims != now.dims || before[i].is_array != now.is_array)
          refuse(Cause::kShape, "an argument changes its size");
        for (size_t k = 0; k < before[i].fields.size(); ++k)
          changes = changes || !is_same(before[i].fields[k], now.fields[k]);
        packer.unchanged.push_back(options.has_arguments && !changes);
        if (changes) out.changed.push_back(i);
      }
      for (uint32_t i = 0; i < before.size() && options.value_only; ++i) {
        if (before[i].type->name->name == Symbol("Xoshiro"))
          refuse(Cause::kUnsupported, "random numbers in a function to differentiate", "draw them outside of it");
      }
      packer.add(value);
      for (const uint32_t i : out.changed) packer.pack_object(i);
      if (options.has_arguments) packer.expect_apart(before.size());
      builder.yield(packer.out.leaves);
      out.results = packer.out;
    } catch (const NeedsGlobal& g) {
      globals.push_back(g.binding);
      continue;
    } catch (const Recursion& r) {
      if (!recursive.emplace(r.code, r.types).second) refuse(Cause::kUnsupported, "recursion that cannot be followed");
      continue;
    }
    out.program->add(std::move(function));
    out.globals = globals;
    out.sizes_from_integers = compiler.has_sizes_from_integers();
    return out;
  }
  refuse(Cause::kUnsupported, "too many functions that call themselves");
}

}  // namespace weft::julia

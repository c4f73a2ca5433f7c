#include "julia/infer/compiled.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/reader.h"
#include "julia/intrinsics/random_source.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"
#include "text/print.h"

namespace weft::julia {
namespace {

using How = Abstract::Kind;

[[noreturn]] void refuse(Cause cause, std::string message, std::string fix = {}) {
  throw NotCompiled{cause, std::move(message), std::move(fix), {}};
}

/// The library's only global that is an argument: the task's random generator. Null: the program draws nothing from it.
const Binding* task_state(const std::vector<Binding*>& globals) {
  const auto it =
      std::ranges::find_if(globals, [](const Binding* g) { return g->owner != nullptr && g->owner->is_library; });
  return it == globals.end() ? nullptr : *it;
}

class Call : public CompiledCall {
 public:
  std::unique_ptr<Executable> executable;
  Packed results;  // the value, then changed arguments; ids below `arguments` are the arguments' objects
  size_t arguments = 0;
  bool fixed_integers = false;
  std::vector<uint32_t> changed;

  std::optional<Value> run(const Value& callee, std::span<const Value> given,
                           std::span<const Keyword> keywords) const override {
    Reader reader;
    reader.fixed_integers = fixed_integers;
    reader.read(callee);
    for (const Value& v : given) reader.read(v);
    for (const Keyword& k : keywords) reader.read(k.value);
    reader.fixed_integers = false;
    const Binding* task = task_state(globals);
    if (task != nullptr) show_task_state(task->value);
    for (const Binding* g : globals) reader.read(g->value);
    const std::vector<const void*>& in = reader.bytes;
    // Arrays among the results are made where they will stay; everything else comes through a small block.
    std::vector<Value> made(results.objects.size());
    std::vector<void*> out(results.types.size(), nullptr);
    std::deque<std::vector<std::byte>> parts;  // of arrays of structs
    for (size_t i = 0; i < results.objects.size(); ++i) {
      const HeapObject& o = results.objects[i];
      if (!o.is_array) continue;
      const bool is_bits = o.type->name->name == Symbol("BitArray");
      made[i] = is_bits ? make_bit_array(o.dims) : make_array(o.element, o.dims);
      if (o.leaves.size() == 1) {
        out[o.leaves[0].index - kPlaceholders] = array_of(made[i]).data();
        continue;
      }
      for (const IrValue leaf : o.leaves) {
        const weft::Type t = results.types[leaf.index - kPlaceholders];
        parts.emplace_back(std::max<size_t>(t.num_bytes(), 1));
        out[leaf.index - kPlaceholders] = parts.back().data();
      }
    }
    std::vector<std::array<std::byte, 16>> numbers(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] == nullptr) out[i] = numbers[i].data();
    }
    try {
      executable->invoke(in.data(), out.data());
    } catch (const Unsupported&) { throw; } catch (const UserError&) {
      return std::nullopt;
    }
    for (size_t i = 0; i < results.objects.size(); ++i) {
      if (results.objects[i].is_array && results.objects[i].leaves.size() > 1) join(made[i], results.objects[i], out);
    }
    // Objects: arguments take their new contents, new ones are made.
    const auto number_at = [&](const Abstract& a) { return Value::from_bits(a.type, out[a.ir.index - kPlaceholders]); };
    std::vector<Value> objects(results.objects.size());
    const std::function<Value(const Abstract&)> value_of = [&](const Abstract& a) -> Value {
      switch (a.kind) {
        case How::kConstant: return a.constant;
        case How::kScalar: return number_at(a);
        case How::kFields: {
          std::vector<Value> fields;
          for (const Abstract& f : a.fields) fields.push_back(value_of(f));
          return make_struct(a.type, std::move(fields));
        }
        case How::kObject: {
          Value& v = objects[a.object];
          if (v.is_defined()) return v;
          const uint32_t id = results.ids[a.object];
          const HeapObject& o = results.objects[a.object];
          if (id < arguments) {
            v = reader.objects[id];
            if (std::ranges::find(changed, id) != changed.end()) take_contents(v, o, made[a.object], value_of);
            return v;
          }
          if (o.is_array) return v = made[a.object];
          v = Value::of_object(o.type, new FieldsObject(std::vector<Value>(o.fields.size())));
          for (size_t i = 0; i < o.fields.size(); ++i) set_field(v, i, value_of(o.fields[i]));
          return v;
        }
        case How::kUndefined: break;
      }
      return nothing();
    };
    Value value = value_of(results.values.front());
    for (uint32_t i = 0; i < results.objects.size(); ++i) value_of(Abstract::of_object(results.objects[i].type, i));
    if (task != nullptr) take_task_state(task->value);
    return value;
  }

 private:
  /// The elements of an array of structs from their leaves.
  static void join(const Value& array, const HeapObject& o, const std::vector<void*>& out) {
    ArrayObject& a = array_of(array);
    std::vector<LeafPlace> places;
    leaf_places(a.flat, 0, places);
    const size_t size = a.flat->layout().size;
    for (size_t k = 0; k < places.size(); ++k) {
      const auto* from = static_cast<const std::byte*>(out[o.leaves[k].index - kPlaceholders]);
      for (int64_t i = 0; i < a.length; ++i)
        std::memcpy(a.data() + static_cast<size_t>(i) * size + places[k].offset,
                    from + static_cast<size_t>(i) * places[k].size, places[k].size);
    }
  }

  static void take_contents(const Value& v, const HeapObject& o, const Value& made,
                            const std::function<Value(const Abstract&)>& value_of) {
    if (!o.is_array) {
      for (size_t i = 0; i < o.fields.size(); ++i) set_field(v, i, value_of(o.fields[i]));
      return;
    }
    ArrayObject& a = array_of(v);
    const ArrayObject& from = array_of(made);
    std::memcpy(a.data(), from.data(), static_cast<size_t>(a.length) * a.flat->layout().size);
  }
};

}  // namespace

std::vector<uintptr_t> call_key(const Value& callee, std::span<const Value> arguments,
                                std::span<const Keyword> keywords, bool fixed_integers,
                                std::span<Binding* const> globals) {
  std::vector<uintptr_t> key;
  std::map<const Object*, uintptr_t> places;
  const std::function<void(const Value&)> add = [&](const Value& v) {
    key.push_back(dispatch_word(v));
    const DataType* t = v.type();
    if (fixed_integers && t == core().int64) key.push_back(static_cast<uintptr_t>(v.get<int64_t>()));
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
      for (const int64_t d : array_of(v).dims) key.push_back(static_cast<uintptr_t>(d));
      return;
    }
    if (t->name->is_opaque) {
      key.push_back(reinterpret_cast<uintptr_t>(v.is_reference() ? v.object() : nullptr));
      return;
    }
    for (size_t i = 0; i < field_count(v); ++i) {
      const Value f = get_field(v, i);
      if (f.is_defined()) add(f);
    }
  };
  add(callee);
  for (const Value& v : arguments) add(v);
  for (const Keyword& k : keywords) {
    key.push_back(reinterpret_cast<uintptr_t>(k.name.address()));
    add(k.value);
  }
  for (const Binding* g : globals) {
    if (g->value.is_defined()) add(g->value);
  }
  return key;
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
    Reader reader;
    reader.fixed_integers = options.fixed_integers;
    reader.float_integers = options.float_integers;
    reader.heap = &compiler.heap();
    out.arguments.push_back(reader.read(callee));
    for (const Value& v : arguments) out.arguments.push_back(reader.read(v));
    for (const Keyword& k : keywords) out.arguments.push_back(reader.read(k.value));
    const size_t own = out.arguments.size();
    const bool fixed = reader.fixed_integers;
    reader.fixed_integers = reader.float_integers = false;
    for (const Binding* g : globals) out.arguments.push_back(reader.read(g->value));
    reader.fixed_integers = fixed;
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
    OpBuilder builder(*function, function->body(), out.program.get());
    compiler.set_builder(&builder);
    const std::vector<HeapObject> before = compiler.heap().objects;
    try {
      Activation top = outermost_activation();  // what a call outside of all functions could throw into
      compiler.set_activation(&top);
      const Abstract value = compiler.call(callable, values, keyword_values);
      if (top.is_dead) refuse(Cause::kUnsupported, "every call throws: " + top.failure);
      if (!value.is_defined())
        refuse(Cause::kWidening, "the result has another type on each way", "return values of one type on all ways");
      Packer packer{compiler};
      packer.add(value);
      for (uint32_t i = 0; i < before.size() && options.value_only; ++i) {
        if (before[i].type->name->name == Symbol("Xoshiro"))
          refuse(Cause::kUnsupported, "random numbers in a function to differentiate", "draw them outside of it");
      }
      for (uint32_t i = 0; i < before.size() && !options.value_only; ++i) {
        const HeapObject& now = compiler.heap().objects[i];
        bool changes = before[i].leaves != now.leaves;
        if (before[i].dims != now.dims) refuse(Cause::kShape, "an argument changes its size");
        for (size_t k = 0; k < before[i].fields.size(); ++k)
          changes = changes || !is_same(before[i].fields[k], now.fields[k]);
        if (!changes) continue;
        packer.pack_object(i);
        out.changed.push_back(i);
      }
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
    return out;
  }
  refuse(Cause::kUnsupported, "too many functions that call themselves");
}

std::unique_ptr<CompiledCall> compile_call(Evaluator& evaluator, const Value& callee, std::span<const Value> arguments,
                                           std::span<const Keyword> keywords, const CompileCallOptions& options) {
  TracedCall traced = trace_call(evaluator, callee, arguments, keywords, options);
  auto out = std::make_unique<Call>();
  out->executable = get_target(options.target).compile(traced.program, traced.entry, {});
  out->fixed_integers = options.fixed_integers;
  out->arguments = traced.objects.size();
  out->results = std::move(traced.results);
  out->changed = std::move(traced.changed);
  out->globals = std::move(traced.globals);
  return out;
}

std::string not_compiled_text(const NotCompiled& e) {
  static constexpr const char* kCauses[] = {"non-constant global",  "abstract field",   "untyped container",
                                            "size depends on data", "dynamic dispatch", "two types",
                                            "unsupported feature"};
  std::string out = e.message + " [" + kCauses[static_cast<size_t>(e.cause)] + "]";
  for (const Place& p : e.places) {
    if (!p.source || p.node == kNoNode) continue;
    out += "\n  in " + p.function.text() + " at " + p.source->name + ":" + std::to_string(p.source->line_of(p.node));
  }
  if (!e.fix.empty()) out += "\n  fix: " + e.fix;
  return out;
}

}  // namespace weft::julia

// Calls: which method, and its run.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/dict.h"
#include "julia/run/impl.h"
#include "julia/run/interrupts.h"
#include "julia/run/recorder.h"
#include "julia/run/written.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

constinit thread_local Recorder* recorder = nullptr;

size_t Evaluator::Impl::HashTypes::operator()(const std::vector<uintptr_t>& words) const {
  size_t h = words.size();
  for (const uintptr_t w : words) {
    h = (h ^ w) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

void Evaluator::Impl::throw_stack_overflow() { throw JuliaError(make_exception("StackOverflowError")); }

// ---- tables ------------------------------------------------------------------------------------------------------------

MethodTable& Evaluator::Impl::table_of_name(const TypeName* name, bool is_constructor) {
  define_waiting(name, is_constructor);
  std::unique_ptr<MethodTable>& table = (is_constructor ? constructors : functions)[name];
  if (!table) {
    table = std::make_unique<MethodTable>(name == nullptr  ? Symbol("Union")
                                          : name->function ? name->function
                                                           : name->name);
    for (const Method& m : is_constructor ? open_constructors : open_functions) table->add(m);
  }
  return *table;
}

MethodTable* Evaluator::Impl::table_of_type(const DataType* callee) {
  define_waiting(callee->name, false);
  note_question(callee->name);
  const auto it = functions.find(callee->name);
  if (it != functions.end()) return it->second.get();
  return open_functions.empty() ? nullptr : &table_of_name(callee->name, false);
}

MethodTable* Evaluator::Impl::table_of(const Value& callee, bool make) {
  const TypeName* name = nullptr;
  const bool is_type = callee.is_type();
  if (is_type) {
    const auto* d = as<DataType>(unwrap_union_all(callee.as_type()));
    name = d == nullptr ? nullptr : d->name;
  } else {
    name = callee.type()->name;
  }
  define_waiting(name, is_type);
  note_question(name);
  auto& tables = is_type ? constructors : functions;
  const auto it = tables.find(name);
  if (it != tables.end()) return it->second.get();
  if (!make && (is_type ? open_constructors : open_functions).empty()) return nullptr;
  return &table_of_name(name, is_type);
}

// ---- targets -----------------------------------------------------------------------------------------------------------

namespace {

/// A method that does nothing but hand its arguments, in their order, to an intrinsic; the callee may come before them.
const IntrinsicEntry* forwarded_intrinsic(const Code& code, bool& takes_callee) {
  if (!code.keywords.empty() || code.rest_keywords != kNoForm || !code.boxed_arguments.empty()) return nullptr;
  FormId id = code.body;
  while (id != kNoForm) {
    const Form& f = code.forms[id];
    const bool is_wrapper = (f.kind == FormKind::kBlock && f.count == 1) || f.kind == FormKind::kReturn;
    if (!is_wrapper) break;
    id = code.children[f.first];
  }
  if (id == kNoForm || code.forms[id].kind != FormKind::kCall) return nullptr;
  const auto children = code.children_of(id);
  const Form& callee = code.forms[children[0]];
  if (callee.kind != FormKind::kGlobal || children.size() < code.arguments + 1) return nullptr;
  const size_t before = children.size() - code.arguments - 1;  // 1: the callee
  if (before > 1) return nullptr;
  if (!code.calls[code.forms[id].a].keywords.empty()) return nullptr;
  const std::string& name = code.globals[callee.a].name.text();
  if (!name.starts_with('_')) return nullptr;
  for (size_t i = 1; i < children.size(); ++i) {
    const Form* argument = &code.forms[children[i]];
    const bool is_rest = code.has_vararg && i == code.arguments + before;
    if (is_rest != (argument->kind == FormKind::kSplat)) return nullptr;
    if (is_rest) argument = &code.forms[code.children[argument->first]];
    if (argument->kind != FormKind::kLocal || argument->a != i - before) return nullptr;
  }
  takes_callee = before == 1;
  return find_intrinsic(name);
}

}  // namespace

std::shared_ptr<const Target> Evaluator::Impl::find_target(size_t at, bool with_keywords) {
  if (targets_generation != generation) {
    targets.clear();
    targets_generation = generation;
  }
  std::vector<uintptr_t> words;
  words.reserve(top - at);
  for (size_t i = at; i < top; ++i) words.push_back(dispatch_word(stack[i]));
  if (with_keywords) words.push_back(0);
  const auto known = targets.find(words);
  if (known != targets.end()) return known->second;

  const Value& callee = stack[at];
  if (!callee.is_defined()) throw JuliaError(make_exception("UndefRefError"));
  std::vector<const Type*> types;
  types.reserve(words.size());
  for (size_t i = at; i < top; ++i) types.push_back(dispatch_type(stack[i]));
  const std::shared_ptr<const Target> out = target_of_types(&callee, callee.type(), types, with_keywords);
  if (out) targets.emplace(std::move(words), out);
  return out;
}

MethodTable& Evaluator::Impl::methods_with_keywords(const MethodTable& table) {
  KeywordMethods& known = keyword_methods[&table];
  if (known.table == nullptr || known.generation != table.generation()) {
    known.table = &keyword_tables.emplace_back(table.name());
    known.generation = table.generation();
    for (const Method* m : table.methods()) {
      if (!m->keywords.empty()) known.table->add(*m);
    }
  }
  return *known.table;
}

std::shared_ptr<const Target> Evaluator::Impl::target_of_types(const Value* callee, const DataType* callee_type,
                                                               const std::vector<const Type*>& types,
                                                               bool with_keywords) {
  const bool is_type = callee != nullptr && callee->is_type();
  std::shared_ptr<Target> out;
  const auto intrinsic = is_type ? intrinsics.end() : intrinsics.find(callee_type->name);
  if (intrinsic != intrinsics.end()) {
    out = std::make_shared<Target>();
    out->intrinsic = intrinsic->second;
    return out;
  }
  MethodTable* table = is_type ? table_of(*callee, false) : table_of_type(callee_type);
  if (table == nullptr) return nullptr;
  if (with_keywords) {
    MethodTable& taking = methods_with_keywords(*table);
    if (taking.find(types).method != nullptr) table = &taking;
  }
  const Dispatch& found = table->find(types);
  if (found.method == nullptr) return nullptr;
  out = std::make_shared<Target>();
  out->method = found.method;
  out->body = static_cast<MethodBody*>(const_cast<void*>(found.method->body.get()));
  for (const Type* t : found.values)
    out->parameters.push_back(t->kind == TypeKind::kVar ? Value() : value_of_parameter(t));
  if (out->body->body && out->body->module->is_library && !out->body->is_examined) {
    out->body->is_examined = true;
    out->body->intrinsic = forwarded_intrinsic(out->body->body->code(), out->body->takes_callee);
  }
  out->intrinsic = out->body->intrinsic;
  out->takes_callee = out->body->takes_callee;
  return out;
}

namespace {

/// A handful of words: a loop is faster than the call of memcmp that std::equal becomes.
bool same_words(const uintptr_t* a, const uintptr_t* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

const Target& Evaluator::Impl::target_of(size_t at, const CallSite* site, std::shared_ptr<const Target>& keep) {
  const size_t count = top - at;
  SiteCache* cache = nullptr;
  uintptr_t words[SiteCache::kWords];
  if (site != nullptr && count <= SiteCache::kWords) {
    for (size_t i = 0; i < count; ++i) words[i] = dispatch_word(stack[at + i]);
    if (!site->cache) site->cache = std::make_shared<SiteCache>();
    cache = static_cast<SiteCache*>(site->cache.get());
    if (cache->generation != generation) {
      for (SiteCache::Entry& e : cache->entries) e.target.reset();
      cache->generation = generation;
    }
    for (const SiteCache::Entry& e : cache->entries) {
      if (e.target && e.count == count && same_words(words, e.words, count)) {
        keep = e.target;
        return *keep;
      }
    }
  }
  keep = find_target(at);
  if (!keep && load_standard_packages()) keep = find_target(at);
  if (!keep) throw_method_error(at);
  if (cache != nullptr) {
    SiteCache::Entry& e = cache->entries[cache->next++ % SiteCache::kEntries];
    std::memcpy(e.words, words, sizeof words);
    e.count = count;
    e.target = keep;
  }
  return *keep;
}

void Evaluator::Impl::throw_method_error(size_t at) {
  std::vector<Value> arguments(stack + at + 1, stack + top);
  throw JuliaError(make_exception("MethodError", {stack[at], make_tuple(std::move(arguments)), number(uint64_t{1})}));
}

// ---- running -----------------------------------------------------------------------------------------------------------

Value Evaluator::Impl::call_from(size_t at, std::span<const Keyword> keywords, const CallSite* site) {
  struct Guard {  // what is left of the call goes, whether it returns or throws
    Impl& impl;
    size_t at;
    ~Guard() { impl.pop_to(at); }
  } guard{*this, at};
  std::shared_ptr<const Target> keep;
  if (!keywords.empty()) {
    keep = find_target(at, true);
    if (!keep && load_standard_packages()) keep = find_target(at, true);
    if (!keep) throw_method_error(at);
    return invoke(*keep, at, keywords);
  }
  const Target& target = target_of(at, site, keep);
  return invoke(target, at, keywords);
}

Value Evaluator::Impl::invoke(const Target& target, size_t at, std::span<const Keyword> keywords) {
  if (target.intrinsic != nullptr) {
    const IntrinsicEntry& e = *target.intrinsic;
    const size_t first = target.takes_callee ? at : at + 1;
    const auto count = static_cast<int>(top - first);
    if (count < e.least || (e.most >= 0 && count > e.most))
      throw InternalError("wrong number of arguments for intrinsic " + std::string(e.name));
    if (!keywords.empty()) throw_method_error(at);
    if (recorder != nullptr) {
      // A function of the library may have a rule of the program's own.
      if (target.method != nullptr) {
        if (std::optional<Value> v = recorder->call_method({stack + at, top - at}, keywords)) return std::move(*v);
      }
      return recorder->call_intrinsic(e, {stack + first, static_cast<size_t>(count)});
    }
    try {
      return e.function(evaluator, {stack + first, static_cast<size_t>(count)});
    } catch (const std::exception&) { rethrow_named(); }
  }
  check_stack();
  MethodBody& body = *target.body;
  if (body.native) {
    if (!keywords.empty()) throw_method_error(at);
    return body.native(evaluator, target, {stack + at, top - at});
  }
  if (recorder != nullptr) {
    if (std::optional<Value> v = recorder->call_method({stack + at, top - at}, keywords)) return std::move(*v);
  } else if (compiled_call && !body.module->is_library) {
    const CallThatPrints call;
    if (std::optional<Value> v = compiled_call(body.body->code(), {stack + at, top - at}, keywords))
      return std::move(*v);
    return run_code(target, body.body->code(), *body.module, at, keywords);
  }
  return run_code(target, body.body->code(), *body.module, at, keywords);
}

Value Evaluator::Impl::run_code(const Target& target, const Code& code, Module& module, size_t at,
                                std::span<const Keyword> keywords) {
  check_interrupt();
  std::vector<Value> whole;  // the arguments as given, which a message about keywords may need
  if (!keywords.empty()) whole.assign(stack + at, stack + top);
  if (code.has_vararg) {
    const size_t first = at + code.arguments;
    std::vector<Value> rest;
    if (top > first) rest.assign(std::make_move_iterator(stack + first), std::make_move_iterator(stack + top));
    pop_to(std::min(top, first));
    while (top < first) push(Value());
    push(make_tuple(std::move(rest)));
  }
  if (at + code.slots.size() > stack_size) throw_stack_overflow();
  top = at + code.slots.size();
  Value* slots = stack + at;
  for (size_t i = 0; i < code.type_parameters.size(); ++i) {
    const int index = target.body->parameter_index[i];
    if (index >= 0) slots[code.type_parameters[i]] = target.parameters[static_cast<size_t>(index)];
  }
  const std::vector<Value>& captured = target.body->captured;
  for (size_t i = 0; i < code.captures.size(); ++i)
    slots[code.captures[i]] = captured.empty() ? get_field(slots[0], i) : captured[i];
  Frame f{code, module, slots, frame};
  const Running running(*this, f);
  for (const SlotId s : code.boxed_arguments) {
    Value box = make_box();
    set_field(box, 0, std::move(slots[s]));
    slots[s] = std::move(box);
  }
  if (!code.keywords.empty() || code.rest_keywords != kNoForm || !keywords.empty()) bind_keywords(f, keywords, whole);
  try {
    Value v = eval(code.body, f);
    return f.jump == Frame::Jump::kReturn ? std::move(f.result) : v;
  } catch (const JuliaError&) {
    if (trace.size() < 100 && f.node != kNoNode && !module.is_library)
      trace.push_back({code.name, code.source->name, code.source->line_of(f.node)});
    throw;
  }
}

void Evaluator::Impl::bind_keywords(Frame& f, std::span<const Keyword> given, std::span<const Value> arguments) {
  const Code& code = f.code;
  const auto place = [&](SlotId s) -> Value& { return slot_place(s, f); };
  std::vector<bool> used(given.size(), false);
  for (const KeywordParameter& p : code.keywords) {
    const Value* value = nullptr;
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].name != p.name) continue;
      used[i] = true;
      value = &given[i].value;
    }
    if (value != nullptr) {
      if (p.type != kNoForm) {
        const Value t = eval(p.type, f);
        const Type* type = type_of_value(t);
        if (!is_a(*value, type))
          throw JuliaError(
              make_exception("TypeError", {Value::of_symbol("keyword argument"), Value::of_symbol(p.name), t, *value}));
      }
      place(p.slot) = *value;
    } else if (p.default_value != kNoForm) {
      Value v = eval(p.default_value, f);
      place(p.slot) = std::move(v);
    } else {
      throw JuliaError(make_exception("UndefKeywordError", {Value::of_symbol(p.name)}));
    }
  }
  std::vector<Symbol> names;
  std::vector<Value> values;
  for (size_t i = 0; i < given.size(); ++i) {
    if (used[i]) continue;
    const auto it = std::ranges::find(names, given[i].name);
    if (it != names.end()) {
      values[static_cast<size_t>(it - names.begin())] = given[i].value;
      continue;
    }
    names.push_back(given[i].name);
    values.push_back(given[i].value);
  }
  if (code.rest_keywords != kNoForm) {
    place(code.rest_keywords) = evaluator.call_base("pairs", {make_named_tuple(names, std::move(values))});
  } else if (!names.empty()) {
    std::vector<Value> positional(arguments.begin() + 1, arguments.end());
    throw JuliaError(make_exception("MethodError", {evaluator.base_function("kwcall"),
                                                    make_tuple({make_named_tuple(names, std::move(values)),
                                                                arguments[0], make_tuple(std::move(positional))}),
                                                    number(uint64_t{1})}));
  }
}

std::vector<Keyword> Evaluator::Impl::keywords_of(const CallSite& site, std::span<const Value> values) {
  std::vector<Keyword> out;
  out.reserve(values.size());
  const auto add_named_tuple = [&](const Value& t) {
    const std::vector<Symbol> names = t.type()->field_names();
    for (size_t i = 0; i < names.size(); ++i) out.push_back({names[i], get_field(t, i)});
  };
  for (size_t i = 0; i < values.size(); ++i) {
    if (site.keywords[i]) {
      out.push_back({site.keywords[i], values[i]});
      continue;
    }
    const Value& v = values[i];
    if (v.type()->name == core().named_tuple_name) {
      add_named_tuple(v);
      continue;
    }
    evaluator.for_each(v, [&](const Value& pair) {
      if (field_count(pair) != 2 || !get_field(pair, 0).is(core().symbol))
        throw_type_error("merge", "keywords", core().symbol, field_count(pair) == 2 ? get_field(pair, 0) : pair);
      out.push_back({get_field(pair, 0).as_symbol(), get_field(pair, 1)});
      return true;
    });
  }
  return out;
}

// ---- the evaluator's own calls ---------------------------------------------------------------------------------------------

Value Evaluator::call(const Value& f, std::span<const Value> arguments) { return call(f, arguments, {}); }

Value Evaluator::call(const Value& f, std::span<const Value> arguments, std::span<const Keyword> keywords) {
  Impl& impl = *impl_;
  const size_t at = impl.top;
  const Impl::Mark mark(impl);
  impl.push(f);
  for (const Value& v : arguments) impl.push(v);
  return impl.call_from(at, keywords, nullptr);
}

bool Evaluator::has_method(const Value& f, std::span<const Value> arguments) {
  Impl& impl = *impl_;
  const size_t at = impl.top;
  const Impl::Mark mark(impl);
  impl.push(f);
  for (const Value& v : arguments) impl.push(v);
  return impl.find_target(at) != nullptr;
}

MethodTable* Evaluator::methods_of(const Value& f) { return impl_->table_of(f, false); }

}  // namespace weft::julia

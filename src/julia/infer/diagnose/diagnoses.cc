#include "julia/infer/diagnose/diagnoses.h"

#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/show.h"
#include "julia/infer/border/samples.h"
#include "julia/run/impl.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

NotCompiled consequence() {
  NotCompiled e{Cause::kUnsupported, "a value that is not known", {}, {}};
  e.is_consequence = true;
  return e;
}

NotCompiled host_failure(const Error& e) {
  const bool is_refused = dynamic_cast<const OutOfScope*>(&e) != nullptr;
  return {is_refused ? Cause::kOutOfScope : Cause::kUnsupported, e.what(), {}, {}};
}

const Place* user_place(const NotCompiled& e) {
  const auto is_users = [](const Place& p) { return !p.is_library && p.source && p.node != kNoNode; };
  const auto it = std::ranges::find_if(e.places, is_users);
  return it == e.places.end() ? nullptr : &*it;
}

std::string function_name(const Code& code) {
  const std::string& name = code.name.text();
  return name.starts_with('#') ? "" : name;
}

std::string abstract_text(const Heap& heap, const Abstract& a, bool with_values) {
  switch (a.kind) {
    case How::kUndefined: return "no value";
    case How::kUnknown: return "?";
    case How::kConstant: {
      if (is_array(a.constant)) break;
      const bool is_simple = number_kind(a.type) || a.type == core().string || a.type == core().symbol;
      if (a.constant.is_type()) return "Type{" + type_text(a.constant.as_type()) + "}";
      return type_text(a.type) + (with_values && is_simple ? " = " + show_text(a.constant) : "");
    }
    case How::kScalar: break;
    case How::kFields: {
      if (!a.type->is_tuple) break;
      std::string out = "Tuple{";
      for (size_t i = 0; i < a.fields.size(); ++i)
        out += (i > 0 ? ", " : "") + abstract_text(heap, a.fields[i], with_values);
      return out + "}";
    }
    case How::kObject: {
      const HeapObject& o = heap.objects.at(a.object);
      if (!o.is_array) break;
      std::string out = type_text(a.type) + "(";
      for (size_t i = 0; i < o.dims.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(o.dims[i]);
      return out + ")";
    }
  }
  return a.type == nullptr ? "?" : type_text(a.type);
}

void Diagnoses::clear() {
  found.clear();
  explained.clear();
  said_.clear();
  last_throw = {};
}

void Diagnoses::add(NotCompiled e) {
  if (e.is_consequence) return;
  const Place* at = user_place(e);
  std::string key = e.message;
  if (at != nullptr) key += "\n" + at->source->name + ":" + std::to_string(at->node);
  if (said_.insert(std::move(key)).second) found.push_back(std::move(e));
}

void Diagnoses::enter(Compiler& c, Activation& a, std::span<const Abstract> all,
                      std::span<const std::pair<Symbol, Abstract>> keywords) {
  const std::string name = function_name(*a.code);
  if (name.empty()) return;
  if (name == explain) {
    auto e = std::make_unique<Explained>();
    e->code = a.code;
    e->signature = name + "(";
    for (size_t i = 1; i < all.size(); ++i) e->signature += (i > 1 ? ", " : "") + abstract_text(c.heap(), all[i], true);
    for (size_t i = 0; i < keywords.size(); ++i)
      e->signature +=
          (i == 0 ? "; " : ", ") + keywords[i].first.text() + " = " + abstract_text(c.heap(), keywords[i].second, true);
    e->signature += ")";
    const auto same = std::ranges::find_if(
        explained, [&](const auto& x) { return x->signature == e->signature && x->code == e->code; });
    a.explained = same == explained.end() ? explained.emplace_back(std::move(e)).get() : same->get();
  }
  const auto expects_exception = [](const Place& p) { return p.function == Symbol("_test_throws"); };
  const std::vector<Place> chain = c.chain();
  if (!on_call || std::ranges::any_of(chain, expects_exception)) return;
  Samples samples(c.heap());
  SeenCall call;
  call.code = a.code;
  call.is_outermost = std::ranges::count(chain, false, &Place::is_library) <= 1;  // itself
  for (size_t i = 0; i < all.size(); ++i) {
    std::optional<Value> v = samples.of(all[i]);
    if (!v) {
      if (on_unknown_call) on_unknown_call(*a.code);
      return;
    }
    if (i == 0) call.callee = std::move(*v);
    else call.arguments.push_back(std::move(*v));
  }
  for (const auto& [key, x] : keywords) {
    std::optional<Value> v = samples.of(x);
    if (!v) return;
    call.keywords.push_back({key, std::move(*v)});
  }
  on_call(std::move(call));
}

namespace {

/// Of a loop that changes nothing, or the same form with other types in another iteration: the last stands.
void put(Explained& e, const Activation& a, const Form& form, std::string what, std::string type) {
  const auto id = static_cast<uint32_t>(&form - a.code->forms.data());
  e.seen[id] = {form.node, std::move(what), std::move(type)};
}

}  // namespace

void Diagnoses::see_variable(Compiler& c, const Activation& a, const Form& assignment, const Abstract& v) {
  const std::string& name = a.code->slots[assignment.a].name.text();
  if (!name.starts_with('#')) put(*a.explained, a, assignment, name, abstract_text(c.heap(), v, true));
}

void Diagnoses::see(Compiler& c, const Activation& a, const Form& form, const Abstract& v) {
  if (form.node == kNoNode || a.is_dead || !v.is_defined()) return;
  if (form.kind == FormKind::kSetLocal) return see_variable(c, a, form, v);
  if (form.kind != FormKind::kCall && form.kind != FormKind::kGetField && form.kind != FormKind::kGlobal) return;
  // Functions and types that are named say themselves what they are.
  if (form.kind == FormKind::kGlobal && v.is_constant() && !number_kind(v.type)) return;
  const std::string text(a.code->source->tree.text(form.node));
  if (text.find('\n') == std::string::npos) put(*a.explained, a, form, text, abstract_text(c.heap(), v, true));
}

}  // namespace weft::julia

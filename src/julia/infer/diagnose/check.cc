#include "julia/infer/diagnose/check.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "julia/host/array.h"
#include "julia/infer/border/call_cache.h"
#include "julia/infer/border/constants.h"
#include "julia/infer/border/entry.h"
#include "julia/infer/diagnose/sample_types.h"
#include "julia/run/effects.h"
#include "julia/run/impl.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

std::string value_text(const Value& v) {
  if (is_array(v)) {
    std::string out = type_text(v.type()) + "(";
    for (size_t i = 0; i < array_of(v).dims.size(); ++i)
      out += (i > 0 ? ", " : "") + std::to_string(array_of(v).dims[i]);
    return out + ")";
  }
  if (v.is_type()) return "Type{" + type_text(v.as_type()) + "}";
  return type_text(v.type());
}

class Checker {
 public:
  Checker(Evaluator& evaluator, const CheckOptions& options) : evaluator_(evaluator), options_(options) {}

  Checked run(const std::string& text, const std::string& file) {
    evaluator_.impl().compiled_call = [this](const Code& code, std::span<const Value> all,
                                             std::span<const Keyword> keywords) -> std::optional<Value> {
      if (NoEffects::are_forbidden() && !function_name(code).empty())
        throw Unsupported("a function of the program in a program that is only checked");
      if (NoEffects::are_forbidden()) return std::nullopt;
      SeenCall call;
      call.callee = all[0];
      call.arguments.assign(all.begin() + 1, all.end());
      call.keywords.assign(keywords.begin(), keywords.end());
      call.code = &code;
      if (!function_name(code).empty()) check(call, CheckedSignature::kCall);
      return std::nullopt;
    };
    if (options_.run) {
      run_program(text, file);
    } else {
      follow(text, file);
    }
    for (const std::string& entry : options_.entries) {
      const Entry e = read_entry(evaluator_, entry);
      check({e.callee, e.arguments, e.keywords, nullptr}, CheckedSignature::kEntry, options_of(e, {}));
    }
    check_waiting();
    add_methods();
    check_waiting();
    add_unreached();
    evaluator_.impl().compiled_call = nullptr;
    std::ranges::stable_sort(out_.signatures, {}, [](const CheckedSignature& s) { return line(s.definition); });
    return std::move(out_);
  }

 private:
  static int line(const Place& p) { return p.source ? p.source->line_of(p.node) : 0; }

  void follow(const std::string& text, const std::string& file) {
    Diagnoses found;
    found.at_top_level = true;
    listen(found);
    TopLevel top(evaluator_, found);
    top.run_file(text, file, evaluator_.main());
    // `(@main)(args)` is called once the program has been read.
    if (find_binding(evaluator_.main(), "@main") != nullptr) top.run_file("main(ARGS)", file, evaluator_.main());
    out_.failed = std::move(top.failed);
    // The top level need not compile, but what Weft has not at all ends a run.
    for (NotCompiled& e : found.found) {
      if (e.cause == Cause::kOutOfScope) place_of_cause(std::move(e));
    }
  }

  void run_program(const std::string& text, const std::string& file) {
    try {
      evaluator_.run(text, file, evaluator_.main());
    } catch (const ExitRequest&) {
      // Ends the program, not the check.
    } catch (const JuliaError& e) {
      const auto& failed = evaluator_.failed_statement();
      out_.failed.push_back({{}, (failed ? failed->file + ":" + std::to_string(failed->line) + ": " : "") + e.what()});
    }
  }

  /// What compilation comes by is checked later, on its own.
  void listen(Diagnoses& d) {
    d.explain = options_.explain;
    d.on_call = [this, is_top_level = d.at_top_level](SeenCall call) {
      reached_.insert(call.code);
      call.is_outermost = call.is_outermost && is_top_level;
      waiting_.push_back(std::move(call));
    };
    d.on_unknown_call = [this](const Code& code) { unknown_.insert(&code); };
  }

  void check_waiting() {
    while (!waiting_.empty()) {
      std::vector<SeenCall> now;
      now.swap(waiting_);
      for (const SeenCall& call : now) {
        CompileCallOptions options;
        // What the host calls gives results that lie apart from the arguments.
        options.has_arguments = call.is_outermost;
        check(call, CheckedSignature::kCall, options);
      }
    }
  }

  void check(const SeenCall& call, CheckedSignature::Origin origin, CompileCallOptions options = {}) {
    CallKey key = call_key(call.callee, call.arguments, call.keywords, KeyOf::kExtents);
    if (!known_.insert(std::move(key)).second) return;
    // A function that calls itself with longer and longer vectors has signatures without end.
    constexpr int kMostSignatures = 16;
    if (origin == CheckedSignature::kCall && ++signatures_[call.code] > kMostSignatures) return;
    options.only_module = true;
    Diagnoses found = trace(call, options);
    // The first cause decides whether constants are tried, as where the call is compiled; what is left in the end with the fewest causes is said.
    bool by_numbers = false;
    Constants now = Constants::kNone;
    std::vector<NotCompiled> last = found.found;
    while (!last.empty()) {
      const auto next = more_constants(last.front(), now, call.callee, call.arguments, call.keywords, options.unfixed);
      if (!next) break;
      now = *next;
      set_constants(options, now);
      Diagnoses again = trace(call, options);
      last = again.found;
      if (again.found.size() >= found.found.size()) continue;
      found = std::move(again);
      by_numbers = true;
    }
    CheckedSignature s;
    s.definition = definition_of(call);
    s.function = s.definition.function.text();
    const bool is_object = s.function.find("::") != std::string::npos;  // a method of a type's objects
    s.signature = (is_object ? "(" + s.function + ")" : s.function) + "(";
    for (size_t i = 0; i < call.arguments.size(); ++i)
      s.signature += (i > 0 ? ", " : "") + value_text(call.arguments[i]);
    for (size_t i = 0; i < call.keywords.size(); ++i)
      s.signature += (i == 0 ? "; " : ", ") + call.keywords[i].name.text() + "::" + value_text(call.keywords[i].value);
    s.signature += ")";
    s.origin = origin;
    s.by_integers = by_numbers;
    s.status = found.found.empty() ? CheckedSignature::kCompiled : CheckedSignature::kNotCompiled;
    for (NotCompiled& e : found.found) {
      if (user_place(e) == nullptr) e.places.push_back(s.definition);
      s.causes.push_back(place_of_cause(std::move(e)));
    }
    const bool is_known = std::ranges::any_of(out_.signatures, [&](const CheckedSignature& x) {
      return x.signature == s.signature && x.definition.node == s.definition.node && x.status == s.status;
    });
    if (!is_known) out_.signatures.push_back(std::move(s));
    for (const auto& e : found.explained) explain(*e);
  }

  Diagnoses trace(const SeenCall& call, CompileCallOptions options) {
    Diagnoses found;
    listen(found);
    options.diagnoses = &found;
    if (call.code != nullptr) reached_.insert(call.code);
    try {
      trace_call(evaluator_, call.callee, call.arguments, call.keywords, options);
    } catch (NotCompiled& e) { found.add(std::move(e)); } catch (const InternalError&) {
      if (found.found.empty()) throw;
    } catch (const Error& e) { found.add(host_failure(e)); }
    return found;
  }

  size_t place_of_cause(NotCompiled e) {
    const Place* at = user_place(e);
    for (size_t i = 0; i < out_.causes.size(); ++i) {
      const Place* other = user_place(out_.causes[i]);
      const bool is_same_place = (at == nullptr) == (other == nullptr) &&
                                 (at == nullptr || (at->source == other->source && at->node == other->node));
      if (is_same_place && out_.causes[i].message == e.message) return i;
    }
    out_.causes.push_back(std::move(e));
    return out_.causes.size() - 1;
  }

  /// Each method of the program, with where it stands.
  template <class Visit>
  void for_each_method(Visit&& visit) {
    std::vector<const Method*> all;
    for (const auto& [name, table] : evaluator_.impl().functions) {
      for (const Method* m : table->methods()) all.push_back(m);
    }
    for (const Method* m : all) {
      const auto* body = static_cast<const MethodBody*>(m->body.get());
      if (body == nullptr || !body->body || body->module->is_library || m->name.text().starts_with('#')) continue;
      visit(*m, *body);
    }
  }

  Place definition_of(const SeenCall& call) {
    Place out;
    MethodTable* table = evaluator_.methods_of(call.callee);
    if (table == nullptr) return out;
    std::vector<const Type*> types = {dispatch_type(call.callee)};
    for (const Value& v : call.arguments) types.push_back(dispatch_type(v));
    const Method* found = table->find(types).method;
    if (found == nullptr) return out;
    const auto* body = static_cast<const MethodBody*>(found->body.get());
    out.function = found->name;
    if (body != nullptr && body->body) {
      out.source = body->body->source;
      out.node = body->body->node;
      out.is_library = body->module->is_library;
    }
    return out;
  }

  /// Methods that nothing calls, where their declared types say what to check.
  void add_methods() {
    std::vector<SeenCall> calls;
    for_each_method([&](const Method& m, const MethodBody& body) {
      if (is_reached(body)) return;
      const DataType* types = m.tuple();
      const auto* callee = as<DataType>(types->parameters[0]);
      if (!m.variables().empty() || callee == nullptr || !callee->is_singleton()) return;
      SeenCall call;
      call.callee = Value::singleton(callee);
      call.code = &body.body->code();
      for (const Type* t : std::span(types->parameters).subspan(1)) {
        std::optional<Value> v = sample_of_type(t);
        if (!v) return;
        call.arguments.push_back(std::move(*v));
      }
      for (const KeywordParameter& k : call.code->keywords) {
        if (k.default_value == kNoForm) return;
      }
      calls.push_back(std::move(call));
    });
    for (const SeenCall& call : calls) check(call, CheckedSignature::kDeclared);
  }

  /// Methods that were written together: with optional arguments left out, there are several.
  bool is_reached(const MethodBody& body) const {
    return std::ranges::any_of(reached_, [&](const Code* c) {
      return c == &body.body->code() || (c->source == body.body->source && is_within(*c, *body.body));
    });
  }
  static bool is_within(const Code& c, const Body& definition) {
    const Tree& tree = definition.source->tree;
    const NodeId inner = c.forms[c.body].node;
    if (inner == kNoNode || definition.node == kNoNode) return false;
    return tree[inner].begin >= tree[definition.node].begin && tree[inner].end <= tree[definition.node].end;
  }

  /// What a function refers to that Weft has not at all is there whatever types it is called with.
  std::vector<size_t> out_of_scope(const Method& m, const MethodBody& body) {
    std::vector<size_t> out;
    const Code& code = body.body->code();
    for (const Form& form : code.forms) {
      std::optional<std::string> why;
      if (form.kind == FormKind::kRefuse) why = string_of(code.constants[form.a]);
      if (form.kind == FormKind::kGlobal && find_binding(*body.module, code.globals[form.a].name) == nullptr)
        why = why_out_of_scope(code.globals[form.a].name);
      if (!why) continue;
      NotCompiled e{Cause::kOutOfScope, std::move(*why), {}, {}};
      e.places.push_back({code.source, form.node, m.name, false, {}});
      out.push_back(place_of_cause(std::move(e)));
    }
    return out;
  }

  void add_unreached() {
    for_each_method([&](const Method& m, const MethodBody& body) {
      if (is_reached(body)) return;
      CheckedSignature s;
      s.definition = {body.body->source, body.body->node, m.name, false, {}};
      s.function = s.signature = m.name.text();
      const bool is_called = unknown_.contains(&body.body->code());
      s.reason = is_called ? "it is called with values whose types are not known" : "no concrete signature";
      const auto is_same = [&](const CheckedSignature& x) {
        return x.definition.source == s.definition.source && x.definition.node == s.definition.node;
      };
      if (!std::ranges::none_of(out_.signatures, is_same)) return;
      s.causes = out_of_scope(m, body);
      out_.signatures.push_back(std::move(s));
    });
  }

  void explain(const Explained& e) {
    for (const Checked::Explanation& x : out_.explained) {
      if (x.types.signature == e.signature && x.types.code == e.code) return;
    }
    Checked::Explanation x;
    x.types = e;
    for_each_method([&](const Method& m, const MethodBody& body) {
      if (&body.body->code() == e.code) x.definition = {body.body->source, body.body->node, m.name, false, {}};
    });
    out_.explained.push_back(std::move(x));
  }

  Evaluator& evaluator_;
  const CheckOptions& options_;
  Checked out_;
  std::vector<SeenCall> waiting_;
  std::unordered_map<const Code*, int> signatures_;  // checked of each code
  std::unordered_set<CallKey, HashCallKey> known_;
  std::unordered_set<const Code*> reached_, unknown_;
};

}  // namespace

Checked check_program(Evaluator& evaluator, const std::string& text, const std::string& file,
                      const CheckOptions& options) {
  return Checker(evaluator, options).run(text, file);
}

}  // namespace weft::julia

#include "julia/infer/border/compile_intrinsics.h"

#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/border/call_cache.h"
#include "julia/infer/diagnose/call_text.h"
#include "text/print.h"
#include "transform/portable.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// f, a named tuple of keywords, arguments….
struct Given {
  const Value& f;
  Args arguments;
  std::vector<Keyword> keywords;

  Given(const Value& callee, const Value& named, Args rest) : f(callee), arguments(rest) {
    const std::vector<Symbol> names = named.type()->field_names();
    for (size_t i = 0; i < names.size(); ++i) keywords.push_back({names[i], get_field(named, i)});
  }

  CallKey key(bool fixed_integers) const {
    return call_key(f, arguments, keywords, fixed_integers ? KeyOf::kIntegers : KeyOf::kExtents);
  }
  std::string text(Evaluator& e, bool fixed_integers) const {
    return call_text(e, f, arguments, keywords, fixed_integers);
  }
};

struct CompiledFunction {
  std::unique_ptr<CompiledCall> code;
  CallKey key;
  std::vector<CallKey> globals;
  bool fixed_integers = false;
  std::string signature;
};

std::vector<CallKey> keys_of(const std::vector<Binding*>& globals) {
  std::vector<CallKey> out;
  for (const Binding* g : globals) out.push_back(call_key(g->value, {}, {}, KeyOf::kExtents));
  return out;
}

/// `make` with integers as arguments and, where sizes depend on them, as constants.
template <class Make>
auto compiled(Evaluator& e, const Given& given, CompileCallOptions options, Make&& make) {
  const auto refuse = [&](const std::string& why) {
    throw_error(given.text(e, options.fixed_integers) + " is not compiled: " + why);
  };
  for (;;) {
    try {
      return make(options);
    } catch (const NotCompiled& why) {
      const auto is_integer = [](const Value& v) { return v.is(core().int64); };
      const bool may_help = why.cause == Cause::kShape && std::ranges::any_of(given.arguments, is_integer);
      if (options.fixed_integers || !may_help) refuse(not_compiled_text(why));
      options.fixed_integers = true;
    } catch (const JuliaError&) { throw; } catch (const UserError& why) {
      refuse(why.what());
    } catch (const Unsupported& why) { refuse(why.what()); }
  }
}

/// _compile(f, keywords, arguments…).
Value compile_intrinsic(Evaluator& e, Args a) {
  const Given given(a[0], a[1], a.subspan(2));
  auto made = std::make_shared<CompiledFunction>();
  compiled(e, given, {}, [&](const CompileCallOptions& options) {
    made->code = compile_call(e, given.f, given.arguments, given.keywords, options);
    made->fixed_integers = options.fixed_integers;
    return 0;
  });
  made->key = given.key(made->fixed_integers);
  made->globals = keys_of(made->code->globals);
  made->signature = given.text(e, made->fixed_integers);
  return Value::of_object(as<DataType>(builtin_type("Base.CompiledCode")), new HostObject(std::move(made)));
}

const CompiledFunction& function_of(const Value& v) {
  return *static_cast<const CompiledFunction*>(static_cast<const HostObject*>(v.object())->contents.get());
}

/// _run_compiled(code, f, keywords, arguments…).
Value run_intrinsic(Evaluator& e, Args a) {
  const CompiledFunction& code = function_of(a[0]);
  const Given given(a[1], a[2], a.subspan(3));
  if (given.key(code.fixed_integers) != code.key) {
    const std::string got = given.text(e, code.fixed_integers);
    throw_argument_error("called as " + got + ", compiled for " + code.signature +
                         (got == code.signature ? " where other arguments are the same object" : "") +
                         "; @compile it for these arguments");
  }
  if (keys_of(code.code->globals) != code.globals)
    throw_argument_error("a global variable that " + code.signature +
                         " reads has another type or size than when it was compiled; @compile it again");
  if (std::optional<Value> v = code.code->run(given.f, given.arguments, given.keywords)) return *v;
  return e.call(given.f, given.arguments, given.keywords);
}

Value signature_intrinsic(Evaluator&, Args a) { return make_string(function_of(a[0]).signature); }

/// _code_stablehlo(f, keywords, arguments…).
Value code_intrinsic(Evaluator& e, Args a) {
  const Given given(a[0], a[1], a.subspan(2));
  CompileCallOptions options;
  options.without_checks = true;
  options.has_host = false;
  return compiled(e, given, options, [&](const CompileCallOptions& how) {
    const TracedCall traced = trace_call(e, given.f, given.arguments, given.keywords, how);
    return make_string(print_module(*portable_program(*traced.program, traced.entry)));
  });
}

constexpr IntrinsicEntry kEntries[] = {
    {"_compile", compile_intrinsic, 2, -1},
    {"_run_compiled", run_intrinsic, 3, -1},
    {"_compiled_signature", signature_intrinsic, 1, 1},
    {"_code_stablehlo", code_intrinsic, 2, -1},
};

}  // namespace

std::span<const IntrinsicEntry> compile_intrinsics() { return kEntries; }

}  // namespace weft::julia

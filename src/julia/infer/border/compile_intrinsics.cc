#include "julia/infer/border/compile_intrinsics.h"

#include "julia/host/array.h"
#include "julia/infer/border/call_cache.h"
#include "julia/infer/border/constants.h"
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

  CallKey key(Constants constants) const { return call_key(f, arguments, keywords, key_of(constants)); }
  std::string text(Evaluator& e, Constants constants) const { return call_text(e, f, arguments, keywords, constants); }
};

struct CompiledFunction {
  std::unique_ptr<CompiledCall> code;
  CallKey key;
  std::vector<CallKey> globals;
  Constants constants = Constants::kNone;
  std::string signature;
};

std::vector<CallKey> keys_of(const std::vector<Binding*>& globals) {
  std::vector<CallKey> out;
  for (const Binding* g : globals) out.push_back(call_key(g->value, {}, {}, KeyOf::kExtents));
  return out;
}

/// Refusals are exceptions of the program.
template <class Make>
auto compiled(Evaluator& e, const Given& given, const CompileCallOptions& options, Make&& make) {
  const auto refuse = [&](const std::string& why) {
    throw_error(given.text(e, Constants::kNone) + " is not compiled: " + why);
  };
  try {
    return with_constants(options, given.f, given.arguments, given.keywords, make);
  } catch (const NotCompiled& why) { refuse(not_compiled_text(why)); } catch (const JuliaError&) {
    throw;
  } catch (const UserError& why) { refuse(why.what()); } catch (const Unsupported& why) {
    refuse(why.what());
  }
  throw InternalError("neither compiled nor refused");
}

/// _compile(f, keywords, arguments…).
Value compile_intrinsic(Evaluator& e, Args a) {
  const Given given(a[0], a[1], a.subspan(2));
  auto made = std::make_shared<CompiledFunction>();
  compiled(e, given, {}, [&](const CompileCallOptions& options, Constants constants) {
    made->code = compile_call(e, given.f, given.arguments, given.keywords, options);
    made->constants = constants;
    return 0;
  });
  made->key = given.key(made->constants);
  made->globals = keys_of(made->code->globals);
  made->signature = given.text(e, made->constants);
  return Value::of_object(as<DataType>(builtin_type("Base.CompiledCode")), new HostObject(std::move(made)));
}

const CompiledFunction& function_of(const Value& v) {
  return *static_cast<const CompiledFunction*>(static_cast<const HostObject*>(v.object())->contents.get());
}

/// _run_compiled(code, f, keywords, arguments…).
Value run_intrinsic(Evaluator& e, Args a) {
  const CompiledFunction& code = function_of(a[0]);
  const Given given(a[1], a[2], a.subspan(3));
  if (given.key(code.constants) != code.key) {
    const std::string got = given.text(e, code.constants);
    throw_argument_error(
        "called as " + got + ", compiled for " + code.signature +
        (got == code.signature ? " with other values in the arguments, or where others are the same object" : "") +
        "; @compile it for these arguments");
  }
  if (keys_of(code.code->globals) != code.globals)
    throw_argument_error("a global variable that " + code.signature +
                         " reads has another type or size than when it was compiled; @compile it again");
  CompiledCall::Failure why = {};
  if (std::optional<Value> v = code.code->run(given.f, given.arguments, given.keywords, why)) return *v;
  return e.call(given.f, given.arguments, given.keywords);
}

Value signature_intrinsic(Evaluator&, Args a) { return make_string(function_of(a[0]).signature); }

/// _code_stablehlo(f, keywords, arguments…).
Value code_intrinsic(Evaluator& e, Args a) {
  const Given given(a[0], a[1], a.subspan(2));
  CompileCallOptions options;
  options.without_checks = true;
  options.has_host = false;
  return compiled(e, given, options, [&](const CompileCallOptions& how, Constants) {
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

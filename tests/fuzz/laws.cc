#include "tests/fuzz/laws.h"

#include <cstring>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "ops/scalar/num.h"
#include "reduce/rebuild.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/refine_shapes.h"
#include "transform/simplify.h"

namespace weft::fuzz {

using reduce::rebuild;
using reduce::retyped;
using reduce::Rewrite;
namespace {

bool is_nan(const Num& n) { return std::isnan(n.real) || std::isnan(n.imag); }

/// What running a program comes to.
struct Outcome {
  std::vector<Tensor> values;
  std::string printed;
  std::string refusal;  // of the user's program or of Weft, at run time
};
Outcome outcome(const Module& module, const std::vector<Tensor>& input) {
  Outcome out;
  CompileOptions options;
  options.print = [&](const std::string& text) { out.printed += text; };
  try {
    out.values = evaluate(module, "main", input, options);
  } catch (const UserError& e) { out.refusal = e.what(); } catch (const Unsupported& e) {
    out.refusal = e.what();
  }
  return out;
}

std::string difference(const Outcome& expected, const Outcome& got) {
  // Where the program fails, another order of evaluation may fail elsewhere or leave the failing op out.
  if (!expected.refusal.empty()) return {};
  if (!got.refusal.empty()) return "fails: " + got.refusal;
  if (got.printed != expected.printed) return "printed \"" + got.printed + "\", expected \"" + expected.printed + "\"";
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const Tensor &a = expected.values[i], &b = got.values.at(i);
    if (is_same(a, b)) continue;
    std::string text = "result " + std::to_string(i);
    if (a.element_type() != b.element_type() || a.shape() != b.shape()) return text + " has another type";
    for (int64_t k = 0; k < a.size(); ++k) {
      const size_t n = byte_size(a.element_type()), at = static_cast<size_t>(k) * n;
      const std::byte *x = a.buffer().data() + at, *y = b.buffer().data() + at;
      const Num p = load_num(a.raw(), a.element_type(), k), q = load_num(b.raw(), b.element_type(), k);
      if (std::memcmp(x, y, n) == 0 || (is_nan(p) && is_nan(q))) continue;
      return text + ", element " + std::to_string(k) + ": got " + print_element(a.element_type(), y) + ", expected " +
             print_element(a.element_type(), x);
    }
  }
  return {};
}

/// Every extent of an argument is open. Null where some op needs its extents.
std::shared_ptr<Module> with_open_shapes(const Module& module) {
  auto out = std::make_shared<Module>();
  Rewrite rewrite;
  rewrite.type = [](Type t) {
    const std::vector<int64_t> open(t.shape().size(), kDynamic);
    return t.with_shape(open);
  };
  rewrite.declared = [](Type t) { return t; };  // what follows from no operand
  try {
    for (const auto& f : module.functions()) {
      // Constants keep their shapes.
      Rewrite here = rewrite;
      here.attrs = [](const OpView& op, Attrs& attrs) {
        if (const Attr* value = op.attrs().find("value")) attrs.set("value", *value);
      };
      out->add(rebuild(*f, out.get(), here));
    }
    verify(*out);
  } catch (const Error&) { return nullptr; }
  return out;
}

/// "[op]" of a message, by which faults are told apart.
std::string place_in(const Error& e) {
  const std::string text = e.what();
  return text.starts_with("[") ? text.substr(0, text.find(']') + 1) : "";
}

std::string text_law(const Module& module) {
  const std::string text = print_module(module);
  std::unique_ptr<Module> again;
  try {
    again = parse_module(text, "printed.mlir");
  } catch (const Error& e) { return "text: does not read back: " + std::string(e.what()) + "\n" + text; }
  const std::string second = print_module(*again);
  if (second != text) return "text: not a fixed point:\n" + text + "\n---\n" + second;
  const std::string generic = print_module(module, {.generic = true});
  try {
    if (print_module(*parse_module(generic, "generic.mlir")) != text)
      return "text: generic form says something else:\n" + generic;
  } catch (const Error& e) {
    return "text: generic form does not read back: " + std::string(e.what()) + "\n" + generic;
  }
  return {};
}

std::string checked(const Program& program) {
  try {
    verify(*program.module);
  } catch (const UserError& e) { return "verify " + place_in(e) + ": " + e.what(); }
  if (std::string fault = text_law(*program.module); !fault.empty()) return fault;

  const auto simplified = clone_module(*program.module);
  simplify(*simplified);
  try {
    verify(*simplified);
  } catch (const UserError& e) { return "simplified does not verify " + place_in(e) + ": " + e.what(); }
  const std::string once = print_module(*simplified);
  const auto twice = clone_module(*simplified);
  simplify(*twice);
  if (const std::string text = print_module(*twice); text != once)
    return "simplify is not idempotent: once\n" + once + "twice\n" + text;

  std::shared_ptr<Module> refined = with_open_shapes(*program.module);
  const std::vector<Type> types = program.module->get("main").arg_types();
  if (refined != nullptr) {
    try {
      refine_shapes(*refined, "main", types);
      verify(*refined);
    } catch (const UserError& e) { return "refine " + place_in(e) + ": " + e.what(); } catch (const Unsupported&) {
      refined = nullptr;  // an op that nothing runs
    }
  }
  for (const auto& input : program.inputs) {
    const Outcome expected = outcome(*program.module, input);
    if (std::string d = difference(expected, outcome(*simplified, input)); !d.empty()) return "simplified: " + d;
    if (refined == nullptr || !expected.refusal.empty()) continue;
    bool is_static = true;
    for (Type t : refined->get("main").result_types()) is_static &= t.is_static();
    if (!is_static) return "refine: a result's shape stays open";
    if (std::string d = difference(expected, outcome(*refined, input)); !d.empty()) return "refined: " + d;
  }
  return {};
}

}  // namespace

bool is_same(const Tensor& a, const Tensor& b) {
  if (a.element_type() != b.element_type() || a.shape() != b.shape()) return false;
  const ElementType e = a.element_type();
  if (a.size_bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.size_bytes()) == 0) return true;
  if (!is_float(e) && !is_complex(e)) return false;
  for (int64_t i = 0; i < a.size(); ++i) {
    const size_t n = byte_size(e), at = static_cast<size_t>(i) * n;
    if (std::memcmp(a.buffer().data() + at, b.buffer().data() + at, n) == 0) continue;
    const Num p = load_num(a.raw(), e, i), q = load_num(b.raw(), e, i);
    if (!is_complex(e) && std::isnan(p.real) && std::isnan(q.real)) continue;
    const auto same_part = [](double x, double y) {
      return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
    };
    if (is_complex(e) && same_part(p.real, q.real) && same_part(p.imag, q.imag)) continue;
    return false;
  }
  return true;
}

std::string broken_law(const Program& program) {
  try {
    return checked(program);
  } catch (const InternalError& e) {
    return "internal error " + place_in(e) + ": " + e.what();
  } catch (const Error& e) {
    return "unexpected error " + place_in(e) + ": " + e.what();
  } catch (const std::exception& e) { return "exception: " + std::string(e.what()); }
}

std::string differs_on(const Target& target, const Program& program) {
  try {
    std::unique_ptr<Executable> executable;
    try {
      executable = target.compile(program.module, "main");
    } catch (const Unsupported&) { return {}; }
    for (const auto& input : program.inputs) {
      const Outcome expected = outcome(*program.module, input);
      if (!expected.refusal.empty()) continue;
      Outcome got;
      try {
        got.values = executable->run(input);
      } catch (const UserError& e) { got.refusal = e.what(); }
      got.printed = expected.printed;
      if (std::string d = difference(expected, got); !d.empty()) return "target: " + d;
    }
    return {};
  } catch (const std::exception& e) { return "target error: " + std::string(e.what()); }
}

}  // namespace weft::fuzz

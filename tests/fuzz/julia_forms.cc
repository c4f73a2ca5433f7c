#include "tests/fuzz/julia_forms.h"

#include <algorithm>
#include <vector>

#include "julia/lower/form.h"

namespace weft::fuzz {
namespace {

using namespace julia;

/// The size of the list that a form's `a` is a place in; ~0: it is none.
size_t places(const Code& code, FormKind kind) {
  switch (kind) {
    case FormKind::kConstant:
    case FormKind::kRefuse: return code.constants.size();
    case FormKind::kLocal:
    case FormKind::kSetLocal:
    case FormKind::kNewLocal:
    case FormKind::kFor:
    case FormKind::kTypeVar: return code.slots.size();
    case FormKind::kGlobal:
    case FormKind::kSetGlobal: return code.globals.size();
    case FormKind::kUnpack: return code.unpacks.size();
    case FormKind::kCall: return code.calls.size();
    case FormKind::kNamedTuple: return code.name_lists.size();
    case FormKind::kGetField:
    case FormKind::kSetField: return code.symbols.size();
    case FormKind::kMethod: return code.methods.size();
    case FormKind::kClosure: return code.closures.size();
    case FormKind::kStruct:
    case FormKind::kAbstract:
    case FormKind::kPrimitive: return code.structs.size();
    case FormKind::kModule: return code.modules.size();
    case FormKind::kImport: return code.imports.size();
    default: return ~size_t{0};
  }
}

class Checker {
 public:
  std::string check(const Code& code) {
    const std::string at = " in " + code.name.text();
    if (code.body >= code.forms.size()) return "no body" + at;
    for (FormId id = 0; id < code.forms.size(); ++id) {
      const Form& f = code.forms[id];
      for (const FormId c : code.children_of(id)) {
        if (c >= id) return "a form before its child" + at;
        if (code.forms[c].has(Form::kJumps) && !f.has(Form::kJumps) && f.kind != FormKind::kFor &&
            f.kind != FormKind::kWhile)
          return "a jump that is not passed on" + at;
      }
      if (f.a >= places(code, f.kind)) return "a place outside of its list" + at;
      if (f.kind == FormKind::kCall && code.calls[f.a].keywords.size() >= f.count) return "a call of nothing" + at;
      if (f.kind == FormKind::kNamedTuple && code.name_lists[f.a].size() != f.count) return "names without values" + at;
    }
    for (const SlotId s : code.captures) {
      if (s >= code.slots.size()) return "a capture that is no slot" + at;
    }
    if (code.slots.size() < 1 + code.arguments) return "arguments without slots" + at;
    if (code.forms.size() < 2000) form_text(code);
    for (const MethodForm& m : code.methods) {
      if (std::string fault = method(code, m, m.captures.size()); !fault.empty()) return fault;
    }
    for (const ClosureForm& c : code.closures) {
      for (const MethodForm& m : c.methods) {
        if (std::string fault = method(code, m, c.captures.size()); !fault.empty()) return fault;
      }
      for (const SlotId s : c.captures) {
        if (s >= code.slots.size()) return "a captured slot that is none" + at;
      }
    }
    for (const ModuleForm& m : code.modules) {
      if (std::string fault = check(*m.body); !fault.empty()) return fault;
    }
    return {};
  }

 private:
  std::string method(const Code& around, const MethodForm& m, size_t captures) {
    for (const FormId t : m.argument_types) {
      if (t >= around.forms.size()) return "an argument's type that is no form";
    }
    if (!m.body) return {};
    const Code& code = m.body->code();
    if (code.arguments != m.argument_types.size()) return "arguments that differ from the signature's";
    if (code.captures.size() != captures) return "captures that differ from the body's";
    if (code.type_parameters.size() != m.type_variables.size()) return "type variables that differ from the body's";
    if (code.has_vararg != m.has_vararg) return "a vararg that differs from the body's";
    // A local function that defines itself once more (`f() = f() = 1`) has itself inside of itself, each time lowered anew when it is called.
    constexpr int kDeepest = 10;
    if (depth_ == kDeepest) return {};
    ++depth_;
    std::string fault = check(code);
    --depth_;
    return fault;
  }

  int depth_ = 0;
};

}  // namespace

std::string fault_of_lowering(const std::string& text) {
  std::vector<Diagnostic> diagnostics;
  const auto code = lower_source(text, {}, diagnostics);
  if (!code) return has_errors(diagnostics) ? "" : "lowering: neither code nor an error";
  if (std::string fault = Checker().check(*code); !fault.empty()) return "lowering: " + fault;
  return {};
}

std::string fault_of_order(const Tree& tree) {
  std::vector<NodeId> first(tree.size());
  for (NodeId id = 0; id < tree.size(); ++id) {
    first[id] = tree.count(id) == 0 ? id : first[tree.child(id, 0)];
    std::vector<NodeId> children(tree.children(id).begin(), tree.children(id).end());
    std::ranges::sort(children);
    for (size_t i = 0; i < children.size(); ++i) {
      const NodeId least = i == 0 ? first[id] : children[i - 1] + 1;
      if (first[children[i]] < least || children[i] >= id) return "order: nodes apart from those they belong to";
    }
  }
  return {};
}

}  // namespace weft::fuzz

// Lowered code as text: a form is (kind detail child …), an expression of short ones on one line.
#include "julia/host/show.h"
#include "julia/lower/form.h"

namespace weft::julia {
namespace {

class FormWriter {
 public:
  explicit FormWriter(const Code& code) : code_(code) {}

  std::string lines(FormId id, size_t indent) {
    const Form& f = code_.forms[id];
    const std::string space(indent, ' ');
    switch (f.kind) {
      case FormKind::kBlock: {
        std::string out;
        for (const FormId c : code_.children_of(id)) out += lines(c, indent);
        return out.empty() ? space + "nothing\n" : out;
      }
      case FormKind::kIf: {
        std::string out = space + "if " + text(child(id, 0)) + "\n" + lines(child(id, 1), indent + 2);
        if (f.count > 2) out += space + "else\n" + lines(child(id, 2), indent + 2);
        return out + space + "end\n";
      }
      case FormKind::kWhile:
        return space + "while " + text(child(id, 0)) + "\n" + lines(child(id, 1), indent + 2) + space + "end\n";
      case FormKind::kFor:
        return space + "for " + slot(f.a) + " in " + text(child(id, 0)) + "\n" + lines(child(id, 1), indent + 2) +
               space + "end\n";
      case FormKind::kTry: {
        std::string out = space + "try\n" + lines(child(id, 0), indent + 2);
        if (!missing(child(id, 1)))
          out += space + "catch" + (f.a == kNoForm ? "" : " " + slot(f.a)) + "\n" + lines(child(id, 1), indent + 2);
        if (!missing(child(id, 2))) out += space + "else\n" + lines(child(id, 2), indent + 2);
        if (!missing(child(id, 3))) out += space + "finally\n" + lines(child(id, 3), indent + 2);
        return out + space + "end\n";
      }
      default: return space + text(id) + "\n";
    }
  }

  std::string text(FormId id) {
    const Form& f = code_.forms[id];
    switch (f.kind) {
      case FormKind::kNothing: return f.has(Form::kMissing) ? "_" : "nothing";
      case FormKind::kConstant: return show_text(code_.constants[f.a]);
      case FormKind::kLocal: return slot(f.a);
      case FormKind::kGlobal: return global(f.a);
      case FormKind::kSetLocal: return "(set " + slot(f.a) + rest(id);
      case FormKind::kSetGlobal: return std::string(f.has(Form::kConst) ? "(const " : "(set ") + global(f.a) + rest(id);
      case FormKind::kNewLocal: return "(new-local " + slot(f.a) + ")";
      case FormKind::kUnpack: {
        const UnpackForm& u = code_.unpacks[f.a];
        std::string out = "(unpack [";
        for (size_t i = 0; i < u.slots.size(); ++i) {
          out += (i > 0 ? " " : "") + (u.slots[i] == kNoForm ? "_" : slot(u.slots[i]));
          if (u.rest == static_cast<int>(i)) out += "...";
        }
        return out + "]" + rest(id);
      }
      case FormKind::kIsDefined: return "(defined?" + rest(id);
      case FormKind::kCall: return call(id);
      case FormKind::kSplat: return text(child(id, 0)) + "...";
      case FormKind::kTuple: return "(tuple" + rest(id);
      case FormKind::kNamedTuple: {
        std::string out = "(named-tuple";
        for (uint32_t i = 0; i < f.count; ++i) out += " " + code_.name_lists[f.a][i].text() + "=" + text(child(id, i));
        return out + ")";
      }
      case FormKind::kGetField: return "(. " + text(child(id, 0)) + " " + code_.symbols[f.a].text() + ")";
      case FormKind::kSetField:
        return "(set (. " + text(child(id, 0)) + " " + code_.symbols[f.a].text() + ") " + text(child(id, 1)) + ")";
      case FormKind::kNew: return "(new" + rest(id);
      case FormKind::kTypeAssert: return "(::" + rest(id);
      case FormKind::kBlock: return "(block" + rest(id);
      case FormKind::kIf: return "(if" + rest(id);
      case FormKind::kAnd: return "(&&" + rest(id);
      case FormKind::kOr: return "(||" + rest(id);
      case FormKind::kWhile: return "(while" + rest(id);
      case FormKind::kFor: return "(for " + slot(f.a) + rest(id);
      case FormKind::kBreak: return f.a == 0 ? "(break)" : "(break " + std::to_string(f.a) + ")";
      case FormKind::kContinue: return "(continue)";
      case FormKind::kReturn: return "(return" + rest(id);
      case FormKind::kTry: return "(try" + (f.a == kNoForm ? "" : " " + slot(f.a)) + rest(id);
      case FormKind::kTypeVar: return "(type-var " + slot(f.a) + rest(id);
      case FormKind::kWhere: return "(where" + rest(id);
      case FormKind::kMethod: return method(code_.methods[f.a]);
      case FormKind::kClosure: {
        const ClosureForm& c = code_.closures[f.a];
        std::string out = "(closure " + c.name.text();
        if (!c.captures.empty()) {
          out += " [";
          for (size_t i = 0; i < c.captures.size(); ++i) out += (i > 0 ? " " : "") + slot(c.captures[i]);
          out += "]";
        }
        for (const MethodForm& m : c.methods) out += " " + method(m);
        return out + ")";
      }
      case FormKind::kStruct: return type("struct", code_.structs[f.a]);
      case FormKind::kAbstract: return type("abstract", code_.structs[f.a]);
      case FormKind::kPrimitive: return type("primitive", code_.structs[f.a]);
      case FormKind::kModule: {
        const ModuleForm& m = code_.modules[f.a];
        return std::string(m.is_bare ? "(baremodule " : "(module ") + m.name.text() + "\n" +
               FormWriter(*m.body).lines(m.body->body, 2) + ")";
      }
      case FormKind::kImport: return import(code_.imports[f.a]);
      case FormKind::kRefuse: return "(refuse " + show_text(code_.constants[f.a]) + ")";
    }
    return "?";
  }

 private:
  FormId child(FormId id, size_t i) const { return code_.children_of(id)[i]; }
  bool missing(FormId id) const { return code_.forms[id].has(Form::kMissing); }
  std::string rest(FormId id) {
    std::string out;
    for (const FormId c : code_.children_of(id)) out += " " + text(c);
    return out + ")";
  }
  /// A variable; hidden ones by their number.
  std::string slot(SlotId id) const {
    const Slot& s = code_.slots[id];
    std::string out = s.name.text();
    if (s.variable >= kNotAVariable && id > code_.arguments) out += std::to_string(id);
    return s.is_boxed ? out + "°" : out;
  }
  std::string global(uint32_t i) const {
    const GlobalName& g = code_.globals[i];
    return (g.in_base ? "Base." : "Main.") + g.name.text();
  }
  std::string call(FormId id) {
    const Form& f = code_.forms[id];
    const CallSite& site = code_.calls[f.a];
    const size_t positional = f.count - site.keywords.size();
    std::string out = "(";
    for (uint32_t i = 0; i < f.count; ++i) {
      if (i > 0) out += " ";
      if (i >= positional) {
        const Symbol name = site.keywords[i - positional];
        out += name ? name.text() + "=" + text(child(id, i)) : text(child(id, i)) + "...";
      } else {
        out += text(child(id, i));
      }
    }
    return out + ")";
  }
  std::string method(const MethodForm& m) {
    std::string out = "(method ";
    if (m.how == MethodForm::Callee::kType) out += "::";
    out += m.callee == kNoForm ? m.name.text() : text(m.callee);
    for (const FormId v : m.type_variables) out += " " + text(v);
    for (size_t i = 0; i < m.argument_types.size(); ++i) {
      out += " " + m.argument_names[i].text() + "::" + text(m.argument_types[i]);
      if (m.has_vararg && i + 1 == m.argument_types.size())
        out += m.vararg_count == kNoForm ? "..." : "..." + text(m.vararg_count);
    }
    for (const Symbol k : m.keywords) out += " ;" + k.text();
    return out + ")";
  }
  std::string type(std::string_view head, const StructForm& s) {
    std::string out = "(" + std::string(s.is_mutable ? "mutable-" : "") + std::string(head) + " " + s.name.text();
    for (const FormId v : s.type_variables) out += " " + text(v);
    if (s.super != kNoForm) out += " <: " + text(s.super);
    if (s.bits > 0) out += " " + std::to_string(s.bits);
    for (size_t i = 0; i < s.field_names.size(); ++i) {
      out += " " + std::string(s.field_is_const[i] ? "const " : "") + s.field_names[i].text() +
             "::" + text(s.field_types[i]);
    }
    if (s.fields_left_out > 0) out += " left-out=" + std::to_string(s.fields_left_out);
    if (s.inner != kNoForm) out += " " + text(s.inner);
    return out + ")";
  }
  static std::string path(const ImportForm::Path& p) {
    std::string out(static_cast<size_t>(p.dots), '.');
    for (size_t i = 0; i < p.names.size(); ++i) out += (i > 0 ? "." : "") + p.names[i].text();
    return p.as ? out + " as " + p.as.text() : out;
  }
  static std::string import(const ImportForm& i) {
    constexpr std::string_view heads[] = {"using", "import", "export", "public"};
    std::string out = "(" + std::string(heads[static_cast<size_t>(i.what)]);
    if (i.has_from) out += " " + path(i.from) + ":";
    for (const ImportForm::Path& p : i.paths) out += " " + path(p);
    return out + ")";
  }

  const Code& code_;
};

}  // namespace

std::string form_text(const Code& code) {
  std::string out;
  for (const SlotId s : code.boxed_arguments) out += "box " + code.slots[s].name.text() + "\n";
  FormWriter writer(code);
  for (const KeywordParameter& k : code.keywords) {
    out += "keyword " + k.name.text();
    if (k.type != kNoForm) out += "::" + writer.text(k.type);
    if (k.default_value != kNoForm) out += " = " + writer.text(k.default_value);
    out += "\n";
  }
  return out + writer.lines(code.body, 0);
}

}  // namespace weft::julia

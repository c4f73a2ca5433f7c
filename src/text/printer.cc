#include "text/printer.h"

#include <charconv>

#include "ops/foreign/foreign.h"
#include "text/attribute_names.h"
#include "text/forms.h"
#include "text/literals.h"
#include "text/print.h"

namespace weft {
namespace text {

void Printer::newline() {
  out += '\n';
  out.append(static_cast<size_t>(indent_) * 2, ' ');
}

void Printer::type(Type t) {
  auto [it, inserted] = type_text_.try_emplace(t);
  if (inserted) it->second = t.str();
  out += it->second;
}

void Printer::types(std::span<const Value> vs) {
  for (size_t i = 0; i < vs.size(); ++i) {
    if (i) out += ", ";
    type(function_->type(vs[i]));
  }
}

void Printer::value(Value v) {
  const int64_t name = v.index < names_.size() ? names_[v.index] : kUnnamed;
  if (name == kUnnamed) {
    out += "%<not defined>";
  } else if (name < 0) {
    out += "%arg";
    append_int(out, ~name);
  } else {
    out += '%';
    append_int(out, name);
    const OpId op = function_->defining_op(v);
    if (function_->num_results(op) > 1) {
      out += '#';
      append_int(out, function_->position(v));
    }
  }
}

void Printer::values(std::span<const Value> vs) {
  for (size_t i = 0; i < vs.size(); ++i) {
    if (i) out += ", ";
    value(vs[i]);
  }
}

void Printer::functional_type(const OpView& op) {
  out += " : (";
  types(op.operands());
  out += ") -> ";
  const std::vector<Value> results = op.function.results(op.id);
  // A lone result needs no parentheses.
  if (results.size() != 1) out += '(';
  types(results);
  if (results.size() != 1) out += ')';
}

void Printer::elementwise_types(const OpView& op) {
  if (op.def().mnemonic.starts_with("chlo.broadcast_")) return functional_type(op);
  if (op.def().mnemonic.starts_with("chlo.")) {
    // chlo's notation: t, t -> t
    out += " : ";
    types(op.operands());
    out += " -> ";
    types(op.function.results(op.id));
    return;
  }
  bool same = op.num_results() == 1 && takes_one_type(op.def().mnemonic);
  for (size_t i = 0; i < op.num_operands() && same; ++i) same = op.operand_type(i) == op.result_type();
  if (!same) return functional_type(op);
  out += " : ";
  type(op.result_type());
}

void Printer::int_list(std::span<const int64_t> v) {
  out += '[';
  for (size_t i = 0; i < v.size(); ++i) {
    if (i) out += ", ";
    append_int(out, v[i]);
  }
  out += ']';
}

void Printer::pair_list(std::span<const int64_t> v) {
  out += '[';
  for (size_t i = 0; i + 1 < v.size(); i += 2) {
    if (i) out += ", ";
    int_list(v.subspan(i, 2));
  }
  out += ']';
}

void Printer::share_names(RegionId from, RegionId to) {
  const auto source = function_->args(from), target = function_->args(to);
  for (size_t i = 0; i < source.size(); ++i) names_[target[i].index] = names_[source[i].index];
}

void Printer::name_args(RegionId r) {
  for (Value v : function_->args(r)) {
    if (names_[v.index] == kUnnamed) names_[v.index] = ~next_arg_++;
  }
}

void Printer::region(RegionId r, bool with_args) {
  name_args(r);
  out += '{';
  const auto args = function_->args(r);
  if (with_args && !args.empty()) {
    newline();
    out += "^bb0(";
    for (size_t i = 0; i < args.size(); ++i) {
      if (i) out += ", ";
      value(args[i]);
      out += ": ";
      type(function_->type(args[i]));
    }
    out += "):";
  }
  ++indent_;
  for (OpId id : function_->ops(r)) op(id);
  --indent_;
  newline();
  out += '}';
}

void Printer::op(OpId id) {
  const OpView view{*function_, id};
  newline();
  const size_t results = view.num_results();
  if (results > 0) {
    const int64_t number = next_result_++;
    for (size_t i = 0; i < results; ++i) names_[view.result(i).index] = number;
    out += '%';
    append_int(out, number);
    if (results > 1) {
      out += ':';
      append_int(out, static_cast<int64_t>(results));
    }
    out += " = ";
  }
  if (generic_ || !pretty_op(view)) generic_op(view);
}

bool Printer::pretty_op(const OpView& op) {
  const std::string_view mnemonic = op.def().mnemonic;
  const size_t start = out.size();
  if (const Form* form = find_form(mnemonic)) {
    if (form->print == nullptr) return false;
    if (form->print(*this, op)) return true;
    out.resize(start);
    return false;
  }
  const ClauseForm* clauses = find_clauses(mnemonic);
  if (clauses != nullptr) {
    std::vector<std::string_view> said;
    *this << mnemonic;
    bool first = true;
    for (size_t i = 0; i < op.num_operands(); ++i) {
      out += first ? " " : ", ";
      first = false;
      value(op.operand(i));
    }
    for (const Clause& clause : clauses->clauses) {
      const Attr* a = op.attrs().find(clause.attribute);
      const bool fits =
          a != nullptr && (clause.is_list ? a->get_if<Attr::Ints>() != nullptr : a->get_if<int64_t>() != nullptr);
      if (!fits) {
        out.resize(start);
        return false;
      }
      *this << (first ? " " : ", ") << clause.word << " = ";
      first = false;
      if (clause.is_list) {
        int_list(*a->get_if<Attr::Ints>());
      } else {
        append_int(out, *a->get_if<int64_t>());
      }
      said.push_back(clause.attribute);
    }
    said.resize(3);
    other_attributes(op, {said[0], said[1], said[2]});
    elementwise_types(op);
    return true;
  }
  const Syntax syntax = record(op).syntax;
  if (!op.regions().empty() || op.num_results() != 1 || (syntax != Syntax::kElementwise && syntax != Syntax::kClauses))
    return false;
  *this << mnemonic << (op.num_operands() ? " " : "");
  values(op.operands());
  other_attributes(op, {});
  elementwise_types(op);
  return true;
}

void Printer::generic_op(const OpView& op) {
  const std::string_view mnemonic = op.def().mnemonic;
  *this << "\"" << mnemonic << "\"(";
  values(op.operands());
  out += ')';
  // Ops of no dialect that MLIR knows keep all attributes in the one dictionary that it reads for them.
  const bool has_properties = !mnemonic.starts_with("weft.");
  if (has_properties) {
    if (const auto entries = entries_of(op, op.attrs(), {}, true, false); !entries.empty()) {
      out += " <";
      const size_t at = out.size();
      braced(entries);
      out.erase(at, 1);  // braced() begins with a space
      out += '>';
    }
  }
  if (const Attr* properties = op.attrs().find(kForeignProperties)) {
    out += " <";
    attribute(*properties);
    out += '>';
  }
  if (!op.regions().empty()) {
    out += " (";
    for (size_t i = 0; i < op.regions().size(); ++i) {
      if (i) out += ", ";
      region(op.region(i), true);
    }
    out += ')';
  }
  braced(entries_of(op, op.attrs(), {}, !has_properties, true));
  functional_type(op);
}

void Printer::generic_function(const Function& f) {
  out += "\"func.func\"() <{function_type = (";
  types(f.args());
  out += ") -> ";
  const std::vector<Type> results = f.result_types();
  if (results.size() != 1) out += '(';
  for (size_t i = 0; i < results.size(); ++i) {
    if (i) out += ", ";
    type(results[i]);
  }
  if (results.size() != 1) out += ')';
  out += ", sym_name = ";
  string(f.name());
  if (!f.is_public()) out += ", sym_visibility = \"private\"";
  const auto list = [&](std::string_view key, const std::vector<Attrs>& attrs) {
    bool any = false;
    for (const Attrs& a : attrs) any |= !a.entries().empty();
    if (!any) return;
    *this << ", " << key << " = [";
    for (size_t i = 0; i < attrs.size(); ++i) {
      if (i) out += ", ";
      dictionary(attrs[i]);
    }
    out += ']';
  };
  list("arg_attrs", f.arg_attrs());
  list("res_attrs", f.result_attrs());
  out += "}> (";
  if (f.is_declaration()) {
    out += "{}";
  } else {
    region(f.body(), true);
  }
  out += ')';
  if (!f.attrs().entries().empty()) {
    out += ' ';
    dictionary(f.attrs());
  }
  out += " : () -> ()";
}

void Printer::function(const Function& f) {
  function_ = &f;
  names_.assign(f.num_values(), kUnnamed);
  next_result_ = next_arg_ = 0;
  name_args(f.body());
  newline();
  if (generic_) return generic_function(f);
  out += "func.func ";
  if (!f.is_public()) out += "private ";
  symbol(f.name());
  out += '(';
  const auto args = f.args();
  const auto attributes = [&](const std::vector<Attrs>& attrs, size_t i) {
    if (i >= attrs.size() || attrs[i].entries().empty()) return;
    out += ' ';
    dictionary(attrs[i]);
  };
  for (size_t i = 0; i < args.size(); ++i) {
    if (i) out += ", ";
    if (!f.is_declaration()) {
      value(args[i]);
      out += ": ";
    }
    type(f.type(args[i]));
    attributes(f.arg_attrs(), i);
  }
  out += ')';
  const std::vector<Type> results = f.result_types();
  if (!results.empty()) {
    bool has_attributes = false;
    for (size_t i = 0; i < std::min(results.size(), f.result_attrs().size()); ++i)
      has_attributes |= !f.result_attrs()[i].entries().empty();
    const bool parentheses = results.size() > 1 || has_attributes;
    out += parentheses ? " -> (" : " -> ";
    for (size_t i = 0; i < results.size(); ++i) {
      if (i) out += ", ";
      type(results[i]);
      attributes(f.result_attrs(), i);
    }
    if (parentheses) out += ')';
  }
  if (!f.attrs().entries().empty()) {
    out += " attributes ";
    dictionary(f.attrs());
  }
  if (f.is_declaration()) return;
  out += ' ';
  region(f.body(), false);
}

void Printer::module(const Module& m) {
  op_of_module(m);
  out += '\n';
}

void Printer::op_of_module(const Module& m) {
  if (generic_) {
    out += "\"builtin.module\"() ";
    if (!m.name.empty()) {
      out += "<{sym_name = ";
      string(m.name);
      out += "}> ";
    }
    out += "({";
    // Without ops only a label says that there is a block.
    if (m.functions().empty() && m.nested.empty() && m.foreign_ops.empty()) out += "\n^bb0:";
  } else {
    out += "module ";
    if (!m.name.empty()) {
      symbol(m.name);
      out += ' ';
    }
    if (!m.attrs.entries().empty()) {
      out += "attributes ";
      dictionary(m.attrs);
      out += ' ';
    }
    out += '{';
  }
  ++indent_;
  for (const std::string& op : m.foreign_ops) {
    newline();
    out += op;
  }
  for (const auto& f : m.functions()) function(*f);
  for (const auto& inner : m.nested) {
    newline();
    op_of_module(*inner);
  }
  --indent_;
  newline();
  out += '}';
  if (generic_) {
    out += ") ";
    if (!m.attrs.entries().empty()) {
      dictionary(m.attrs);
      out += ' ';
    }
    out += ": () -> ()";
  }
}

}  // namespace text

std::string print_module(const Module& module, const PrintOptions& options) {
  text::Printer printer(options.generic);
  printer.module(module);
  return std::move(printer.out);
}

std::string print_function(const Function& function, const PrintOptions& options) {
  text::Printer printer(options.generic);
  printer.function(function);
  printer.out += '\n';
  return printer.out.substr(printer.out.starts_with('\n') ? 1 : 0);
}

std::string print_element(ElementType type, const void* element) {
  std::string out;
  text::append_element(out, type, static_cast<const std::byte*>(element));
  return out;
}

std::string print_literal(const Literal& literal) {
  std::string out;
  text::append_dense(out, literal);
  return out + " : " + literal.type.str();
}

}  // namespace weft

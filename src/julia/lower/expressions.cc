// Expressions: names, literals, operators that are syntax.
#include "julia/host/literal.h"
#include "julia/lower/lowerer.h"
#include "julia/syntax/literals.h"

namespace weft::julia {

FormId Lowerer::lower(NodeId id, Use use) {
  const NodeId outside = at_;
  at_ = id;
  const FormId f = lower_kind(id, use);
  at_ = outside;
  return f;
}

std::vector<FormId> Lowerer::lower_all(std::span<const NodeId> ids) {
  std::vector<FormId> out;
  out.reserve(ids.size());
  for (const NodeId id : ids) {
    if (is(id, Kind::kSplat)) {
      out.push_back(form(FormKind::kSplat, 0, {lower(child(id, 0))}));
    } else {
      out.push_back(lower(id));
    }
  }
  return out;
}

FormId Lowerer::lower_kind(NodeId id, Use use) {
  if (is_dotted(id)) return broadcast(tree().unparen(id));
  switch (kind(id)) {
    case Kind::kIdentifier:
    case Kind::kVarName: return is_index_word(id) ? index_word(id) : name(id);
    case Kind::kOperator: return global(std::string(tree().text(id)));  // & and <: as values
    case Kind::kPlaceholder: return form(FormKind::kNothing);
    case Kind::kBool:
    case Kind::kInteger:
    case Kind::kBinInt:
    case Kind::kHexInt:
    case Kind::kOctInt:
    case Kind::kFloat:
    case Kind::kFloat32:
    case Kind::kCharLiteral: return literal(id);
    case Kind::kToplevel:
    case Kind::kBlock: return sequence(children(id), use);
    case Kind::kParens: return count(id) == 1 ? lower(child(id, 0), use) : refuse("these parentheses");
    case Kind::kDoc: return lower(child(id, 1), use);
    case Kind::kCall: return lower_call(id);
    case Kind::kMacroCall: return macro(id, use);
    case Kind::kComparison: return comparison(id);
    case Kind::kJuxtapose: return juxtaposition(id);
    case Kind::kAssign: return dots_ ? broadcast_assign(id) : assign(id, use);
    case Kind::kOpAssign: return dots_ ? broadcast_assign(id) : op_assign(id, use);
    case Kind::kDotAssign:
    case Kind::kDotOpAssign: return broadcast_assign(id);
    case Kind::kTernary:
    case Kind::kIf:
    case Kind::kElseif: return if_form(id, use);
    case Kind::kAndAnd: return form(FormKind::kAnd, 0, {lower(child(id, 0)), lower(child(id, 1), use)});
    case Kind::kOrOr: return form(FormKind::kOr, 0, {lower(child(id, 0)), lower(child(id, 1), use)});
    case Kind::kSubtype:
    case Kind::kSupertype: {
      if (tree()[id].has(Node::kPrefixOp)) return refuse("a type bound outside of a type's parameters");
      const FormId op = global(is(id, Kind::kSubtype) ? "<:" : ">:");
      return call(op, {lower(child(id, 0)), lower(child(id, 1))});
    }
    case Kind::kDeclare:
      if (!tree()[id].has(Node::kInfix)) return refuse("`::` without a value");
      return form(FormKind::kTypeAssert, 0, {lower(child(id, 0)), lower(child(id, 1))});
    case Kind::kLambda: return closure(id);
    case Kind::kWhere: return where(id);
    case Kind::kDot: return field_access(id);
    case Kind::kTuple: return tuple_literal(id);
    case Kind::kVect: return vector(id);
    case Kind::kHcat:
    case Kind::kVcat:
    case Kind::kNcat:
    case Kind::kTypedHcat:
    case Kind::kTypedVcat:
    case Kind::kTypedNcat: return concatenation(id);
    case Kind::kRef: return index(id);
    case Kind::kCurly: return curly(id);
    case Kind::kComprehension:
    case Kind::kTypedComprehension: return comprehension(id);
    case Kind::kGenerator: return generator(id);
    case Kind::kStringLiteral: return text(id);
    case Kind::kQuoteExpr: return quoted(id);
    case Kind::kWhile: return while_form(id);
    case Kind::kFor: return for_form(id);
    case Kind::kLet: return let_form(id, use);
    case Kind::kTry: return try_form(id, use);
    case Kind::kReturn: return return_form(id);
    case Kind::kBreak:
    case Kind::kContinue: return jump(id);
    case Kind::kFunction: return function(id);
    case Kind::kStruct: return struct_form(id);
    case Kind::kAbstract:
    case Kind::kPrimitive: return abstract_form(id);
    case Kind::kModule: return module_form(id);
    case Kind::kGlobal:
    case Kind::kLocal:
    case Kind::kConst: return declaration(id, use);
    case Kind::kImport:
    case Kind::kUsing: return import_form(id);
    case Kind::kExport:
    case Kind::kPublic: return export_form(id);
    case Kind::kInterpolate:
      if (dots_) {
        dots_ = false;
        const FormId f = lower(child(id, 0));
        dots_ = true;
        return f;
      }
      return refuse("`$` outside of a string");
    case Kind::kMacro: return refuse("macros of a program's own: write a function instead");
    case Kind::kCmdLiteral: return refuse("commands: Weft's programs start no others");
    case Kind::kBraces:
    case Kind::kBracesCat: return refuse("{ } outside of type parameters");
    case Kind::kAddress: return refuse("`&` before an operand");
    case Kind::kLongArrow: return refuse("the operator -->");
    case Kind::kColonAssign:
    case Kind::kAssignLike: return refuse("this assignment operator");
    default: return refuse("this syntax: " + std::string(tree().text(id)));
  }
}

FormId Lowerer::name(NodeId id) {
  const VariableId v = variable_of(id);
  const Symbol symbol = name_of(id);
  if (v < kNotAVariable) return local(slot_of(v));
  if (const auto it = field_slots_.find(symbol); it != field_slots_.end()) return local(it->second);
  if (is_underscore(id))
    return refuse("all-underscore identifiers are write-only and their values cannot be used in expressions");
  return global(symbol);
}

FormId Lowerer::literal(NodeId id) {
  try {
    return constant(literal_value(tree(), id));
  } catch (const Unsupported& e) { return refuse(e.what()); }
}

/// :x, and quoted literals, which stand for themselves.
FormId Lowerer::quoted(NodeId id) {
  if (tree()[id].has(Node::kForm) && count(id) == 1) {
    const NodeId inner = tree().unparen(child(id, 0));
    if (is_identifier(inner) || is_index_word(inner)) return constant(Value::of_symbol(name_of(inner)));
    if (is_number(kind(inner)) || is(inner, Kind::kCharLiteral) || is(inner, Kind::kStringLiteral)) return lower(inner);
    if (is_leaf(kind(inner))) return constant(Value::of_symbol(std::string(tree().text(inner))));
    if (is(inner, Kind::kDot) && count(inner) == 1)
      return constant(Value::of_symbol("." + name_of(child(inner, 0)).text()));
  }
  return refuse("quoted code: Weft has no expressions as values, only symbols");
}

FormId Lowerer::field_access(NodeId id) {
  if (count(id) == 1) return base_call("BroadcastFunction", {operator_name(child(id, 0))});  // .+ alone
  NodeId name = child(id, 1);
  const FormId object = lower(child(id, 0));
  if (is(name, Kind::kQuoteExpr)) name = tree().unparen(child(name, 0));
  if (is_identifier(name)) return field(object, name_of(name));
  if (is_leaf(kind(name))) return field(object, std::string(tree().text(name)));
  if (is(name, Kind::kStringLiteral)) return base_call("getproperty", {object, text(name)});
  return refuse("a field's name that is computed: use getfield");
}

FormId Lowerer::sequence(std::span<const NodeId> statements, Use use, std::vector<FormId> before) {
  for (size_t i = 0; i < statements.size(); ++i)
    before.push_back(lower(statements[i], i + 1 < statements.size() ? Use::kEffect : use));
  if (statements.empty() && !before.empty()) before.push_back(form(FormKind::kNothing));
  if (before.empty()) return form(FormKind::kNothing);
  return block(before);
}

FormId Lowerer::juxtaposition(NodeId id) { return call(global("*"), lower_all(children(id))); }

/// a < b <= c: each operand is evaluated once, and none after a comparison that fails.
FormId Lowerer::comparison(NodeId id) {
  const auto operands = children(id);
  FormId left = lower(operands[0]);
  FormId result = kNoForm;
  std::vector<FormId> parts;
  for (size_t i = 1; i + 1 < operands.size(); i += 2) {
    const FormId op = operator_name(operands[i]);
    FormId right = lower(operands[i + 1]);
    FormId again = right;
    if (i + 2 < operands.size() && code_.forms[right].kind != FormKind::kConstant) {
      const SlotId t = temporary();
      right = set_local(t, right);
      again = local(t);
    }
    parts.push_back(call(op, {left, right}));
    left = again;
  }
  for (size_t i = parts.size(); i-- > 0;)
    result = result == kNoForm ? parts[i] : form(FormKind::kAnd, 0, {parts[i], result});
  return result;
}

/// An operator as a function: +, or the + of .+.
FormId Lowerer::operator_name(NodeId id) {
  if (is(id, Kind::kDot) && count(id) == 1) id = child(id, 0);
  if (is(id, Kind::kDot) || is(id, Kind::kParens) || !is_leaf(kind(id))) return lower(id);
  if (is_identifier(id)) return name(id);
  return global(std::string(tree().text(id)));
}

FormId Lowerer::tuple_literal(NodeId id) {
  const auto elements = children(id);
  const bool named = !elements.empty() && (is(elements.back(), Kind::kParameters) ||
                                           (tree()[id].has(Node::kForm) && is(elements[0], Kind::kAssign)));
  if (!named) return tuple(lower_all(elements));
  std::vector<NodeId> entries;
  for (const NodeId e : elements) {
    if (is(e, Kind::kParameters)) {
      entries.insert(entries.end(), children(e).begin(), children(e).end());
    } else {
      entries.push_back(e);
    }
  }
  return named_tuple(entries);
}

/// (a = 1, b), (; a, x.b, :c => 2, more...).
FormId Lowerer::named_tuple(std::span<const NodeId> entries) {
  std::vector<Symbol> names;
  std::vector<FormId> values;
  FormId merged = kNoForm;  // what came before a splat
  const auto flush = [&] {
    if (names.empty() && merged != kNoForm) return;
    const FormId part = form(FormKind::kNamedTuple, name_list(names), values);
    merged = merged == kNoForm ? part : base_call("merge", {merged, part});
    names.clear();
    values.clear();
  };
  for (const NodeId e : entries) {
    if (is(e, Kind::kAssign) && is_identifier(child(e, 0))) {
      names.push_back(name_of(child(e, 0)));
      values.push_back(lower(child(e, 1)));
    } else if (is_identifier(e)) {
      names.push_back(name_of(e));
      values.push_back(lower(e));
    } else if (is(e, Kind::kDot) && count(e) == 2 && is_identifier(child(e, 1))) {
      names.push_back(name_of(child(e, 1)));
      values.push_back(lower(e));
    } else if (is(e, Kind::kSplat)) {
      flush();
      merged = base_call("merge", {merged, lower(child(e, 0))});
    } else if (is(e, Kind::kCall) && tree()[e].has(Node::kInfix) && name_of(child(e, 1)) == Symbol("=>")) {
      flush();
      merged = base_call("merge", {merged, base_call("vect", {lower(e)})});
    } else {
      return refuse("this entry of a named tuple");
    }
  }
  flush();
  return merged;
}

/// A string; pieces between interpolations that follow each other are one.
FormId Lowerer::text(NodeId id) {
  std::vector<FormId> pieces;
  std::string piece;
  const auto flush = [&] {
    if (!piece.empty()) pieces.push_back(text_constant(std::exchange(piece, {})));
  };
  for (const NodeId c : children(id)) {
    if (is(c, Kind::kString)) {
      piece += string_value(tree(), c);
    } else {
      flush();
      pieces.push_back(lower(c));
    }
  }
  if (pieces.empty()) return text_constant(piece);
  flush();
  return base_call("string", pieces);
}

}  // namespace weft::julia

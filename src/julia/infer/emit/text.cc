// Texts and printing: the host makes and writes them, from numbers that the program hands it.
#include <algorithm>
#include <cmath>

#include "julia/host/array.h"
#include "julia/infer/border/packed.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/texts.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;
using How = Abstract::Kind;

Abstract text(std::string_view s) { return Abstract::of_constant(make_string(std::string(s))); }

Abstract standard_out(Compiler& c) {
  return Abstract::of_constant(c.evaluator().base().bindings.at(Symbol("stdout"))->value);
}

/// Text with a {} for each number, which joins `numbers`; false: it holds something else.
bool add_message(Compiler& c, const Abstract& a, std::string& message, std::vector<IrValue>& numbers) {
  if (a.is_constant()) {
    const std::string part = string_of(c.evaluator().call_base("string", {a.constant}));
    message += part;
    return part.find("{}") == std::string::npos;
  }
  if (a.kind == How::kScalar) {
    message += "{}";
    numbers.push_back(a.ir);
    return true;
  }
  const Value joined = c.evaluator().impl().intrinsic_value("_string");
  if (!is_text(a) || !is_identical(a.fields[0].constant, joined)) return false;
  return std::all_of(a.fields.begin() + 1, a.fields.end(),
                     [&](const Abstract& f) { return add_message(c, f, message, numbers); });
}

/// In a program that runs without us: its own text, with numbers as it shows them.
void print_alone(Compiler& c, const Abstract& io, Args values) {
  std::string message;
  std::vector<IrValue> numbers;
  const bool is_plain =
      is_identical(io.constant, standard_out(c).constant) &&
      std::ranges::all_of(values, [&](const Abstract& a) { return add_message(c, a, message, numbers); });
  if (!is_plain) {
    c.fail(Cause::kUnsupported,
           "printing anything but constant text and numbers to stdout in a program that runs without the host");
  }
  Attrs attrs;
  attrs.set("message", Attr(message));
  c.b().create("weft.print", numbers, std::move(attrs));
}

/// A call of the host's function in the program's place and order.
void call_host(Compiler& c, std::string_view intrinsic, Args arguments) {
  if (c.is_on_whole()) c.fail(Cause::kUnsupported, "printing in a function of elements");
  Packer packer{c};
  packer.add(Abstract::of_constant(c.evaluator().impl().intrinsic_value(intrinsic)));
  for (const Abstract& a : arguments) packer.add(a);
  for (const HeapObject& o : packer.out.objects) {
    if (o.is_array && o.dims.is_open()) c.fail(Cause::kShape, "printing an array with open extents");
  }
  Attrs attrs;
  attrs.set("message", Attr(std::string()));
  attrs.set("site", Attr(static_cast<int64_t>(c.prints()->size())));
  c.prints()->push_back(packer.out);
  c.b().create("weft.print", packer.out.leaves, std::move(attrs));
}

/// The process's own streams only: others would have to take back what a call that fails has written.
void check_stream(Compiler& c, const Abstract& io) {
  if (io.is_constant() && io.type->name->name == Symbol("TTY")) return;
  c.fail(Cause::kUnsupported, "writing to a " + type_text(io.type), "print to stdout or stderr, or return the values");
}

Abstract print_values(Compiler& c, const Abstract& io, Args values, bool newline) {
  check_stream(c, io);
  std::vector<Abstract> row = {io};
  const auto write = [&] {
    if (row.size() == 1) return;
    if (c.prints() == nullptr) print_alone(c, io, Args(row).subspan(1));
    else call_host(c, "_print", row);
    row.resize(1);
  };
  for (const Abstract& v : values) {
    if (!v.is_defined()) c.fail(Cause::kWidening, "what is printed would have values of two types");
    const bool is_plain = v.type == core().string || v.type == core().char_ || v.type == core().symbol ||
                          number_kind(v.type) || (v.is_constant() && v.constant.is_type());
    if (!is_plain && has_own_show(c, v.type, false)) {
      // The program's own method is part of it.
      write();
      c.call_base("print", {io, v});
      continue;
    }
    check_printable(c, v, false);
    row.push_back(v);
  }
  if (newline) row.push_back(text("\n"));
  write();
  return Abstract::nothing();
}

Abstract print_to(Compiler& c, Args a) {
  // print(io, x) of a value with a method of show alone.
  if (a.size() == 2 && a[1].is_defined() && !is_text(a[1]) && a[1].type != core().string && !number_kind(a[1].type) &&
      has_own_show(c, a[1].type, false)) {
    check_stream(c, a[0]);
    return c.call_base("show", {a[0], a[1]});
  }
  return print_values(c, a[0], a.subspan(1), false);
}
Abstract println_to(Compiler& c, Args a) { return print_values(c, a[0], a.subspan(1), true); }
Abstract print_out(Compiler& c, Args a) { return print_values(c, standard_out(c), a, false); }
Abstract println_out(Compiler& c, Args a) { return print_values(c, standard_out(c), a, true); }

Abstract show_with(Compiler& c, std::string_view intrinsic, Args a, bool plain) {
  check_stream(c, a[0]);
  if (c.prints() == nullptr)
    c.fail(Cause::kUnsupported, "`show` in a program that runs without the host", "print numbers and constant text");
  check_printable(c, a[1], plain);
  call_host(c, intrinsic, a);
  return Abstract::nothing();
}
Abstract show_to(Compiler& c, Args a) { return show_with(c, "_show", a, false); }
Abstract show_plain(Compiler& c, Args a) { return show_with(c, "_show_plain", a, true); }
Abstract display(Compiler& c, Args a) {
  if (c.prints() == nullptr) c.fail(Cause::kUnsupported, "`display` in a program that runs without the host");
  check_printable(c, a[0], true);
  call_host(c, "_display", a);
  return Abstract::nothing();
}

// ---- texts

template <size_t n>
struct Name {
  char letters[n];
  constexpr Name(const char (&s)[n]) { std::copy_n(s, n, letters); }  // NOLINT(google-explicit-constructor)
};

template <Name name>
Abstract text_by(Compiler& c, Args a) {
  return make_text(c, name.letters, a);
}

bool is_string(const Abstract& a) { return a.type == core().string; }

/// What a format cannot print is to be known before the program runs: a text that nobody looks at is never made.
Abstract printf_text(Compiler& c, Args a) {
  std::vector<Value> samples;
  for (const Abstract& x : a) {
    const auto kind = number_kind(x.type);
    if (x.is_constant()) samples.push_back(x.constant);
    else if (kind && is_float(*kind)) samples.push_back(convert_number(*kind, number(std::nan(""))));
    else if (kind) samples.push_back(convert_number(*kind, number(int64_t{0})));
    else if (is_string(x)) samples.push_back(make_string(""));
    else samples.push_back(nothing());
  }
  const bool has_stars =
      is_string(a[0]) && a[0].is_constant() && string_of(a[0].constant).find('*') != std::string::npos;
  try {
    if (!a[0].is_constant() || has_stars)
      c.fail(Cause::kUnsupported, "a format that is not known before the program runs");
    c.evaluator().call(c.evaluator().impl().intrinsic_value("_printf_text"), samples);
  } catch (const JuliaError&) {
    c.fail(Cause::kUnsupported, "a format that not all values of these types can be printed with");
  }
  return make_text(c, "_printf_text", a);
}

Abstract text_in_base(Compiler& c, Args a) {
  if (!a[1].is_constant()) c.fail(Cause::kUnsupported, "digits in a base that is known only when the program runs");
  return make_text(c, "_based_text", a);
}

Abstract text_with_case(Compiler& c, Args a) {
  if (!is_string(a[0])) c.fail(Cause::kUnsupported, "characters that are known only when the program runs");
  return make_text(c, "_char_case", a);
}

Abstract repeated_text(Compiler& c, Args a) {
  const Num n = num(c, a[1]);
  check_all(c, compare2(c, n.v, int_like(c, n.v, 0), "GE"),
            "ArgumentError: can't repeat a text a negative number of times");
  return make_text(c, "_str_repeat", a);
}

constexpr Emission kEmissions[] = {
    {"_print", print_to},
    {"_println", println_to},
    {"_print_out", print_out},
    {"_println_out", println_out},
    {"_show", show_to},
    {"_show_plain", show_plain},
    {"_display", display},
    {"_string", text_by<"_string">},
    {"_repr", text_by<"_repr">},
    {"_summary", text_by<"_summary">},
    {"_str_concat", text_by<"_str_concat">},
    {"_str_string", text_by<"_str_string">},
    {"_str_pad", text_by<"_str_pad">},
    {"_str_repeat", repeated_text},
    {"_char_case", text_with_case},
    {"_based_text", text_in_base},
    {"_printf_text", printf_text},
};

}  // namespace

std::span<const Emission> text_emissions() { return kEmissions; }

}  // namespace weft::julia

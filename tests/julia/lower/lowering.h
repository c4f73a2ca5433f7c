// Lowered code of a text, with the bodies of its functions.
#pragma once
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "julia/lower/form.h"

namespace weft::julia {

/// The code's forms; after each line of definitions the bodies, two spaces deeper.
inline void append_code(const Code& code, size_t indent, std::string& out) {
  std::istringstream lines(form_text(code));
  for (std::string line; std::getline(lines, line);) out += std::string(indent, ' ') + line + "\n";
  const auto bodies = [&](const std::vector<MethodForm>& methods) {
    for (const MethodForm& m : methods) {
      if (!m.body) continue;
      out += std::string(indent, ' ') + m.name.text() + ":\n";
      append_code(m.body->code(), indent + 2, out);
    }
  };
  bodies(code.methods);
  for (const ClosureForm& c : code.closures) bodies(c.methods);
}

inline std::string lowered(std::string text, bool with_bodies = false) {
  std::vector<Diagnostic> diagnostics;
  LowerOptions options;
  options.file = "test.jl";
  const std::string source = text;
  const auto code = lower_source(std::move(text), options, diagnostics);
  if (!code) return render_all(diagnostics, source, "test.jl");
  if (!with_bodies) return form_text(*code);
  std::string out;
  append_code(*code, 0, out);
  return out;
}

struct LoweringCase {
  const char* source;
  const char* forms;
};

inline void expect_lowered(std::span<const LoweringCase> cases, bool with_bodies = false) {
  for (const LoweringCase& c : cases) {
    std::string forms = lowered(c.source, with_bodies);
    while (forms.ends_with('\n')) forms.pop_back();
    EXPECT_EQ(forms, c.forms) << c.source;
  }
}

}  // namespace weft::julia

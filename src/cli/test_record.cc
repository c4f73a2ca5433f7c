#include "cli/test_record.h"

#include "base/diagnostic.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/expected_cause.h"
#include "cli/exported_tensors.h"
#include "cli/test_derived.h"
#include "native/switches.h"
#include "ops/record.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/simplify.h"

namespace weft::cli {
namespace {

std::string where(const Error& error) {
  return error.loc().known() ? ":" + std::to_string(error.loc().line) + ": " : std::string();
}

// ---- programs of our own ----------------------------------------------------------------------------------------------------

struct ExpectedError {
  uint32_t line = 0;
  std::string text;
};

std::vector<ExpectedError> expected_errors(const std::string& source) {
  constexpr std::string_view kMark = "// error: ";
  std::vector<ExpectedError> out;
  uint32_t line = 1;
  size_t at = 0;
  while (at < source.size()) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view text(source.data() + at, end - at);
    if (const size_t mark = text.find(kMark); mark != std::string_view::npos) {
      out.push_back({line, std::string(text.substr(mark + kMark.size()))});
    }
    at = end + 1;
    ++line;
  }
  return out;
}

void execute(std::unique_ptr<Module> module, const Target& target, const Mode& mode) {
  const std::shared_ptr<const Module> shared = std::move(module);
  const std::string entry = entry_of(*shared, "");
  Hoisted all;
  if (mode.arguments && shared->get(entry).args().empty()) all = all_constants_as_arguments(*shared, entry);
  target.compile(all.module ? all.module : shared, entry, mode.options)->run(all.args);
}

Outcome run_program(const Record& record, const Target& target, const Mode& mode) {
  const std::string source = read_file(record.file);
  const std::vector<ExpectedError> errors = expected_errors(source);
  if (errors.empty()) {
    execute(changed_by(mode, parse_module(transformed_text(source, record.file), record.file), record.file), target,
            mode);
    return {};
  }
  if (errors.size() != 1)
    return {Outcome::kFailed, "a program can be refused for one reason: it marks " + std::to_string(errors.size())};
  const auto judge = [&](const Error& error) -> Outcome {
    const std::string what = error.what();
    if (what.find(errors[0].text) == std::string::npos)
      return {Outcome::kFailed, where(error) + "refused with \"" + what + "\", expected \"" + errors[0].text + "\""};
    if (error.loc().line != errors[0].line) {
      return {Outcome::kFailed, "refused at line " + std::to_string(error.loc().line) + ", expected line " +
                                    std::to_string(errors[0].line)};
    }
    return {};
  };
  try {
    Mode as_written = mode;
    as_written.arguments = false;  // lines are those of the program
    execute(parse_module(source, record.file), target, as_written);
  } catch (const UserError& error) { return judge(error); } catch (const Unsupported& error) {
    // What a library cannot do it refuses before it can find what is wrong.
    Outcome outcome = judge(error);
    if (target.name() == "aot" && outcome.status == Outcome::kFailed) return {Outcome::kSkipped, error.what()};
    return outcome;
  }
  return {Outcome::kFailed, "accepted, expected an error: " + errors[0].text};
}

// ---- StableHLO's own cases ----------------------------------------------------------------------------------------------------

/// Runs strictly; when that fails, by the sound score. An error that the sound run meets too is thrown.
bool run_both_ways(const std::shared_ptr<const Module>& module, const std::string& entry, std::span<const Tensor> args,
                   const Target& target, const CompileOptions& options) {
  try {
    target.compile(module, entry, options)->run(args);
    return true;
  } catch (const UserError&) {
    CompileOptions sound = options;
    sound.disabled.push_back("strict_checks");
    target.compile(module, entry, sound)->run(args);
    return false;
  }
}

Outcome interpret(const Record& record, const std::string& source, const Target& target, const Mode& mode) {
  const std::shared_ptr<const Module> module = changed_by(mode, parse_module(source, record.file), record.file);
  const std::string entry = entry_of(*module, "");
  if (!module->get(entry).args().empty())
    return {Outcome::kSkipped, "the entry takes arguments that the record does not hold"};
  Outcome outcome;
  if (mode.arguments) {
    const Hoisted all = all_constants_as_arguments(*module, entry);
    outcome.strict = run_both_ways(all.module ? all.module : module, entry, all.args, target, mode.options);
    return outcome;
  }
  outcome.strict = run_both_ways(module, entry, {}, target, mode.options);
  const Hoisted hoisted = constants_as_arguments(*module, entry);
  if (hoisted.module) {
    try {
      outcome.strict &= run_both_ways(hoisted.module, entry, hoisted.args, target, mode.options);
    } catch (const UserError& error) {
      return {Outcome::kFailed, where(error) + "with inputs as arguments: " + error.what()};
    }
  }
  return outcome;
}

/// Whether two regions hold the same ops with the same attributes, constants compared bit by bit.
bool same_attributes(const Function& f, RegionId a, const Function& g, RegionId b) {
  const std::span<const OpId> x = f.ops(a), y = g.ops(b);
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    const OpView p{f, x[i]}, q{g, y[i]};
    if (&p.def() != &q.def() || !(p.attrs() == q.attrs()) || p.regions().size() != q.regions().size()) return false;
    for (size_t r = 0; r < p.regions().size(); ++r) {
      if (!same_attributes(f, p.region(r), g, q.region(r))) return false;
    }
  }
  return true;
}

bool same_attributes(const Module& a, const Module& b) {
  if (a.functions().size() != b.functions().size()) return false;
  for (size_t i = 0; i < a.functions().size(); ++i) {
    const Function &f = *a.functions()[i], &g = *b.functions()[i];
    if (!same_attributes(f, f.body(), g, g.body())) return false;
  }
  return true;
}

/// What is wrong with printing and reading again, in either form; empty when the text is a fixed point and constants keep their bits.
std::string round_trip_fault(const Module& first, const std::string& file) {
  const std::string pretty = print_module(first);
  const std::string generic = print_module(first, {.generic = true});
  try {
    const auto again = parse_module(pretty, file + " (printed)");
    if (print_module(*again) != pretty) return "printing is no fixed point";
    if (!same_attributes(first, *again)) return "printing changes an attribute";
    const auto from_generic = parse_module(generic, file + " (printed generically)");
    if (print_module(*from_generic, {.generic = true}) != generic) return "printing in generic form is no fixed point";
    if (!same_attributes(first, *from_generic)) return "printing in generic form changes an attribute";
    if (print_module(*from_generic) != pretty) return "the generic form reads as another program";
  } catch (const InternalError&) { throw; } catch (const Error& error) {
    return std::string("what is printed cannot be read: ") + error.what();
  }
  return {};
}

/// A program that reads, taken through its printed forms.
Outcome round_trip(const Module& module, const std::string& file) {
  Outcome out;
  out.reason = round_trip_fault(module, file);
  out.notes = Outcome::kReads;
  if (out.reason.empty()) {
    out.notes |= Outcome::kFixedPoint;
  } else {
    out.status = Outcome::kFailed;
  }
  return out;
}

Outcome round_trip(const Record& record, const std::string& source) {
  return round_trip(*parse_module(source, record.file), record.file);
}

/// A program that must be refused, and for what: the op and the constraint, as far as the record says.
Outcome refusal(const Record& record, const std::string& source) {
  try {
    parse_module(source, record.file);
  } catch (const UserError& error) {
    const CauseVerdict verdict = judge_cause(error.what(), record.facts);
    Outcome out;
    out.notes = Outcome::kRefused | (verdict.expects_op ? Outcome::kExpectsOp : 0U) |
                (verdict.names_op ? Outcome::kNamesOp : 0U) | (verdict.expects_label ? Outcome::kExpectsLabel : 0U) |
                (verdict.has_label ? Outcome::kHasLabel : 0U);
    out.reason = verdict.aside;
    if (!verdict.wrong.empty()) {
      out.status = Outcome::kFailed;
      out.reason = where(error) + verdict.wrong;
    }
    return out;
  }
  std::string expected;
  for (const auto& d : record.facts.value("expected_diagnostics", nlohmann::json::array()))
    expected += (expected.empty() ? "" : "; ") + d.value("text", "");
  return {Outcome::kFailed, "accepted, expected: " + expected};
}

Outcome run_case(const Record& record, const Target& target, const Mode& mode) {
  const std::string kind = record.facts.value("kind", "");
  const std::string suite = record.facts.value("suite", "");
  const std::string source = read_file(record.file);
  if (kind.starts_with("interpret")) {
    if (mode.reparse || mode.simplify || mode.arguments) return interpret(record, source, target, mode);
    Outcome text = round_trip(record, source);
    if (text.status != Outcome::kPassed) return text;
    Outcome outcome = interpret(record, source, target, mode);
    outcome.notes = text.notes;
    return outcome;
  }
  if (kind == "verify-ok" || kind == "roundtrip" || kind == "filecheck") return round_trip(record, source);
  if (kind != "verify-error") return {Outcome::kSkipped, "kind " + kind};
  const bool asks_a_pass =
      suite == "chlo" || suite == "transforms" || source.find("\"hlo_test_broadcast.") != std::string::npos;
  if (!asks_a_pass) return refusal(record, source);
  // An error of a pass of StableHLO's: the program only has to read, or to be refused already.
  try {
    return round_trip(record, source);
  } catch (const UserError& error) {
    Outcome out;
    out.reason = where(error) + error.what();
    out.notes = Outcome::kRefused;
    return out;
  }
}

// ---- programs exported from JAX ------------------------------------------------------------------------------------------------

Outcome run_exported(const Record& record, const Target& target, const Mode& mode) {
  auto parsed = parse_module(read_file(record.file), record.file);
  Outcome text;
  if (!mode.reparse && !mode.simplify && !mode.arguments) text = round_trip(*parsed, record.file);
  if (text.status != Outcome::kPassed) return text;
  std::shared_ptr<const Module> module = changed_by(mode, std::move(parsed), record.file);
  const std::string entry = entry_of(*module, "");
  const ExportedTensors tensors(record);
  if (tensors.num_arguments() != module->get(entry).args().size())
    return {Outcome::kFailed, "the record has another number of arguments"};
  std::vector<Tensor> args = tensors.arguments(0, module->get(entry).arg_types());
  if (mode.arguments) {
    Hoisted all = all_constants_as_arguments(*module, entry);
    if (all.module) module = all.module;
    for (Tensor& t : all.args) args.push_back(std::move(t));
  }
  if (const std::string wrong = tensors.difference(target.compile(module, entry, mode.options)->run(args));
      !wrong.empty()) {
    return {Outcome::kFailed, wrong};
  }
  return text;
}

}  // namespace

std::unique_ptr<Module> changed_by(const Mode& mode, std::unique_ptr<Module> module, const std::string& file) {
  if (mode.simplify) {
    simplify(*module);
    verify(*module);
  }
  if (mode.reparse) module = parse_module(print_module(*module, {mode.generic}), file + " (printed)");
  return module;
}

Mode mode_of(const std::string& names) {
  Mode mode;
  mode.options.print = [](const std::string&) {};
  for (size_t at = 0; at <= names.size();) {
    const size_t end = std::min(names.find(',', at), names.size());
    const std::string name = names.substr(at, end - at);
    at = end + 1;
    if (name.empty() || name == "default") continue;
    if (name == "print") {
      mode.reparse = true;
    } else if (name == "generic") {
      mode.reparse = mode.generic = true;
    } else if (name == "simplify") {
      mode.simplify = true;
    } else if (name == "arguments") {
      mode.arguments = true;
    } else if (name == "guard-pages") {
      mode.options.guard_pages = true;
    } else if (name == "check-memory") {
      mode.options.check_memory_plan = true;
    } else if (name == "serial") {
      mode.options.partitions = 1;
    } else if (name.starts_with("cpu-")) {
      mode.options.cpu = name.substr(4);
      setenv("WEFT_CPU", mode.options.cpu.c_str(), 1);  // for libraries too, which choose their code themselves
    } else if (name == "no-libraries") {
      mode.options.no_libraries = true;
    } else if (name.starts_with("no-")) {
      mode.options.disabled.push_back(name.substr(3));
    } else {
      throw UserError("there is no mode " + name + ": see --list-modes");
    }
  }
  return mode;
}

std::vector<std::string> modes_of(const std::string& target) {
  std::vector<std::string> out = {"default", "print", "generic", "simplify", "arguments"};
  if (target != "native") return out;
  out.insert(out.end(), {"no-libraries", "serial", "guard-pages", "check-memory", "cpu-x86-64", "cpu-x86-64-v3"});
  for (const native::Switch& s : native::switches()) out.push_back("no-" + std::string(s.name));
  for (const std::string_view rows : native::forced_rows()) out.emplace_back(rows);
  return out;
}

Outcome run_record(const Record& record, const Target& target, const Mode& mode) {
  try {
    switch (record.kind) {
      case Record::kProgram: return run_program(record, target, mode);
      case Record::kCase: return run_case(record, target, mode);
      case Record::kExported: return run_exported(record, target, mode);
      case Record::kDerived: return run_derived(record, target, mode);
    }
    return {};
  } catch (const Unsupported& error) { return {Outcome::kSkipped, error.what()}; } catch (const InternalError& error) {
    return {Outcome::kFailed, where(error) + "internal error: " + error.what()};
  } catch (const Error& error) {
    return {Outcome::kFailed, where(error) + error.what()};
  } catch (const std::bad_alloc&) { return {Outcome::kFailed, "out of memory"}; } catch (const std::exception& error) {
    return {Outcome::kFailed, std::string("internal error: ") + error.what()};
  }
}

}  // namespace weft::cli

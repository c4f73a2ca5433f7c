#include "tests/fuzz/julia_programs.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "julia/run/evaluator.h"
#include "reduce/isolated.h"
#include "tests/fuzz/tokens.h"
#include "tests/limit_address_space.h"

namespace weft::fuzz {
namespace {

constexpr const char* kVariables[] = {"a", "b", "c", "d", "x", "y", "s", "n"};
constexpr const char* kLiterals[] = {"0",
                                     "1",
                                     "2",
                                     "-1",
                                     "3",
                                     "10",
                                     "typemax(Int)",
                                     "typemin(Int)",
                                     "0x00",
                                     "0xff",
                                     "UInt8(200)",
                                     "Int8(-128)",
                                     "1.5",
                                     "-0.0",
                                     "NaN",
                                     "Inf",
                                     "-Inf",
                                     "1.0e308",
                                     "5.0e-324",
                                     "1.5f0",
                                     "Float16(2)",
                                     "true",
                                     "false",
                                     "im",
                                     "2//3",
                                     "\"\"",
                                     "\"ab\"",
                                     "\"é∀x\"",
                                     "'a'",
                                     "'∀'",
                                     ":s",
                                     "nothing",
                                     "missing",
                                     "()",
                                     "[]",
                                     "Int[]",
                                     "pi",
                                     "Int128(1) << 100",
                                     "1:0",
                                     "2:4",
                                     "1:2:7",
                                     "0:0.1:1"};
constexpr const char* kTypes[] = {"Int",
                                  "Float64",
                                  "UInt8",
                                  "Bool",
                                  "Float32",
                                  "String",
                                  "Any",
                                  "Number",
                                  "Complex{Int}",
                                  "Vector{Int}",
                                  "Union{Int,Missing}",
                                  "Tuple{Int,Int}",
                                  "Symbol",
                                  "Char",
                                  "Rational{Int}"};
constexpr const char* kBinary[] = {"+",  "-",   "*",  "/",  "÷",   "%",  "^",   "\\", "==", "!=",  "<",
                                   "<=", "===", "&",  "|",  "⊻",   "<<", ">>>", "//", "in", "isa", "≈",
                                   "=>", ".+",  ".*", ".<", ".==", ".^", "&&",  "||", "∘",  "|>",  ":"};
constexpr const char* kUnary[] = {"-", "!", "~", "+", "√", ".-"};
constexpr const char* kFunctions[] = {"length",
                                      "zeros",
                                      "size",
                                      "sum",
                                      "push!",
                                      "rand",
                                      "sqrt",
                                      "abs",
                                      "reshape",
                                      "exp",
                                      "copy",
                                      "map",
                                      "parse",
                                      "zero",
                                      "similar",
                                      "eltype",
                                      "typeof",
                                      "min",
                                      "max",
                                      "first",
                                      "last",
                                      "convert",
                                      "maximum",
                                      "minimum",
                                      "enumerate",
                                      "round",
                                      "vcat",
                                      "hcat",
                                      "collect",
                                      "string",
                                      "eps",
                                      "isempty",
                                      "Dict",
                                      "floor",
                                      "ceil",
                                      "ones",
                                      "div",
                                      "fill",
                                      "copyto!",
                                      "one",
                                      "prod",
                                      "sin",
                                      "float",
                                      "isa",
                                      "log",
                                      "sortperm",
                                      "zip",
                                      "mod",
                                      "argmax",
                                      "inv",
                                      "view",
                                      "diff",
                                      "unique",
                                      "permutedims",
                                      "reduce",
                                      "mapreduce",
                                      "foldl",
                                      "abs2",
                                      "sort",
                                      "sort!",
                                      "keys",
                                      "values",
                                      "axes",
                                      "reverse",
                                      "sign",
                                      "all",
                                      "any",
                                      "count",
                                      "vec",
                                      "join",
                                      "split",
                                      "repr",
                                      "findall",
                                      "findfirst",
                                      "accumulate",
                                      "cumsum",
                                      "filter",
                                      "append!",
                                      "pop!",
                                      "popfirst!",
                                      "insert!",
                                      "deleteat!",
                                      "splice!",
                                      "resize!",
                                      "get",
                                      "haskey",
                                      "delete!",
                                      "merge",
                                      "union",
                                      "setdiff",
                                      "intersect",
                                      "Set",
                                      "Tuple",
                                      "ntuple",
                                      "cat",
                                      "repeat",
                                      "circshift",
                                      "clamp",
                                      "gcd",
                                      "lcm",
                                      "factorial",
                                      "binomial",
                                      "digits",
                                      "bitstring",
                                      "count_ones",
                                      "trunc",
                                      "rem",
                                      "fld",
                                      "divrem",
                                      "nextfloat",
                                      "ldexp",
                                      "hypot",
                                      "muladd",
                                      "complex",
                                      "real",
                                      "conj",
                                      "angle",
                                      "numerator",
                                      "rationalize",
                                      "Int",
                                      "Float64",
                                      "UInt8",
                                      "Bool",
                                      "Char",
                                      "String",
                                      "Symbol",
                                      "tryparse",
                                      "lpad",
                                      "replace",
                                      "occursin",
                                      "strip",
                                      "uppercase",
                                      "codepoint",
                                      "range",
                                      "LinRange",
                                      "step",
                                      "getindex",
                                      "setindex!",
                                      "iterate",
                                      "tuple",
                                      "identity",
                                      "something",
                                      "coalesce",
                                      "ismissing",
                                      "hash",
                                      "isequal",
                                      "isless",
                                      "promote",
                                      "promote_type",
                                      "typejoin",
                                      "fieldnames",
                                      "getfield",
                                      "hasmethod",
                                      "transpose",
                                      "adjoint",
                                      "eachcol",
                                      "eachrow",
                                      "CartesianIndices",
                                      "CartesianIndex",
                                      "LinearIndices",
                                      "selectdim",
                                      "dropdims",
                                      "mapslices",
                                      "extrema",
                                      "findmax",
                                      "partialsort",
                                      "searchsortedfirst",
                                      "issorted",
                                      "println",
                                      "print",
                                      "show",
                                      "display",
                                      "error",
                                      "throw",
                                      "Ref",
                                      "Pair",
                                      "Val",
                                      "broadcast",
                                      "foreach",
                                      "only",
                                      "skipmissing",
                                      "IOBuffer",
                                      "sprint",
                                      "nameof",
                                      "supertype",
                                      "deepcopy",
                                      "evalpoly",
                                      "invmod",
                                      "powermod",
                                      "widen",
                                      "reinterpret",
                                      "Matrix",
                                      "Vector",
                                      "Array",
                                      "BitVector"};
constexpr const char* kKeywords[] = {"dims = 1",   "dims = 2", "init = 0",         "rev = true", "by = abs",
                                     "digits = 2", "base = 2", "length = 3",       "step = 2",   "pad = 4",
                                     "lt = >",     "dims = 0", "nothing_known = 1"};

/// Text of a program that mostly parses, with blocks inside blocks up to a depth.
class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  std::string program() {
    std::string out = "struct P{T}\n  x::T\n  y\nend\nmutable struct Q\n  v::Vector{Int}\n  k::Float64\nend\n";
    for (size_t n = 2 + random_.below(12); n > 0; --n) out += statement(0);
    return out;
  }

 private:
  std::string variable() { return random_.pick(kVariables); }
  std::string indent(int depth) { return std::string(static_cast<size_t>(depth) * 2, ' '); }

  std::string block(int depth) {
    std::string out;
    for (size_t n = 1 + random_.below(3); n > 0; --n) out += statement(depth);
    return out;
  }

  std::string statement(int depth) {
    const std::string in = indent(depth), e = expression(3);
    if (depth >= 3) return in + variable() + " = " + e + "\n";
    switch (random_.below(16)) {
      case 0: return in + "for " + variable() + " in " + iterable() + "\n" + block(depth + 1) + in + "end\n";
      case 1: {
        const std::string body = block(depth + 1);
        return in + "if " + expression(2) + "\n" + body + in + "else\n" + block(depth + 1) + in + "end\n";
      }
      case 2:
        return in + "let i = 0\n" + in + "  while i < 5\n" + block(depth + 2) + in + "    i += 1\n" + in + "  end\n" +
               in + "end\n";
      case 3: {
        std::string out = in + "try\n" + block(depth + 1) + in + "catch e\n";
        out += in + "  println(typeof(e))\n" + block(depth + 1);
        return out + (random_.chance(0.3) ? in + "finally\n" + block(depth + 1) : "") + in + "end\n";
      }
      case 4: return in + "f(" + parameters() + ") = " + expression(3) + "\n";
      case 5: {
        const std::string body = block(depth + 1);
        return in + "function g(" + parameters() + ")\n" + body + in + "  return " + expression(2) + "\n" + in +
               "end\n";
      }
      case 6: return in + variable() + "[" + expression(1) + "] = " + e + "\n";
      case 7: return in + variable() + " .= " + e + "\n";
      case 8: return in + variable() + " " + random_.pick(kBinary) + "= " + e + "\n";
      case 9: return in + variable() + ", " + variable() + " = " + e + "\n";
      case 10: return in + "println(" + e + ")\n";
      case 11: return in + "display(" + e + ")\n";
      case 12: return in + variable() + "." + (random_.chance(0.5) ? "x" : "k") + " = " + e + "\n";
      case 13: return in + "push!(" + variable() + ", " + e + ")\n";
      default: return in + variable() + " = " + e + "\n";
    }
  }

  std::string parameters() {
    std::string out = variable();
    if (random_.chance(0.3)) out += std::string("::") + random_.pick(kTypes);
    if (random_.chance(0.4)) out += ", z = " + expression(1);
    if (random_.chance(0.2)) out += ", r...";
    if (random_.chance(0.2)) out += "; k = " + expression(1);
    return out;
  }

  std::string iterable() { return random_.chance(0.6) ? "1:" + std::to_string(random_.below(6)) : expression(2); }

  std::string list(int depth, const char* between) {
    std::string out;
    const size_t n = random_.below(4);
    for (size_t i = 0; i < n; ++i) out += (i > 0 ? between : "") + expression(depth - 1);
    return out;
  }

  std::string call(int depth) {
    std::string f = random_.pick(kFunctions);
    if (random_.chance(0.15)) f = random_.chance(0.5) ? "f" : "g";
    std::string out = f + (random_.chance(0.1) ? ".(" : "(") + list(depth, ", ");
    if (random_.chance(0.1)) out += std::string("; ") + random_.pick(kKeywords);
    return out + ")";
  }

  std::string expression(int depth) {
    if (depth <= 0) return random_.chance(0.6) ? variable() : std::string(random_.pick(kLiterals));
    switch (random_.below(22)) {
      case 0: return "[" + list(depth, ", ") + "]";
      case 1: return "[" + list(1, " ") + "; " + list(1, " ") + "]";
      case 2: return "(" + list(depth, ", ") + ",)";
      case 3: return "(p = " + expression(depth - 1) + ", q = " + expression(depth - 1) + ")";
      case 4: return "[" + expression(depth - 1) + " for " + variable() + " in " + iterable() + "]";
      case 5: return "sum(" + expression(depth - 1) + " for " + variable() + " in " + iterable() + ")";
      case 6: return "map(" + variable() + " -> " + expression(depth - 1) + ", " + expression(depth - 1) + ")";
      case 7: return variable() + "[" + list(depth, ", ") + "]";
      case 8: return variable() + "[end]";
      case 9: return "(" + expression(depth - 1) + " ? " + expression(depth - 1) + " : " + expression(depth - 1) + ")";
      case 10: return "\"<$(" + variable() + ")>\"";
      case 11: return "(" + std::string(random_.pick(kUnary)) + expression(depth - 1) + ")";
      case 12: return "P(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
      case 13: return "Q(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
      case 14: return variable() + (random_.chance(0.5) ? ".x" : "'");
      case 15: return std::string(random_.pick(kTypes)) + "(" + list(depth, ", ") + ")";
      case 16: return "(" + expression(depth - 1) + ")::" + random_.pick(kTypes);
      case 17: return "convert(" + std::string(random_.pick(kTypes)) + ", " + expression(depth - 1) + ")";
      case 18:
      case 19: return "(" + expression(depth - 1) + " " + random_.pick(kBinary) + " " + expression(depth - 1) + ")";
      case 20: return random_.pick(kLiterals);
      default: return call(depth);
    }
  }

  Random& random_;
};

std::unique_ptr<julia::Evaluator>& shared_evaluator() {
  static std::unique_ptr<julia::Evaluator> evaluator;
  return evaluator;
}

constexpr int kGaveUp = 42;  // exit code of a case that catches what should stop it
constexpr int kMostInterrupts = 8;
volatile std::sig_atomic_t interrupts = 0;

extern "C" void weft_fuzz_on_timer(int) {
  julia::Evaluator::interrupted() = true;
  interrupts = interrupts + 1;
  if (interrupts > kMostInterrupts) _exit(kGaveUp);
}

/// A program may run as long as it likes: after a second it is interrupted.
void limit_case() {
  limit_address_space(rlim_t{4} << 30);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  (void)std::signal(SIGPROF, weft_fuzz_on_timer);
  itimerval timer = {};
  timer.it_value.tv_sec = timer.it_interval.tv_sec = 1;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

std::string run(const std::string& text) {
  limit_case();
  julia::Evaluator& evaluator = *shared_evaluator();
  try {
    const julia::Value v = evaluator.run(text, "program.jl", evaluator.main());
    std::string shown;
    if (v.is_defined()) julia::display(shown, v, evaluator.show_context());
  } catch (const InternalError& error) { return "internal error: " + std::string(error.what()); } catch (const Error&) {
    // An exception of the program, or what is outside of the scope.
  } catch (const std::exception& error) { return "exception of C++: " + std::string(error.what()); }
  return {};
}

}  // namespace

std::string julia_program(Random& random, const std::vector<std::string>& corpus) {
  if (random.chance(0.7)) return Writer(random).program();
  const std::string &text = random.pick(corpus), &other = random.pick(corpus);
  return damaged(random, text, other);
}

void load_julia() {
  julia::EvaluatorOptions options;
  options.out = options.error = [](std::string_view) {};
  shared_evaluator() = std::make_unique<julia::Evaluator>(std::move(options));
}

std::string julia_run_fault_of(const std::string& text) {
  constexpr double kSeconds = 60;
  const std::string fault = reduce::isolated([&] { return run(text); }, kSeconds);
  return fault == "crash: exit code " + std::to_string(kGaveUp) ? "" : fault;
}

}  // namespace weft::fuzz

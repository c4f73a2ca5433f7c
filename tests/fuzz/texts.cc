// weft_fuzz_texts: damaged programs. The parser reads or refuses them; what it reads prints to a fixed point, in both forms.

#include "ops/record.h"
#include "ops/structural/dynamic.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/text_campaign.h"
#include "tests/fuzz/tokens.h"
#include "tests/limit_address_space.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/simplify.h"

namespace weft::fuzz {
namespace {

constexpr double kSecondsPerCase = 10;

/// Folding can make a shape operand constant and show that its values never fitted: the program was wrong before.
bool is_about_shape_operands(const UserError& e) {
  const std::string what = e.what();
  const size_t end = what.find(']');
  const OpRecord* op = what.starts_with("[") && end != std::string::npos ? find_op(what.substr(1, end - 1)) : nullptr;
  return op != nullptr && is_dynamic_op(*op);
}

/// What is wrong with how a text is read; empty when nothing is.
std::string fault_of(const std::string& text) {
  try {
    std::unique_ptr<Module> module;
    try {
      module = parse_module(text, "text.mlir");
    } catch (const UserError&) { return {}; } catch (const Unsupported&) {
      return {};
    }
    const std::string printed = print_module(*module);
    try {
      const auto again = parse_module(printed, "printed.mlir");
      if (print_module(*again) != printed)
        return "fixed point: printed\n" + printed + "\nthen\n" + print_module(*again);
    } catch (const Error& e) { return "printed text is refused: " + std::string(e.what()) + "\n" + printed; }
    const std::string generic = print_module(*module, {.generic = true});
    try {
      const auto again = parse_module(generic, "generic.mlir");
      if (print_module(*again, {.generic = true}) != generic) return "generic fixed point: printed\n" + generic;
    } catch (const Error& e) { return "printed generic text is refused: " + std::string(e.what()) + "\n" + generic; }
    try {
      simplify(*module);
      verify(*module);
    } catch (const UserError& e) {
      if (!is_about_shape_operands(e)) return "simplified: " + std::string(e.what());
    } catch (const Unsupported&) {}
    return {};
  } catch (const InternalError& e) {
    return "internal error: " + std::string(e.what());
  } catch (const std::exception& e) { return "exception: " + std::string(e.what()); }
}

std::string damaged_case(uint64_t seed, const std::vector<std::string>& corpus) {
  Random random(seed);
  const std::string &text = random.pick(corpus), &other = random.pick(corpus);
  return damaged(random, text, other);
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) {
  using namespace weft::fuzz;
  weft::limit_address_space(rlim_t{4} << 30);  // a text that asks for terabytes is to be refused, not served
  return run_text_fuzzer(
      {"weft_fuzz_texts", ".mlir", "damaged texts", "text_", kSecondsPerCase, damaged_case, fault_of}, argc, argv);
}

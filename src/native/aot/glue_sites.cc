#include "native/aot/glue_sites.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "ops/control_flow/check_rules.h"
#include "ops/foreign/call_handlers.h"

namespace weft::native {
namespace {

std::string number(int64_t x) { return std::to_string(x); }

/// "file:3: ", without the folders that a library's bytes should not depend on.
std::string place_of(const OpView& op) {
  const Loc loc = op.loc();
  if (!loc.known()) return "";
  return std::filesystem::path(*loc.file).filename().string() + ":" + number(loc.line) + ": ";
}

class Sites {
 public:
  Sites(const CompiledProgram& program, bool with_lapack, std::vector<DataBlob>& blobs, std::string name)
      : program_(program), with_lapack_(with_lapack), blobs_(blobs), name_(std::move(name)) {}

  std::string run() {
    for (size_t i = 0; i < program_.sites.size(); ++i) add(program_.sites[i], i);
    return data_ + "static const weft_rt_site " + name_ + "[] = {\n" + rows_ + "  {0}\n};\n\n";
  }

 private:
  void add(const Site& at, size_t index) {
    const OpView op = at.view();
    const std::string mnemonic(op.def().mnemonic), k = name_ + "_" + number(static_cast<int64_t>(index));
    if (mnemonic == "interpreter.run_parallel" || mnemonic == "interpreter.probe" ||
        mnemonic == "check.expect_serialized_eq") {
      throw Unsupported("[" + mnemonic + "] simulated processes run in this program only, not in libraries", op.loc());
    }
    std::string kind = "WEFT_RT_SITE_CHECK", target = mnemonic, text = "failed", rule = "0, 0, 0, 0.0", expected = "0",
                builtin = "0";
    if (op.def().is_terminator) {
      text = recursion_message(program_, at);
    } else if (mnemonic == "weft.check") {
      const std::string site = op.attrs().text_or("site", ""), message = op.attrs().text_or("message", "check failed");
      text = site.empty() ? message : site + ": " + message;
    } else if (const auto compared = comparison_of(op)) {
      kind = "WEFT_RT_SITE_COMPARE";
      if (mnemonic == "stablehlo.custom_call") target = op.attrs().text("call_target_name");
      char digits[40];
      std::snprintf(digits, sizeof digits, "%a", compared->tolerance);
      rule = number(compared->kind) + ", " + std::to_string(compared->min_ulp) + "ull, " +
             std::to_string(compared->max_ulp) + "ull, " + digits;
      if (target.ends_with("_const")) {
        expected = "weft_expected_" + k;
        data_ += "extern const unsigned char " + expected + "[] __attribute__((visibility(\"hidden\")));\n";
        blobs_.push_back({expected, op.attrs().literal("value").materialize()});
      }
    } else if (mnemonic == "interpreter.print") {
      kind = "WEFT_RT_SITE_PRINT";
      if (const Attr* numbers = op.attrs().find("lane")) {
        text = "";
        for (int64_t n : *numbers->get_if<Attr::Ints>()) text += (text.empty() ? "lane " : ", ") + std::to_string(n);
        text += ": " + op.operand_type(0).str();
      } else {
        text = op.operand_type(0).str();
      }
    } else if (mnemonic == "weft.print") {
      kind = "WEFT_RT_SITE_TEXT";
      text = op.attrs().text("message");
    } else if (mnemonic == "stablehlo.replica_id" || mnemonic == "stablehlo.partition_id") {
      kind = "WEFT_RT_SITE_ID";
    } else if (is_called(at)) {
      kind = "WEFT_RT_SITE_CALL";
      const CallText call = call_text(op);
      target = call.target;
      text = call.config;
      if (with_lapack_ && is_lapack_name(target)) builtin = "weft_rt_lapack";
    }
    add_values(op, k);
    rows_ += "  {" + kind + ", " + number(static_cast<int64_t>(op.num_operands())) + ", " +
             number(static_cast<int64_t>(op.num_results())) + ", " + rule + ", " + expected + ", " +
             c_string(place_of(op)) + ", " + c_string(target) + ", " + c_string(text) + ", values_" + k + ", " +
             builtin + "},\n";
  }

  bool is_called(const Site& at) const {
    return std::ranges::any_of(program_.host_ops,
                               [&](const Site& host) { return host.function == at.function && host.op == at.op; });
  }

  void add_values(const OpView& op, const std::string& k) {
    std::string shapes, values;
    const auto add = [&](Type t) {
      if (!t.is_tensor() || !t.is_static()) {
        values += "{0, 0, 0, 0, 1, 0}, ";
        return;
      }
      const std::string name = "shape_" + k + "_" + number(count_++);
      shapes += "static const int64_t " + name + "[] = {";
      for (int64_t extent : t.shape()) shapes += number(extent) + ", ";
      shapes += "0};\n";
      values += "{" + name + ", " + std::to_string(t.num_bytes()) + ", " + number(t.rank()) + ", " +
                number(static_cast<int64_t>(t.element_type())) + ", 0, 0}, ";
    };
    for (size_t i = 0; i < op.num_operands(); ++i) add(op.operand_type(i));
    for (size_t i = 0; i < op.num_results(); ++i) add(op.result_type(i));
    data_ += shapes + "static const weft_rt_value values_" + k + "[] = {" + values + "{0}};\n";
  }

  const CompiledProgram& program_;
  const bool with_lapack_;
  std::vector<DataBlob>& blobs_;
  const std::string name_;
  std::string data_, rows_;
  int64_t count_ = 0;
};

}  // namespace

std::string c_string(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string sites_source(const CompiledProgram& program, bool with_lapack, std::vector<DataBlob>& blobs,
                         const std::string& name) {
  return Sites(program, with_lapack, blobs, name).run();
}

bool is_lapack_name(std::string_view target) {
  static constexpr std::string_view kPortable[] = {
      "LuDecomposition",     "Qr",   "ProductOfElementaryHouseholderReflectors",
      "householder_product", "Eigh", "lu_pivots_to_permutation"};
  static constexpr std::string_view kRoutines[] = {"getrf", "geqrf", "orgqr", "ungqr", "gesdd", "syevd",
                                                   "heevd", "syevr", "heevr", "geev",  "gtsv"};
  if (std::ranges::find(kPortable, target) != std::end(kPortable)) return true;
  if (!target.starts_with("lapack_") || !target.ends_with("_ffi") || target.size() < 13) return false;
  return std::ranges::find(kRoutines, target.substr(8, target.size() - 12)) != std::end(kRoutines);
}

bool calls_lapack(const CompiledProgram& program) {
  return std::ranges::any_of(program.host_ops, [](const Site& site) {
    const OpView op = site.view();
    return op.def().mnemonic == "stablehlo.custom_call" && is_lapack_name(op.attrs().text("call_target_name"));
  });
}

}  // namespace weft::native

#include "native/open/open_account.h"

#include <cctype>

namespace weft::native {
namespace {

/// A type's text with the values of names among its extents; whether it has any.
bool write_values(std::string& type, const ExtentNames& names, std::span<const int64_t> values) {
  std::string out;
  bool any = false;
  for (size_t at = 0; at < type.size();) {
    const bool begins = (std::isdigit(static_cast<unsigned char>(type[at])) != 0) && at > 0 &&
                        (type[at - 1] == '<' || type[at - 1] == 'x');
    size_t end = at;
    while (begins && end < type.size() && std::isdigit(static_cast<unsigned char>(type[end])) != 0) ++end;
    if (!begins || end == type.size() || type[end] != 'x') {
      end = std::max(end, at + 1);
      out += type.substr(at, end - at);
    } else {
      const int64_t n = std::stoll(type.substr(at, end - at));
      any = any || names.is_open(n);
      out += std::to_string(names.value(n, values));
    }
    at = end;
  }
  type = std::move(out);
  return any;
}

}  // namespace

ProgramAccount account_for(const ProgramAccount& account, const ExtentNames& names, std::span<const int64_t> values,
                           const MemoryUse& memory) {
  ProgramAccount out = account;
  out.memory = memory;
  for (StepAccount& step : out.steps) {
    bool any = false;
    for (OpAccount& op : step.ops) any = write_values(op.type, names, values) || any;
    for (std::string& type : step.outputs) any = write_values(type, names, values) || any;
    if (any) step.flops = step.bytes = 0;
  }
  for (BufferAccount& buffer : out.buffers) {
    buffer.bytes = static_cast<size_t>(names.value(static_cast<int64_t>(buffer.bytes), values));
    buffer.offset = 0;
  }
  return out;
}

}  // namespace weft::native

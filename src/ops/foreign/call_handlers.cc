#include "ops/foreign/call_handlers.h"

#include <map>
#include <mutex>
#include <new>

namespace weft {
namespace {

static_assert(static_cast<int>(ElementType::kC128) == WEFT_C128 && static_cast<int>(ElementType::kF32) == WEFT_F32 &&
                  static_cast<int>(ElementType::kF8E4M3B11FNUZ) == WEFT_F8E4M3B11FNUZ &&
                  static_cast<int>(ElementType::kU2) == WEFT_U2,
              "the C names of element types count as ours do");

struct Registry {
  std::mutex mutex;
  std::map<std::string, CallHandler, std::less<>> handlers;
};
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

weft_buffer buffer_of(Type t, void* data) {
  return {data, t.shape().data(), static_cast<int32_t>(t.rank()), static_cast<int32_t>(t.element_type()),
          t.num_bytes()};
}

}  // namespace

std::optional<CallHandler> registered_handler(std::string_view target) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto found = r.handlers.find(target);
  return found == r.handlers.end() ? std::nullopt : std::optional(found->second);
}

CallText call_text(const OpView& op) {
  if (op.def().mnemonic != "stablehlo.custom_call") {
    std::string config;
    for (const auto& [name, value] : op.attrs().entries())
      config += (config.empty() ? "" : ", ") + std::string(name) + " = " + value.str();
    return {std::string(op.def().mnemonic), config};
  }
  CallText out{op.attrs().text("call_target_name"), op.attrs().text_or("backend_config", "")};
  for (const char* dictionary : {"backend_config", "mhlo.backend_config"}) {
    const Attr* attr = op.attrs().find(dictionary);
    if (out.config.empty() && attr != nullptr && !attr->get_if<std::string>()) out.config = attr->str();
  }
  return out;
}

void run_handler(const CallHandler& handler, const OpView& op, const void* const* operands, void* const* results) {
  std::vector<weft_buffer> in, out;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (op.operand_type(i).is_tensor()) in.push_back(buffer_of(op.operand_type(i), const_cast<void*>(operands[i])));
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (op.result_type(i).is_tensor()) out.push_back(buffer_of(op.result_type(i), results[i]));
  }
  const CallText text = call_text(op);
  char message[512] = "";
  const weft_call call = {sizeof(weft_call), text.target.c_str(), text.config.c_str(), in.size(),
                          out.size(),        in.data(),           out.data(),          message,
                          sizeof message,    handler.data};
  const int status = handler.run(&call);
  if (status == 0) return;
  message[sizeof message - 1] = 0;
  throw UserError("[" + std::string(op.def().mnemonic) + "] @" + text.target + ": " +
                      (message[0] != 0 ? std::string(message) : "failed with status " + std::to_string(status)),
                  op.loc());
}

}  // namespace weft

extern "C" int weft_register_custom_call(const char* target, weft_call_handler handler, void* data) {
  try {
    weft::Registry& r = weft::registry();
    const std::lock_guard lock(r.mutex);
    if (handler == nullptr) {
      if (const auto found = r.handlers.find(std::string_view(target)); found != r.handlers.end())
        r.handlers.erase(found);
    } else {
      r.handlers[target] = {handler, data};
    }
    return 0;
  } catch (const std::bad_alloc&) { return 1; }
}

#include "pjrt/compile_options.h"

namespace weft::pjrt {
namespace {

// Wire types of protocol buffers.
constexpr int kVarint = 0, kFixed64 = 1, kBytes = 2;

void put_varint(std::string& out, uint64_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<char>((v & 0x7f) | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<char>(v));
}

void put_int(std::string& out, int field, int64_t v) {
  put_varint(out, static_cast<uint64_t>(field) << 3 | kVarint);
  put_varint(out, static_cast<uint64_t>(v));
}

void put_bytes(std::string& out, int field, std::string_view bytes) {
  put_varint(out, static_cast<uint64_t>(field) << 3 | kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_double(std::string& out, int field, double v) {
  put_varint(out, static_cast<uint64_t>(field) << 3 | kFixed64);
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

/// OptionOverrideProto: 1 text, 2 boolean, 3 integer, 4 number.
std::string encode_override(const std::string& name, const OptionValue& value) {
  std::string out;
  if (const auto* text = std::get_if<std::string>(&value)) {
    put_bytes(out, 1, *text);
  } else if (const auto* boolean = std::get_if<bool>(&value)) {
    put_int(out, 2, *boolean ? 1 : 0);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    put_int(out, 3, *integer);
  } else if (const auto* number = std::get_if<float>(&value)) {
    put_double(out, 4, *number);
  } else {
    throw UserError("target pjrt: option " + name + " of the compiler: a list was given, expected one value");
  }
  return out;
}

}  // namespace

std::string encode_compile_options(const CompileSettings& settings) {
  // ExecutableBuildOptionsProto: 1 device ordinal (-1: none), 4 replicas, 5 partitions, 6 cut by SPMD, 19 by Shardy.
  std::string build;
  if (settings.partitions > 1) put_int(build, 1, -1);
  put_int(build, 4, settings.replicas);
  put_int(build, 5, settings.partitions);
  if (settings.partitions > 1) {
    put_int(build, 6, 1);
    put_int(build, 19, 1);
  }
  // CompileOptionsProto: 3 build options, 7 map from a flag's name to its value.
  std::string out;
  put_bytes(out, 3, build);
  for (const auto& [name, value] : settings.overrides) {
    std::string entry;
    put_bytes(entry, 1, name);
    put_bytes(entry, 2, encode_override(name, value));
    put_bytes(out, 7, entry);
  }
  return out;
}

}  // namespace weft::pjrt

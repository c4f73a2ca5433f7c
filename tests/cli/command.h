// The `weft` command as a user calls it: a shell line in, exit code and both streams out.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>

namespace weft::cli_test {

namespace fs = std::filesystem;

inline std::string read(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

inline void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

template <class T>
std::string bytes(std::initializer_list<T> values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.begin(), out.size());
  return out;
}

/// A .npy file as numpy.lib.format describes it.
inline std::string npy_with_header(std::string header, const std::string& data, int version = 1) {
  const size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (size_t i = 0; i < (version == 1 ? 2u : 4u); ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data, int version = 1) {
  return npy_with_header("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data, version);
}

struct Answer {
  int code;
  std::string out, error;
};

class Command : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("weft_cli_" + std::to_string(getpid()) + "_" + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    write(folder_ / name, text);
    return (folder_ / name).string();
  }
  /// `before` stands in front of the command in the same shell ("ulimit -f 1;", "echo … |").
  Answer weft(const std::string& arguments, const std::string& before = "") {
    const std::string command = before + " " + WEFT_BINARY_DIR + "/weft " + arguments;
    const std::string redirected =
        "{ " + command + "\n} >" + (folder_ / "out").string() + " 2>" + (folder_ / "err").string();
    const int status = std::system(redirected.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder_ / "out"), read(folder_ / "err")};
  }
  /// A program that returns its arguments, of these types.
  std::string identity(std::initializer_list<const char*> types) {
    std::string args, list, names;
    size_t n = 0;
    for (const char* type : types) {
      const std::string name = "%arg" + std::to_string(n), separator = n++ ? ", " : "";
      args += separator + name + ": " + type;
      names += separator + name;
      list += separator + type;
    }
    return file("identity.mlir",
                "func.func @main(" + args + ") -> (" + list + ") {\n  return " + names + " : " + list + "\n}\n");
  }
  static std::string sample(const std::string& name) {
    return std::string(WEFT_SOURCE_DIR) + "/tests/cli/samples/" + name;
  }
  bool nothing_temporary_is_left() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.path().filename().string().find(".tmp") != std::string::npos) return false;
    }
    return true;
  }
  fs::path folder_;
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace weft::cli_test

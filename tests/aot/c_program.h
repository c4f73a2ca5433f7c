// A folder for one test, and programs run in it.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace weft::aot_test {

/// Goes away with the object. Its path does not hold the name that tests look for in what a library needs.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "aot-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  std::string text;  // both streams
  int status = 0;    // as wait gives it
};

inline Outcome outcome_of(const std::string& command) {
  Outcome out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char block[4096];
  size_t n = 0;
  while ((n = fread(block, 1, sizeof block, pipe)) > 0) out.text.append(block, n);
  out.status = pclose(pipe);
  return out;
}

/// Builds main from main.c and lib.so of the folder; what the compiler says.
inline std::string build_main(const Folder& folder) {
  return outcome_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") + " " +
                    (folder / "lib.so") + " -Wl,-rpath," + (folder / ""))
      .text;
}

}  // namespace weft::aot_test

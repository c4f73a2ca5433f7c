// The switches and counters of the plugin in fake_plugin.cc.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

namespace weft {

class FakePlugin {
 public:
  static std::string path() { return WEFT_BINARY_DIR "/libweft_fake_plugin.so"; }
  /// Of a library that was loaded before.
  explicit FakePlugin(const std::string& file = path()) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD)) {}
  int live_objects() const { return function<int()>("weft_fake_live_objects")(); }
  int count(const char* what) const { return function<int(const char*)>("weft_fake_count")(what); }
  void set(const char* what, const char* value) const {
    function<void(const char*, const char*)>("weft_fake_set")(what, value);
  }

 private:
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }
  void* handle_;
};

}  // namespace weft

#include "native/stages.h"

namespace weft::native {

Stages::Scope::~Scope() {
  const double all = std::chrono::duration<double>(Clock::now() - begin_).count();
  stages_.stages_[index_].seconds += all - stages_.open_.back();
  stages_.open_.pop_back();
  if (!stages_.open_.empty()) stages_.open_.back() += all;
}

size_t Stages::find(const char* name) {
  for (size_t i = 0; i < stages_.size(); ++i) {
    if (stages_[i].name == name) return i;
  }
  CompileStage stage;
  stage.name = name;
  stages_.push_back(std::move(stage));
  return stages_.size() - 1;
}

void Stages::count(const char* name, size_t n, const char* unit) {
  CompileStage& stage = stages_[find(name)];
  stage.count += n;
  stage.unit = unit;
}

void Stages::report(const CompileOptions& options) const {
  if (!options.timing) return;
  for (const CompileStage& stage : stages_) options.timing(stage);
}

}  // namespace weft::native

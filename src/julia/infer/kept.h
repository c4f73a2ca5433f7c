// What the static compiler keeps for an evaluator: one object of each type.
#pragma once
#include <memory>
#include <typeindex>
#include <unordered_map>

#include "julia/run/impl.h"

namespace weft::julia {

template <class T>
T& kept_with(Evaluator& e) {
  using All = std::unordered_map<std::type_index, std::shared_ptr<void>>;
  std::shared_ptr<void>& kept = e.impl().derivatives;
  if (!kept) kept = std::make_shared<All>();
  std::shared_ptr<void>& own = (*static_cast<All*>(kept.get()))[typeid(T)];
  if (!own) own = std::make_shared<T>();
  return *static_cast<T*>(own.get());
}

}  // namespace weft::julia

#include "text/forms.h"

#include <unordered_map>

namespace weft::text {

const Form* find_form(std::string_view mnemonic) {
  static const auto* forms = [] {
    auto* map = new std::unordered_map<std::string_view, const Form*>;
    for (const auto family : {basic_forms(), contraction_forms(), control_flow_forms(), keyed_forms(), tuple_forms(),
                              check_forms(), process_forms(), scan_forms(), sharding_forms()}) {
      for (const Form& f : family) map->emplace(f.mnemonic, &f);
    }
    return map;
  }();
  const auto it = forms->find(mnemonic);
  return it == forms->end() ? nullptr : it->second;
}

}  // namespace weft::text

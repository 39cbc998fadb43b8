#include "launch/shell/variables.h"

#include <algorithm>
#include <utility>

#include "launch/shell/kubelet.h"

namespace rollcall::launch::shell {
namespace {

/// Elements that an array is kept with. A longer one would be no command line; two that append each other would double
/// with each line.
constexpr std::size_t kMostElements = 1'000;

}  // namespace

Text Variables::value(const std::string& name) const {
  if (unclear_.contains(name)) return Text::open("`$" + name + "` may be changed by the script");
  if (const auto own = texts_.find(name); own != texts_.end()) return own->second;
  if (lists_.contains(name)) return Text::open("`$" + name + "` is an array");
  if (forgotten_) return Text::open("`$" + name + "` may be set by a file that the script reads");
  return variable(name, env_);
}

Text Variables::given(const std::string& name) const { return variable(name, env_); }

bool Variables::set(const std::string& name) const {
  return forgotten_ || unclear_.contains(name) || texts_.contains(name) || lists_.contains(name) ||
         std::any_of(env_.begin(), env_.end(), [&name](const EnvEntry& entry) { return entry.name == name; });
}

void Variables::assign(const std::string& name, Text value, bool append, bool branch) {
  ++assigned_[name];
  if (append && !branch) {
    Text whole = set(name) ? this->value(name) : Text::open("`$" + name + "` is set at run time");
    whole.add(value);
    value = std::move(whole);
  }
  lists_.erase(name);
  texts_[name] = branch ? Text::open("`$" + name + "` is set in a branch of the script") : std::move(value);
}

void Variables::assign(const std::string& name, std::vector<Word> elements, bool append, bool branch) {
  ++assigned_[name];
  if (append) {
    const std::vector<Word>* before = list(name);
    if (before == nullptr || before->size() + elements.size() > kMostElements) branch = true;
    if (!branch) elements.insert(elements.begin(), before->begin(), before->end());
  }
  texts_.erase(name);
  lists_.erase(name);
  if (branch || elements.size() > kMostElements) {
    texts_[name] = Text::open("`$" + name + "` is set in a branch of the script");
  } else {
    lists_[name] = std::move(elements);
  }
}

const std::vector<Word>* Variables::list(const std::string& name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() || unclear_.contains(name) ? nullptr : &found->second;
}

void Variables::forget() {
  forgotten_ = true;
  texts_.clear();
  lists_.clear();
}

}  // namespace rollcall::launch::shell

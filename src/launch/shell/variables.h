#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/launchers/program.h"
#include "launch/shell/lexer.h"

namespace rollcall::launch::shell {

/// What a script's variables and arrays hold at the place that is being read.
class Variables {
 public:
  /// `unclear`: names whose value is open wherever they stand. `env` must outlive this.
  Variables(const std::vector<EnvEntry>& env, std::set<std::string> unclear)
      : env_(env), unclear_(std::move(unclear)) {}

  /// Open where the value shows only at run time.
  Text value(const std::string& name) const;
  /// Whether the script or the manifest gives the variable a value, known or not.
  bool set(const std::string& name) const;

  /// What the manifest gives the name, whatever the script does.
  Text given(const std::string& name) const;

  /// `NAME=…`, `NAME+=…`. `branch`: it may run or not.
  void assign(const std::string& name, Text value, bool append, bool branch);
  void assign(const std::string& name, std::vector<Word> elements, bool append, bool branch);
  /// The elements; nullptr where they are open.
  const std::vector<Word>* list(const std::string& name) const;
  /// Another script was read: every value may be another now.
  void forget();

  /// How often each name was assigned in a way that was read.
  const std::map<std::string, std::size_t>& assigned() const { return assigned_; }
  /// `export NAME`, `A=B program`: named, and left as it was.
  void keep(const std::string& name) { ++assigned_[name]; }

 private:
  const std::vector<EnvEntry>& env_;
  std::set<std::string> unclear_;
  std::map<std::string, Text> texts_;
  std::map<std::string, std::vector<Word>> lists_;
  std::map<std::string, std::size_t> assigned_;
  bool forgotten_ = false;
};

}  // namespace rollcall::launch::shell

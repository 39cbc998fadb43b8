#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "probe/annotations.h"
#include "probe/net/wake.h"

namespace rollcall::probe {

/// Watches the downwardAPI's annotations file from a thread of its own; `news` is notified when what it says changes.
class SheetWatch {
 public:
  static Result<std::unique_ptr<SheetWatch>> start(std::string path, const Wake& news);
  virtual ~SheetWatch() = default;

  /// What the file said last; an empty sheet while there is no file. Any thread.
  virtual PodSheet sheet() const = 0;
};

}  // namespace rollcall::probe

#include "probe/sheet_watch.h"

#include <system_error>

#include "probe/files.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// The kubelet replaces the file about 0.1 s after a patch; a small file in memory costs nothing to read.
constexpr std::chrono::milliseconds kInterval{50};
/// The API server takes 256 KiB of annotations; quoting can double them and more.
constexpr std::size_t kMaxFile = 2U << 20;

class Watch final : public SheetWatch {
 public:
  Watch(std::string path, const Wake& news) : path_(std::move(path)), news_(news) { look(); }

  ~Watch() override {
    stop_.notify();
    if (thread_.joinable()) thread_.join();
  }

  Status begin() {
    try {
      thread_ = std::thread([this] {
        while (!stop_.wait_for(kInterval)) look();
      });
    } catch (const std::system_error& error) {
      return Error{text("starting a thread to watch ", path_, ": ", error.what(), "; raise the pod's pids limit")};
    }
    return Done{};
  }

  PodSheet sheet() const override {
    const std::lock_guard lock(mutex_);
    return sheet_;
  }

 private:
  void look() {
    // Unreadable (not there yet, being replaced) is as good as empty: what is not seen is not reported.
    const auto content = read_file(path_, kMaxFile);
    auto sheet = content ? pod_sheet_from(*content) : PodSheet{};
    const std::lock_guard lock(mutex_);
    if (sheet == sheet_) return;
    sheet_ = std::move(sheet);
    news_.notify();
  }

  const std::string path_;
  const Wake& news_;
  mutable std::mutex mutex_;
  PodSheet sheet_;
  Wake stop_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<SheetWatch>> SheetWatch::start(std::string path, const Wake& news) {
  auto watch = std::make_unique<Watch>(std::move(path), news);
  if (auto begun = watch->begin(); !begun) return begun.error();
  return std::unique_ptr<SheetWatch>(std::move(watch));
}

}  // namespace rollcall::probe

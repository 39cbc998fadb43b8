#include "probe/steps/job_image.h"

#include <unistd.h>

#include "probe/children/child.h"
#include "probe/deadline.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// Reading files of an image that is streamed can fault in 400 MB.
constexpr std::chrono::seconds kDevicesDeadline{60};

/// /proc/self/exe names another program after the next exec, so what it stands for is read now.
std::string real_self(const std::string& self) {
  char target[4096] = {};
  const auto size = ::readlink(self.c_str(), target, sizeof target - 1);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : self;
}

}  // namespace

JobImage::JobImage(const Settings& settings, Log& log)
    : settings_(settings), log_(log), self_(real_self(settings.self)) {}

std::string JobImage::next_to_self(const char* name) const {
  return (settings_.bin_dir.empty() ? self_.substr(0, self_.find_last_of('/')) : settings_.bin_dir) + "/" + name;
}

std::string JobImage::child_program() const { return next_to_self(api::names::kChildProgram); }
std::string JobImage::bundled_nccl() const { return next_to_self(api::names::kBundledNccl); }

std::optional<JobEnvironment> JobImage::environment(const Wake& cancel) {
  const std::lock_guard lock(environment_mutex_);
  if (!environment_) {
    auto made = job_environment(settings_, own_environment(), self_, cancel);
    if (cancel.notified()) return std::nullopt;
    if (!settings_.setup.empty())
      log_.line(made.trouble.empty() ? std::string("environment: rollCall.setup went well")
                                     : "environment: rollCall.setup failed, " + made.trouble);
    environment_ = std::move(made);
  }
  return environment_;
}

std::optional<JobImage::Devices> JobImage::devices(const Wake& cancel) {
  const auto environment = this->environment(cancel);
  if (!environment) return std::nullopt;
  const std::lock_guard lock(devices_mutex_);
  if (!devices_) {
    auto report = run_child(
        {self_, {"devices"}, environment->variables, scaled(kDevicesDeadline, settings_.deadline_percent)}, cancel);
    if (cancel.notified()) return std::nullopt;
    Devices devices;
    if (report.gpu) devices.facts.gpu = std::move(*report.gpu);
    if (report.nccl) devices.facts.nccl = std::move(*report.nccl);
    if (!report.trouble.empty()) devices.trouble = "the child that reads the image's files " + report.trouble;
    devices_ = std::move(devices);
  }
  return devices_;
}

}  // namespace rollcall::probe

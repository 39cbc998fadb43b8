#include "probe/steps/gpu.h"

#include "probe/children/child.h"
#include "probe/deadline.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// cuInit alone may take 120 s on a node without persistence mode that initialises many GPUs; NVML and its two samples
/// of clocks come after it.
constexpr std::chrono::seconds kGpuDeadline{120 + 30};

}  // namespace

std::optional<roll_call::GpuFacts> read_gpus(const Settings& settings, JobImage& image, const Wake& cancel) {
  const auto environment = image.environment(cancel);
  if (!environment) return std::nullopt;
  const auto report = run_child(
      {image.child_program(), {"gpu"}, environment->variables, scaled(kGpuDeadline, settings.deadline_percent)},
      cancel);
  const auto devices = image.devices(cancel);
  if (!devices) return std::nullopt;
  auto facts = report.gpu.value_or(roll_call::GpuFacts{});
  if (facts.torch_cuda == 0) facts.torch_cuda = devices->facts.gpu.torch_cuda;
  if (facts.visible_devices < 0) facts.visible_devices = devices->facts.gpu.visible_devices;
  if (facts.other.empty()) facts.other = devices->facts.gpu.other;
  mark_end(report, facts);
  if (report.gpu && report.trouble.empty() && facts.cuda_result < 0 && facts.error.empty()) {
    // A library that ends its process by itself.
    facts.error = "the program that asks CUDA and NVML ended in " + report.step;
    facts.cut_short = true;
  }
  if (facts.cut_short) facts.cut_in = report.step;
  if (!report.trouble.empty())
    facts.error += text(facts.error.empty() ? "" : "; ", report.unable ? "" : "the program that asks CUDA and NVML ",
                        report.trouble);
  return facts;
}

std::string words_for(const roll_call::GpuFacts& facts) {
  std::string line = "gpu: ";
  if (!facts.gpus.empty()) {
    line += text(facts.gpus.size(), " x ", facts.gpus.front().name);
  } else if (!facts.other.empty()) {
    line += text("no NVIDIA GPU; ", facts.other);
  } else {
    line += "none";
  }
  if (facts.simulated) line += " (simulated)";
  if (!facts.driver.empty()) line += text(", driver ", facts.driver);
  if (facts.cuda_version > 0) line += text(", CUDA ", facts.cuda_version / 1000, ".", facts.cuda_version % 1000 / 10);
  if (facts.torch_cuda > 0)
    line += text(", torch built for CUDA ", facts.torch_cuda / 1000, ".", facts.torch_cuda % 1000 / 10);
  if (facts.cuda_result > 0) line += text("; cuInit: ", facts.cuda_name, " (", facts.cuda_result, ")");
  if (facts.cuda_result == 0) line += text(", cuInit in ", seconds_words(facts.init_seconds));
  if (facts.nvml_result > 0) line += text("; NVML: ", facts.nvml_name, " (", facts.nvml_result, ")");
  if (facts.visible_devices >= 0) line += text("; CUDA_VISIBLE_DEVICES names ", facts.visible_devices);
  if (!facts.error.empty()) line += "; " + facts.error;
  return line;
}

}  // namespace rollcall::probe

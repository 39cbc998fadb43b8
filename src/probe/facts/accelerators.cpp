#include "probe/facts/accelerators.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "probe/facts/listing.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Entries of `directory` named `prefix` and a number.
std::vector<std::string> numbered(const ImageView& image, const std::string& directory, std::string_view prefix) {
  auto names = names_in(image.root, directory, prefix, "");
  names.erase(std::remove_if(
                  names.begin(), names.end(),
                  [&](const std::string& name) { return !all_digits(std::string_view(name).substr(prefix.size())); }),
              names.end());
  return names;
}

/// The driver of a node of the kernel's accel class.
std::string accel_driver(const ImageView& image, const std::string& name) {
  char target[512] = {};
  const auto link = image.root + "/sys/class/accel/" + name + "/device/driver";
  if (::readlink(link.c_str(), target, sizeof target - 1) <= 0) return "";
  const std::string path(target);
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

std::string other_accelerators(const ImageView& image, const std::string& gpu_resource) {
  struct stat status {};
  if (::stat((image.root + "/dev/kfd").c_str(), &status) == 0)
    return text("amd ", numbered(image, "/dev/dri", "renderD").size());
  if (const auto count = numbered(image, "/dev", "neuron").size(); count > 0) return text("neuron ", count);
  const auto accel = numbered(image, "/dev/accel", "accel");
  const auto habana = static_cast<std::size_t>(std::count_if(
      accel.begin(), accel.end(), [&](const std::string& name) { return accel_driver(image, name) == "habanalabs"; }));
  // Before kernel 6.2 the driver made nodes of its own.
  if (const auto count = habana + numbered(image, "/dev", "hl").size(); count > 0) return text("habana ", count);
  auto tpus = numbered(image, "/dev", "accel").size();
  if (tpus == 0 && gpu_resource == "google.com/tpu") tpus = numbered(image, "/dev/vfio", "").size();
  return tpus > 0 ? text("tpu ", tpus) : "";
}

}  // namespace rollcall::probe

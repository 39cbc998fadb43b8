#include "probe/facts/image.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "probe/facts/elf.h"
#include "probe/facts/ld_cache.h"
#include "probe/facts/listing.h"
#include "probe/files.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

constexpr std::size_t kMaxDirectories = 64;  // to look into, of one kind
constexpr std::size_t kMaxVersionFile = 64 * 1024;
constexpr std::size_t kMaxConfFile = 1U << 20;
constexpr std::size_t kMaxCache = 32U << 20;  // ld.so.cache; 100 KiB is usual
constexpr std::size_t kMaxFound = 32;         // as many as an answer carries

std::vector<std::string> split(std::string_view list, std::string_view separators) {
  std::vector<std::string> parts;
  while (!list.empty() && parts.size() < kMaxDirectories) {
    const auto end = std::min(list.find_first_of(separators), list.size());
    if (end > 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? std::string(real.get()) : path;
}

/// "2.27.5" out of "/usr/lib/…/libnccl.so.2.27.5"; empty when the name has no full version.
std::string version_of_name(const std::string& path) {
  constexpr std::string_view kSo = ".so.";
  const auto at = path.rfind(kSo);
  if (at == std::string::npos) return "";
  std::string version = path.substr(at + kSo.size());
  return std::count(version.begin(), version.end(), '.') >= 2 ? version : "";
}

/// "2.27.5" out of "nvidia_nccl_cu12-2.27.5.dist-info".
std::string version_of_wheel(const std::string& name) {
  const auto dash = name.find('-');
  const auto end = name.rfind(".dist-info");
  return dash == std::string::npos || end == std::string::npos || end <= dash ? ""
                                                                              : name.substr(dash + 1, end - dash - 1);
}

class Finder {
 public:
  explicit Finder(const ImageView& image) : image_(image) {}

  /// Notes the library at `path`, once.
  void library(const std::string& name, const std::string& path, bool nccl, const std::string& version_beside = "") {
    struct stat status {};
    const std::string real = image_.root + path;
    if (found_.size() >= kMaxFound || ::stat(real.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (!seen_.emplace(status.st_dev, status.st_ino).second) return;
    roll_call::LibraryFact fact{name, path, "", ""};
    if (const auto elf = read_elf(real, nccl)) {
      fact.build_id = elf->build_id;
      fact.version = elf->nccl_version;
    }
    if (fact.version.empty()) fact.version = version_of_name(real_path(real));
    if (fact.version.empty()) fact.version = version_beside;
    found_.push_back(std::move(fact));
  }

  /// Notes something that has a version but no library file of its own.
  void package(const std::string& name, const std::string& path, const std::string& version) {
    if (found_.size() < kMaxFound) found_.push_back({name, path, version, ""});
  }

  /// libnccl and its net plugins in a directory that loaders search.
  void directory(const std::string& directory, const std::string& nccl_version = "") {
    for (const char* file : {"/libnccl.so.2", "/libnccl.so"}) library("nccl", directory + file, true, nccl_version);
    for (const auto& plugin : names_in(image_.root, directory, "libnccl-net", ".so"))
      library("nccl-net", directory + "/" + plugin, false);
  }

  std::vector<roll_call::LibraryFact> take() { return std::move(found_); }

 private:
  const ImageView& image_;
  std::vector<roll_call::LibraryFact> found_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

void look_at_packages(Finder& find, const ImageView& image, const std::string& site) {
  std::string nccl;
  for (const auto& wheel : names_in(image.root, site, "nvidia_nccl_cu", ".dist-info")) nccl = version_of_wheel(wheel);
  find.directory(site + "/nvidia/nccl/lib", nccl);
  find.directory(site + "/torch/lib");
  if (const auto text = read_file(image.root + site + "/torch/version.py", kMaxVersionFile)) {
    find.package("torch", site + "/torch", torch_version_from(*text));
  }
  for (const char* name : {"jax", "jaxlib"}) {
    for (const auto& wheel : names_in(image.root, site, text(name, "-"), ".dist-info"))
      find.package(name, site + "/" + name, version_of_wheel(wheel));
  }
  for (const auto& wheel : names_in(image.root, site, "nvidia_cuda_runtime", ".dist-info")) {
    find.package("cudart", site + "/" + wheel, version_of_wheel(wheel));
  }
}

/// DIRECTORY/lib/python3.X/{site,dist}-packages
void add_pythons(std::vector<std::string>& sites, const ImageView& image, const std::string& prefix) {
  for (const auto& python : names_in(image.root, prefix + "/lib", "python3", "")) {
    for (const char* kind : {"/site-packages", "/dist-packages"}) sites.push_back(prefix + "/lib/" + python + kind);
  }
}

}  // namespace

std::string sha256(const std::string& content) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(content.data(), content.size(), digest, &size, EVP_sha256(), nullptr) != 1) return "";
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

std::string torch_version_from(std::string_view version_py) {
  // __version__ = '2.5.1+cu124', with or without an annotation
  auto at = version_py.find("__version__");
  while (at != std::string_view::npos) {
    const auto line = version_py.substr(at, version_py.find('\n', at) - at);
    const auto open = line.find_first_of("'\"");
    if (line.find('=') < open && open != std::string_view::npos) {
      const auto close = line.find(line[open], open + 1);
      if (close != std::string_view::npos) return std::string(line.substr(open + 1, close - open - 1));
    }
    at = version_py.find("__version__", at + 1);
  }
  return "";
}

std::vector<std::string> site_packages(const ImageView& image) {
  std::vector<std::string> sites = split(image.env("PYTHONPATH").value_or(""), ":");
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const auto prefix = image.env(name); prefix && !prefix->empty()) add_pythons(sites, image, *prefix);
  }
  for (const auto& bin : split(image.env("PATH").value_or(""), ":")) {
    if (ends_with(bin, "/bin")) add_pythons(sites, image, bin.substr(0, bin.size() - 4));
  }
  for (const char* prefix : {"/usr", "/usr/local", "/opt/conda", "/opt/venv", "/venv"})
    add_pythons(sites, image, prefix);
  for (const auto& environment : names_in(image.root, "/opt/conda/envs", "", "")) {
    if (environment[0] != '.') add_pythons(sites, image, "/opt/conda/envs/" + environment);
  }
  std::vector<std::string> once;
  for (auto& site : sites) {
    if (once.size() < kMaxDirectories && std::find(once.begin(), once.end(), site) == once.end())
      once.push_back(std::move(site));
  }
  return once;
}

std::vector<roll_call::LibraryFact> find_libraries(const ImageView& image) {
  Finder find(image);
  for (const auto& path : split(image.env("LD_PRELOAD").value_or(""), ": ")) {
    if (path.find("libnccl") != std::string::npos && path.front() == '/') find.library("nccl", path, true);
  }
  for (const auto& directory : split(image.env("LD_LIBRARY_PATH").value_or(""), ":;")) find.directory(directory);
  for (const auto& site : site_packages(image)) look_at_packages(find, image, site);
  if (const auto cache = read_file(image.root + "/etc/ld.so.cache", kMaxCache)) {
    for (const auto& path : cached_paths(*cache, "libnccl.so")) find.library("nccl", path, true);
    for (const auto& path : cached_paths(*cache, "libnccl-net")) find.library("nccl-net", path, false);
  }
  for (const char* directory :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
        "/usr/local/nccl/lib", "/opt/conda/lib", "/opt/amazon/ofi-nccl/lib", "/opt/aws-ofi-nccl/lib",
        "/usr/local/gib/lib64", "/opt/hpcx/nccl_rdma_sharp_plugin/lib"}) {
    find.directory(directory);
  }
  return find.take();
}

std::map<std::string, std::string> hash_conf_files(const ImageView& image) {
  std::map<std::string, std::string> hashes;
  const auto home = image.env("HOME").value_or("");
  for (const auto& path : {image.env("NCCL_CONF_FILE").value_or(home.empty() ? "" : home + "/.nccl.conf"),
                           std::string("/etc/nccl.conf")}) {
    if (path.empty()) continue;
    const auto content = read_file(image.root + path, kMaxConfFile);
    if (content) {
      hashes[path] = sha256(*content);
    } else if (content.error().code != "ENOENT" && content.error().code != "ENOTDIR") {
      hashes[path] = text("not readable: ", content.error().code);
    }
  }
  return hashes;
}

}  // namespace rollcall::probe

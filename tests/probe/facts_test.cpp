// What is read of the image and the node, from made files.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include "probe/facts/child.h"
#include "probe/facts/elf.h"
#include "probe/facts/environment.h"
#include "probe/facts/image.h"
#include "probe/facts/ld_cache.h"
#include "probe/facts/node.h"
#include "probe/support/process.h"

namespace rollcall::probe {
namespace {

using roll_call::LibraryFact;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A shared object as far as it is read: a note segment with a build id and a .rodata section with `text`.
std::string made_library(const std::string& build_id, const std::string& text) {
  std::string note;
  append(note, Elf64_Nhdr{4, 8, NT_GNU_PROPERTY_TYPE_0});
  note += std::string("GNU\0", 4) + std::string(8, 'x');
  append(note, Elf64_Nhdr{4, static_cast<Elf64_Word>(build_id.size()), NT_GNU_BUILD_ID});
  note += std::string("GNU\0", 4) + build_id;
  const std::string names = std::string("\0.rodata\0.shstrtab\0", 19);
  const std::size_t note_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  const std::size_t text_at = note_at + note.size();
  const std::size_t names_at = text_at + text.size();
  const std::size_t sections_at = names_at + names.size();

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shoff = sections_at;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = note_at;
  segment.p_filesz = note.size();
  Elf64_Shdr rodata{};
  rodata.sh_name = 1;
  rodata.sh_type = SHT_PROGBITS;
  rodata.sh_offset = text_at;
  rodata.sh_size = text.size();
  Elf64_Shdr strings{};
  strings.sh_name = 9;
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = names_at;
  strings.sh_size = names.size();
  std::string file;
  append(file, header);
  append(file, segment);
  file += note + text + names;
  append(file, Elf64_Shdr{});
  append(file, rodata);
  append(file, strings);
  return file;
}

TEST(Elf, BuildIdAndVersionAreReadFromTheFile) {
  const TemporaryDirectory files;
  const std::string text = std::string("NCCL version %d") + '\0' + "NCCL version 2.27.5+cuda12.9" + '\0';
  const auto path = files.write("libnccl.so.2", made_library("\x01\xab\xff", text));
  const auto facts = read_elf(path, true);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->build_id, "01abff");
  EXPECT_EQ(facts->nccl_version, "2.27.5");
}

TEST(Elf, TheVersionMayLieAcrossTwoChunks) {
  const TemporaryDirectory files;
  std::string text = "NCCL version %s ";
  text.resize((1U << 20) - 15, '.');
  text += "NCCL version 2.18.1+cuda11";
  text.resize(3U << 20, '.');
  const auto facts = read_elf(files.write("libnccl.so.2", made_library("id", text)), true);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->nccl_version, "2.18.1");
  EXPECT_EQ(facts->build_id, "6964");
}

TEST(Elf, HostileBytesAreAnErrorOrNothing) {
  const TemporaryDirectory files;
  EXPECT_FALSE(read_elf(files.write("text", "#!/bin/sh\n"), true));
  EXPECT_FALSE(read_elf(files.write("empty", ""), true));
  EXPECT_FALSE(read_elf(files.path() + "/none", true));
  const std::string whole = made_library("id", "NCCL version 2.27.5 ");
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto facts = read_elf(files.write("cut", whole.substr(0, size)), true);
    EXPECT_THAT(facts ? facts->nccl_version : "", ::testing::AnyOf("", "2.27.5"));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ '\xff');
    (void)read_elf(files.write("changed", changed), true);  // any result, but no crash and no endless read
  }
}

TEST(Elf, ThisProgramsOwnBuildIdIsFound) {
  const auto facts = read_elf("/proc/self/exe", false);
  ASSERT_TRUE(facts);
  // Toolchains without --build-id give none; then it must be empty, else 40 hex digits.
  EXPECT_TRUE(facts->build_id.empty() || facts->build_id.size() == 40) << facts->build_id;
}

std::string made_cache(const std::vector<std::pair<std::string, std::string>>& libraries) {
  std::string strings;
  std::string entries;
  const std::size_t strings_at = 48 + 24 * libraries.size();
  for (const auto& [name, path] : libraries) {
    append(entries, std::uint32_t{3});
    append(entries, static_cast<std::uint32_t>(strings_at + strings.size()));
    strings += name + '\0';
    append(entries, static_cast<std::uint32_t>(strings_at + strings.size()));
    strings += path + '\0';
    append(entries, std::uint32_t{0});
    append(entries, std::uint64_t{0});
  }
  std::string cache = "glibc-ld.so.cache1.1";
  append(cache, static_cast<std::uint32_t>(libraries.size()));
  append(cache, static_cast<std::uint32_t>(strings.size()));
  cache += std::string(20, '\0');
  return cache + entries + strings;
}

TEST(LoaderCache, GivesThePathsOfALibrary) {
  const auto cache = made_cache({{"libc.so.6", "/lib/libc.so.6"}, {"libnccl.so.2", "/usr/lib/libnccl.so.2"}});
  EXPECT_THAT(cached_paths(cache, "libnccl.so"), ElementsAre("/usr/lib/libnccl.so.2"));
  EXPECT_THAT(cached_paths("ld.so-1.7.0 of old" + cache, "libnccl.so"), ElementsAre("/usr/lib/libnccl.so.2"));
}

TEST(LoaderCache, HostileBytesGiveNone) {
  const auto cache = made_cache({{"libnccl.so.2", "/usr/lib/libnccl.so.2"}});
  for (std::size_t size = 0; size < cache.size(); ++size)
    EXPECT_THAT(cached_paths(cache.substr(0, size), "libnccl"), IsEmpty()) << size;
  std::string many = cache;
  many.replace(20, 4, "\xff\xff\xff\xff");
  EXPECT_THAT(cached_paths(many, "libnccl"), IsEmpty());
}

ImageView view(const TemporaryDirectory& root, std::map<std::string, std::string> environment = {}) {
  return {root.path(), [environment](const char* name) -> std::optional<std::string> {
            const auto at = environment.find(name);
            return at == environment.end() ? std::nullopt : std::optional(at->second);
          }};
}

std::vector<std::string> lines_of(const std::vector<LibraryFact>& libraries) {
  std::vector<std::string> lines;
  for (const auto& library : libraries) lines.push_back(library.name + " " + library.version + " " + library.path);
  return lines;
}

TEST(Image, LibrariesAreFoundInTheLoadersOrder) {
  const TemporaryDirectory root;
  root.write("opt/own/libnccl.so.2", made_library("a", "NCCL version 2.21.5+cuda12 "));
  root.write("usr/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2", made_library("b", "nothing to see"));
  root.write("usr/lib/python3.11/site-packages/nvidia_nccl_cu12-2.27.5.dist-info/METADATA", "Version: 2.27.5");
  root.write("usr/lib/python3.11/site-packages/torch/version.py", "__version__ = '2.5.1+cu124'\ndebug = False\n");
  root.write("usr/lib/python3.11/site-packages/jax-0.10.0.dist-info/METADATA", "");
  root.write("usr/lib/python3.11/site-packages/nvidia_cuda_runtime_cu12-12.9.79.dist-info/METADATA", "");
  root.write("usr/lib/x86_64-linux-gnu/libnccl.so.2.18.1", made_library("c", "stripped"));
  std::filesystem::create_symlink("libnccl.so.2.18.1", root.path() + "/usr/lib/x86_64-linux-gnu/libnccl.so.2");
  root.write("opt/own/libnccl-net-ofi.so", made_library("d", ""));
  EXPECT_THAT(lines_of(find_libraries(view(root, {{"LD_LIBRARY_PATH", "/opt/own:/opt/none"}}))),
              ElementsAre("nccl 2.21.5 /opt/own/libnccl.so.2", "nccl-net  /opt/own/libnccl-net-ofi.so",
                          "nccl 2.27.5 /usr/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2",
                          "torch 2.5.1+cu124 /usr/lib/python3.11/site-packages/torch",
                          "jax 0.10.0 /usr/lib/python3.11/site-packages/jax",
                          "cudart 12.9.79 /usr/lib/python3.11/site-packages/nvidia_cuda_runtime_cu12-12.9.79.dist-info",
                          "nccl 2.18.1 /usr/lib/x86_64-linux-gnu/libnccl.so.2"));
}

TEST(Image, OneFileIsOneLibraryHoweverManyPathsLeadToIt) {
  const TemporaryDirectory root;
  root.write("usr/lib/libnccl.so.2.27.5", made_library("a", ""));
  std::filesystem::create_symlink("libnccl.so.2.27.5", root.path() + "/usr/lib/libnccl.so.2");
  std::filesystem::create_symlink("libnccl.so.2.27.5", root.path() + "/usr/lib/libnccl.so");
  EXPECT_EQ(find_libraries(view(root, {{"LD_LIBRARY_PATH", "/usr/lib"}, {"LD_PRELOAD", "/usr/lib/libnccl.so"}})).size(),
            1U);
}

TEST(Image, AnEmptyImageHasNoLibraries) {
  const TemporaryDirectory root;
  EXPECT_THAT(find_libraries(view(root)), IsEmpty());
  EXPECT_THAT(hash_conf_files(view(root, {{"HOME", "/root"}})), IsEmpty());
}

TEST(Image, ConfFilesAreHashedNeverTold) {
  const TemporaryDirectory root;
  root.write("etc/nccl.conf", "NCCL_DEBUG=INFO\n");
  root.write("root/.nccl.conf", "");
  const auto hashes = hash_conf_files(view(root, {{"HOME", "/root"}}));
  ASSERT_EQ(hashes.size(), 2U);
  EXPECT_EQ(hashes.at("/etc/nccl.conf"), "622cd9912733d1a8c1df8f962467d4b4a318fc864362436984dc0038dae62a6c");
  EXPECT_EQ(hashes.at("/root/.nccl.conf"), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

struct VersionPy {
  const char* text;
  const char* version;
};
class TorchVersion : public ::testing::TestWithParam<VersionPy> {};
TEST_P(TorchVersion, IsReadFromItsText) { EXPECT_EQ(torch_version_from(GetParam().text), GetParam().version); }
INSTANTIATE_TEST_SUITE_P(Image, TorchVersion,
                         ::testing::Values(VersionPy{"__version__ = '2.5.1+cu124'\n", "2.5.1+cu124"},
                                           VersionPy{"__all__ = ['__version__', 'cuda']\n__version__ = \"2.0\"", "2.0"},
                                           VersionPy{"from x import y\n", ""}, VersionPy{"__version__ = 'cut", ""}));

TEST(Environment, OnlyNamesOnTheListAreRead) {
  const Environment variables = {{"NCCL_DEBUG", "INFO"},
                                 {"AWS_SECRET_ACCESS_KEY", "abc"},
                                 {"WORLD_SIZE", "8"},
                                 {"RANKING", "1"},
                                 {"MASTER_ADDR", ""}};
  EXPECT_EQ(allowed_environment(variables),
            (std::map<std::string, std::string>{{"NCCL_DEBUG", "INFO"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", ""}}));
}

TEST(Memory, LimitsOfBothCgroupVersions) {
  EXPECT_EQ(memory_limit_from("max"), 0);
  EXPECT_EQ(memory_limit_from("536870912"), 536870912);
  EXPECT_EQ(memory_limit_from("9223372036854771712"), 0) << "v1's way to say none";
  EXPECT_EQ(memory_limit_from(""), 0);
}

TEST(Node, FactsOfThisMachineAreThere) {
  roll_call::LocalFacts facts;
  read_node_facts(facts);
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_FALSE(facts.boot_id.empty());
  EXPECT_THAT(facts.port_range, HasSubstr(" "));
  EXPECT_GT(facts.memory_available_bytes, 0);
  EXPECT_THAT(facts.interfaces, ::testing::Contains(::testing::Field(&roll_call::InterfaceFact::name, "lo")));
}

TEST(Gpus, InvisibleOnesAreExplained) {
  const TemporaryDirectory files;
  roll_call::LocalFacts facts;
  facts.gpus_requested = 2;
  std::filesystem::create_directories(files.path() + "/dev");
  read_gpu_facts(facts, files.path() + "/dev", files.path() + "/proc");
  EXPECT_EQ(facts.gpus_visible, 0);
  EXPECT_THAT(facts.gpu_detail, HasSubstr("no NVIDIA driver is loaded on the node"));
  files.write("proc/driver/nvidia/version", "NVRM");
  read_gpu_facts(facts, files.path() + "/dev", files.path() + "/proc");
  EXPECT_THAT(facts.gpu_detail, HasSubstr("did not inject the devices"));
}

TEST(Gpus, OnlyNumberedNodesCount) {
  const TemporaryDirectory files;
  for (const char* name : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"})
    files.write(std::string("dev/") + name, "");
  roll_call::LocalFacts facts;
  facts.gpus_requested = 2;
  read_gpu_facts(facts, files.path() + "/dev", files.path() + "/proc");
  EXPECT_EQ(facts.gpus_visible, 2);
  EXPECT_EQ(facts.gpu_detail, "");
}

TEST(FactsChild, OneThatHangsIsLeftBehindWithWhatItSaid) {
  const TemporaryDirectory files;
  const auto script = files.write(
      "hangs",
      "#!/bin/sh\necho '{\"podUid\":\"u\",\"bootNonce\":\"n\",\"facts\":{\"hostname\":\"told\"}}'\nexec sleep 100\n");
  ::chmod(script.c_str(), 0755);
  const Wake cancel;
  const auto child = read_facts_in_child(script, own_environment(), std::chrono::milliseconds(300), cancel);
  EXPECT_EQ(child.facts.hostname, "told");
  EXPECT_THAT(child.trouble, HasSubstr("not done within"));
}

TEST(FactsChild, TheProgramTellsWhatItFindsInItsImage) {
  const Wake cancel;
  const testing::TemporaryDirectory files;
  const auto library = files.write("libnccl.so.2", made_library("id", "NCCL version 2.27.5 "));
  const Environment environment = {{"LD_LIBRARY_PATH", files.path()}};
  const auto child =
      read_facts_in_child(ROLLCALL_BIN_DIR "/rollcall-probe", environment, std::chrono::seconds(10), cancel);
  EXPECT_EQ(child.trouble, "");
  EXPECT_THAT(lines_of(child.facts.libraries), ::testing::Contains("nccl 2.27.5 " + library));
}

TEST(FactsChild, OneThatSaysNothingIsSaid) {
  const Wake cancel;
  EXPECT_THAT(read_facts_in_child("/bin/true", own_environment(), std::chrono::seconds(10), cancel).trouble,
              HasSubstr("nothing that can be read"));
}

TEST(FactsChild, OneThatCannotBeStartedIsSaid) {
  const Wake cancel;
  EXPECT_THAT(read_facts_in_child("/nowhere", own_environment(), std::chrono::seconds(1), cancel).trouble,
              HasSubstr("starting a child"));
}

}  // namespace
}  // namespace rollcall::probe

#include "probe/facts/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "probe/net/address.h"
#include "probe/net/fd.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

constexpr std::size_t kMaxHeaders = 512;         // program or section headers; libraries have under 60
constexpr std::size_t kMaxNotes = 64 * 1024;     // bytes of one note segment
constexpr std::size_t kMaxNames = 64 * 1024;     // bytes of section names
constexpr std::size_t kMaxReadOnly = 64U << 20;  // bytes of .rodata
constexpr std::size_t kMaxTable = 256U << 20;    // bytes of dynamic symbols, or of their names
constexpr std::size_t kChunk = 1U << 20;
constexpr std::string_view kNcclText = "NCCL version ";
constexpr std::size_t kMaxVersion = 32;

/// Reads exactly `size` bytes at `offset`, or says false.
bool read_at(const Fd& fd, void* into, std::size_t size, std::uint64_t offset) {
  auto* at = static_cast<char*>(into);
  while (size > 0) {
    const auto got = ::pread(fd.get(), at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string hex(const unsigned char* bytes, std::size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

/// The build id among a segment's notes, or empty.
std::string build_id_in(const std::vector<unsigned char>& notes) {
  std::size_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    Elf64_Nhdr note{};
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::size_t name = at + sizeof note;
    if (note.n_namesz > notes.size() || note.n_descsz > notes.size()) return "";
    const std::size_t description = name + padded(note.n_namesz);
    if (description + note.n_descsz > notes.size()) return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0) {
      return hex(notes.data() + description, std::min<std::size_t>(note.n_descsz, 64));
    }
    at = description + padded(note.n_descsz);
  }
  return "";
}

std::string read_build_id(const Fd& fd, const Elf64_Ehdr& header) {
  for (std::size_t i = 0; i < std::min<std::size_t>(header.e_phnum, kMaxHeaders); ++i) {
    Elf64_Phdr segment{};
    if (!read_at(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment)) return "";
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNotes) continue;
    std::vector<unsigned char> notes(segment.p_filesz);
    if (!read_at(fd, notes.data(), notes.size(), segment.p_offset)) continue;
    if (auto id = build_id_in(notes); !id.empty()) return id;
  }
  return "";
}

/// "2.27.5" out of "…NCCL version 2.27.5+cuda12.9…", or empty. Texts like "NCCL version %d" do not count.
std::string version_in(std::string_view data) {
  for (auto at = data.find(kNcclText); at != std::string_view::npos; at = data.find(kNcclText, at + 1)) {
    std::size_t end = at + kNcclText.size();
    const std::size_t begin = end;
    while (end < data.size() && end - begin < kMaxVersion &&
           ((data[end] >= '0' && data[end] <= '9') || data[end] == '.'))
      ++end;
    if (end > begin && end < data.size()) return std::string(data.substr(begin, end - begin));
  }
  return "";
}

std::string read_version(const Fd& fd, std::uint64_t offset, std::uint64_t size) {
  const std::size_t overlap = kNcclText.size() + kMaxVersion + 1;
  std::string buffer;
  std::uint64_t done = 0;
  size = std::min<std::uint64_t>(size, kMaxReadOnly);
  while (done < size) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, size - done));
    const std::size_t kept = buffer.size();
    buffer.resize(kept + part);
    if (!read_at(fd, buffer.data() + kept, part, offset + done)) return "";
    if (auto version = version_in(buffer); !version.empty()) return version;
    done += part;
    if (buffer.size() > overlap) buffer.erase(0, buffer.size() - overlap);
  }
  return "";
}

std::string read_nccl_version(const Fd& fd, const Elf64_Ehdr& header) {
  if (header.e_shnum == 0 || header.e_shnum > kMaxHeaders || header.e_shstrndx >= header.e_shnum) return "";
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(fd, sections.data(), sections.size() * sizeof(Elf64_Shdr), header.e_shoff)) return "";
  const auto& names_section = sections[header.e_shstrndx];
  if (names_section.sh_size > kMaxNames) return "";
  std::string names(names_section.sh_size, '\0');
  if (!read_at(fd, names.data(), names.size(), names_section.sh_offset)) return "";
  for (const auto& section : sections) {
    if (section.sh_type != SHT_PROGBITS || section.sh_name >= names.size()) continue;
    if (std::string_view(names.c_str() + section.sh_name).substr(0, 7) != ".rodata") continue;
    if (auto version = read_version(fd, section.sh_offset, section.sh_size); !version.empty()) return version;
  }
  return "";
}

/// The section headers, or none when they cannot be true.
std::vector<Elf64_Shdr> read_sections(const Fd& fd, const Elf64_Ehdr& header) {
  if (header.e_shnum == 0 || header.e_shnum > kMaxHeaders) return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(fd, sections.data(), sections.size() * sizeof(Elf64_Shdr), header.e_shoff)) return {};
  return sections;
}

Result<Elf64_Ehdr> read_header(const Fd& fd, const std::string& path) {
  if (!fd.valid()) return Error{text("reading ", path, ": ", errno_words(errno)), errno_name(errno)};
  Elf64_Ehdr header{};
  if (!read_at(fd, &header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr) || (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))) {
    return Error{text(path, " is no 64-bit little-endian ELF file"), "ENOEXEC"};
  }
  return header;
}

bool defined_in(const std::vector<char>& symbols, const std::string& names, const std::string& name) {
  const std::string whole = name + '\0';
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol{};
    std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
    if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.size() &&
        names.compare(symbol.st_name, whole.size(), whole) == 0)
      return true;
  }
  return false;
}

}  // namespace

Result<ElfFacts> read_elf(const std::string& path, bool find_nccl_version) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto header = read_header(fd, path);
  if (!header) return header.error();
  ElfFacts facts;
  facts.build_id = read_build_id(fd, *header);
  if (find_nccl_version) facts.nccl_version = read_nccl_version(fd, *header);
  return facts;
}

Result<bool> defines_symbol(const std::string& path, const std::string& name) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto header = read_header(fd, path);
  if (!header) return header.error();
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0)
    return Error{text("reading ", path, ": ", errno_words(errno)), errno_name(errno)};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto sections = read_sections(fd, *header);
  for (const auto& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const auto& strings = sections[section.sh_link];
    // A table larger than the file is not believed, or memory would be asked for in vain.
    if (section.sh_size > std::min<std::uint64_t>(kMaxTable, size) ||
        strings.sh_size > std::min<std::uint64_t>(kMaxTable, size))
      continue;
    std::vector<char> symbols(section.sh_size);
    std::string names(strings.sh_size, '\0');
    if (!read_at(fd, symbols.data(), symbols.size(), section.sh_offset) ||
        !read_at(fd, names.data(), names.size(), strings.sh_offset))
      continue;
    if (defined_in(symbols, names, name)) return true;
  }
  return false;
}

}  // namespace rollcall::probe

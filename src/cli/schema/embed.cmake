# Writes OUTPUT, a C++ source with the texts of CRDS (files, by commas) as they stand in the chart: cmake -DCRDS=… -DOUTPUT=… -P embed.cmake
string(REPLACE "," ";" CRDS "${CRDS}")
set(entries "")
foreach(file IN LISTS CRDS)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"crd(${text})crd\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by src/cli/schema/embed.cmake of charts/rollcall/files/crds.
#include \"cli/schema/crds.h\"

namespace rollcall::cli {
namespace {
struct Entry {
  std::string_view plural;
  std::string_view text;
};
constexpr Entry kCrds[] = {
${entries}};
}  // namespace

std::string_view crd_text(std::string_view plural) {
  for (const Entry& entry : kCrds)
    if (entry.plural == plural) return entry.text;
  return {};
}

}  // namespace rollcall::cli
")

#pragma once

#include <string_view>

/// Every fuzz target; fuzz/NAME.cpp says what must hold.
namespace rollcall::fuzz {

void fuzz_desk_messages(std::string_view bytes);
void fuzz_child_lines(std::string_view bytes);
void fuzz_nccl_log(std::string_view bytes);
void fuzz_http(std::string_view bytes);
void fuzz_watch_lines(std::string_view bytes);
void fuzz_command_lines(std::string_view bytes);
void fuzz_documents(std::string_view bytes);
void fuzz_manifests(std::string_view bytes);
void fuzz_reviews(std::string_view bytes);
void fuzz_images(std::string_view bytes);
void fuzz_quantities(std::string_view bytes);

}  // namespace rollcall::fuzz

#pragma once

#include <string>
#include <string_view>

#include "report/view.h"

/// The page of `rollcall report -o html`, a part a file. Private to report/. Every text of a RollCall goes through
/// esc(): node names, findings and versions come from pods and kubelets.
namespace rollcall::report::html {

/// Fit to stand in an element or between double quotes of an attribute.
std::string esc(std::string_view text);
/// A number as it stands in an SVG attribute, with at most two decimals.
std::string num(double value);
/// "✓" for P, "✗" for F …: with the colour, never instead of a word in the title.
const char* glyph(char letter);
/// The class of a letter's colour: "p", "f", "s", "r", "w".
std::string_view css_class(char letter);
/// "MasterPort" → "Master port": names of stages as a person reads them.
std::string stage_title(const std::string& name);

/// The rules of the page, and the one script: it copies commands. The page reads the same without it.
extern const char* const kStyle;
extern const char* const kScript;
/// 'sha256-…' of kScript for the page's policy; a test holds them together.
extern const char* const kScriptHash;

// Sections; each is empty when it has nothing to show.
std::string head(const View& view, WallTime now);
std::string advice(const View& view, WallTime now);
std::string findings(const View& view);
std::string grid(const View& view);
std::string mesh(const View& view);
std::string pair_collectives(const View& view);
std::string bandwidth(const View& view);
std::string versions(const View& view);
std::string timeline(const View& view, WallTime now);

}  // namespace rollcall::report::html

#include "report/report_html.h"

#include <fmt/format.h>

#include "report/html/html.h"

namespace rollcall::report {

std::string report_html(const api::RollCall& roll_call, WallTime now) {
  const View view = view_of(roll_call);
  const std::string name = html::esc(roll_call.meta.namespace_name + "/" + roll_call.spec.job.name);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
      "{}; "
      "base-uri 'none'; form-action 'none'\">"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\"><meta name=referrer content=no-referrer>"
      "<meta name=color-scheme content=\"light dark\"><title>{}, attempt {}: roll call</title><style>{}</style></head>"
      "<body><main>\n",
      html::kScriptHash, name, roll_call.spec.attempt, html::kStyle);
  for (const auto& part :
       {html::head(view, now), html::advice(view, now), html::findings(view), html::grid(view), html::mesh(view),
        html::pair_collectives(view), html::bandwidth(view), html::versions(view), html::timeline(view, now)}) {
    if (!part.empty()) out += part + "\n";
  }
  out += fmt::format(
      "<footer>RollCall {} as of {}, by <code>rollcall "
      "report</code></footer></main><script>{}</script></body></html>\n",
      html::esc(roll_call.meta.namespace_name + "/" + roll_call.meta.name), rfc3339(now), html::kScript);
  return out;
}

}  // namespace rollcall::report

#include "report/report_json.h"

#include "report/view.h"

namespace rollcall::report {
namespace {

using Json = nlohmann::json;

Json nodes(const View& view) {
  Json list = Json::array();
  for (const auto& node : view.nodes) {
    Json item = {{"nodeRank", node.rank}, {"name", node.name}, {"pod", node.pod}, {"ranks", node.ranks}};
    if (!node.state.empty()) item["state"] = node.state;
    if (!node.detail.empty()) item["detail"] = node.detail;
    for (std::size_t i = 0; i < std::min(view.stages.size(), node.letters.size()); ++i)
      item["stages"][view.stages[i].name] = state_word(node.letters[i]);
    for (const auto& each : view.bandwidths) {
      const double value = each.values[static_cast<std::size_t>(node.rank)];
      if (value > 0) item[each.in_node ? "nodeBusGigabytes" : "jobBusGigabytes"] = value;
    }
    list.push_back(std::move(item));
  }
  return list;
}

Json stages(const View& view) {
  Json list = Json::array();
  for (const auto& stage : view.stages) {
    Json item = {{"name", stage.name}, {"state", stage.state}, {"seconds", stage.seconds}};
    if (!stage.reason.empty()) item["reason"] = stage.reason;
    if (!stage.started_at.empty()) item["startedAt"] = stage.started_at;
    list.push_back(std::move(item));
  }
  return list;
}

Json bandwidth(const View& view) {
  Json object = Json::object();
  for (const auto& each : view.bandwidths)
    object[each.in_node ? "inNode" : "acrossJob"] = {
        {"medianGigabytes", each.median}, {"belowNodeRanks", each.below}, {"warnBelow", kBandwidthWarn}};
  return object;
}

Json matrix(const View& view) {
  Json rows = Json::array();
  for (const auto& row : view.matrix) {
    Json cells = Json::array();
    for (const auto& cell : row) {
      if (cell.kind == CellView::Kind::failed)
        cells.push_back("failed");
      else
        cells.push_back(cell.kind == CellView::Kind::time ? Json(cell.milliseconds) : Json());
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

}  // namespace

Json report_json(const api::RollCall& roll_call, WallTime now) {
  const View view = view_of(roll_call);
  const auto& status = roll_call.status;
  // Parts that need no other form are written as the RollCall's status writes them.
  Json whole = api::to_json(status);
  const Json stored = whole.value("report", Json::object());
  Json out = {{"formatVersion", 1},
              {"asOf", rfc3339(now)},
              {"rollCall", roll_call.meta.name},
              {"namespace", roll_call.meta.namespace_name},
              {"job", roll_call.spec.job.name},
              {"attempt", roll_call.spec.attempt},
              {"stage", status.stage},
              {"message", status.message},
              {"simulated", view.report.simulated},
              {"complete", view.has_report},
              {"cost", cost_words(roll_call, now)},
              {"gpus", view.report.gpus},
              {"transport", view.report.transport},
              {"stages", stages(view)},
              {"nodes", nodes(view)},
              {"bandwidth", bandwidth(view)},
              {"matrixMilliseconds", matrix(view)},
              {"pairs", stored.value("pairs", Json::array())},
              {"groups", stored.value("groups", Json::array())},
              {"timeline", stored.value("timeline", Json::array())},
              {"findings", whole.value("findings", Json::array())}};
  for (const char* key : {"verdict", "end", "masterAddr", "round", "heldSince", "nextRoundAt"}) {
    if (whole.contains(key)) out[key] = whole[key];
  }
  if (stored.contains("advice")) out["advice"] = stored["advice"];
  return out;
}

}  // namespace rollcall::report

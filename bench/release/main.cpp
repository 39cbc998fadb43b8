// Paired starts on three nodes: a TrainingJob, then plain pods of the same trainer, 20 times over.
//
//   release  from the desk holding the last answer (the verdict's time) to the first line of the last trainer,
//            beside plain pods whose init container ends at a moment we choose
//   start    from apply to the first line of the last trainer, beside plain pods with two empty init containers
//
// With --simulated the jobs ask for GPUs and their image has the doubles of tests/doubles, so that the GPU stages run;
// what each stage took is then printed too. Times of CUDA and NCCL themselves are the doubles', not a GPU's.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "e2e/simulated.h"

namespace {

using namespace rollcall::e2e;
namespace fs = std::filesystem;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// RFC 3339 in UTC, with or without a fraction.
std::int64_t ms_of(const std::string& text) {
  std::tm parts{};
  std::istringstream in(text);
  in >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%S");
  const auto dot = text.find('.');
  const int ms = dot == std::string::npos ? 0 : std::stoi((text.substr(dot + 1, 3) + "000").substr(0, 3));
  return static_cast<std::int64_t>(timegm(&parts)) * 1000 + ms;
}

/// Whose trainers are started.
struct Subject {
  bool simulated = false;
  std::string image = "rollcall/e2e-trainer:dev";
};

/// Seconds that each stage of the calls took, in the stages' order.
class StageTimes {
 public:
  void add(const Json& call) {
    for (const Json& stage : call["status"].value("stages", Json::array())) {
      const std::string name = stage.value("name", "");
      if (!seconds_.contains(name)) order_.push_back(name);
      seconds_[name].push_back(stage.value("seconds", 0.0));
      states_[name].insert(stage.value("state", "?"));
    }
  }
  void print() {
    for (const std::string& name : order_) {
      auto& values = seconds_[name];
      std::sort(values.begin(), values.end());
      std::string states;
      for (const std::string& state : states_[name]) states += " " + state;
      std::printf("  stage %-15s median %6.3f s   max %6.3f  %s\n", name.c_str(), values[values.size() / 2],
                  values.back(), states.c_str());
    }
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> seconds_;
  std::map<std::string, std::set<std::string>> states_;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench-release: %s\n", why.c_str());
  std::exit(1);
}

/// When the last of the pods' trainers printed its first line.
std::int64_t last_first_line(World& world, const std::vector<std::string>& pods) {
  std::int64_t last = 0;
  for (const auto& pod : pods) {
    std::optional<std::string> at;
    if (!World::eventually(seconds(60), [&] { return (at = printed(world.log(pod, "trainer"), "t")).has_value(); }))
      give_up(pod + " printed nothing");
    last = std::max<std::int64_t>(last, std::stoll(*at));
  }
  return last;
}

Json plain_pod(const std::string& name, const std::string& group, const std::vector<std::string>& second_init_args,
               const fs::path& dir, const Subject& subject) {
  const auto container = [&](const std::string& what, const std::vector<std::string>& args) {
    return Json{{"name", what},
                {"image", subject.image},
                {"imagePullPolicy", "IfNotPresent"},
                {"args", args},
                {"volumeMounts", Json::array({{{"name", "go"}, {"mountPath", "/go"}, {"readOnly", true}}})}};
  };
  Json spec = {
      {"restartPolicy", "Never"},
      {"terminationGracePeriodSeconds", 1},
      {"initContainers", Json::array({container("first", {}), container("second", second_init_args)})},
      {"containers", Json::array({container("trainer", {})})},
      {"volumes",
       Json::array({{{"name", "go"}, {"hostPath", {{"path", dir.string()}, {"type", "DirectoryOrCreate"}}}}})}};
  spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = Json::array(
      {{{"topologyKey", "kubernetes.io/hostname"}, {"labelSelector", {{"matchLabels", {{"group", group}}}}}}});
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"labels", {{"group", group}}}}},
          {"spec", spec}};
}

struct PlainTimes {
  std::int64_t start_ms;    ///< from apply, with two empty init containers
  std::int64_t release_ms;  ///< from the moment the waiting init containers may end
};

std::vector<std::string> create_plain(World& world, const std::string& group, const std::vector<std::string>& args,
                                      const fs::path& dir, const Subject& subject) {
  std::vector<std::string> names;
  for (int rank = 0; rank < 3; ++rank) {
    names.push_back(fmt::format("{}-{}", group, rank));
    const auto made =
        world.api().create(rollcall::kube::kPods, world.ns(), plain_pod(names.back(), group, args, dir, subject));
    if (!made) give_up(made.error().text());
  }
  return names;
}

void remove_pods(World& world, const std::vector<std::string>& names) {
  for (const auto& name : names)
    static_cast<void>(world.api().remove(rollcall::kube::kPods, world.ns(), name,
                                         {.uid = {}, .grace_seconds = 0, .propagation = {}}));
  if (!World::eventually(seconds(60), [&] {
        return std::none_of(names.begin(), names.end(), [&](const auto& name) {
          return world.api().get(rollcall::kube::kPods, world.ns(), name).ok();
        });
      })) {
    give_up("plain pods do not go away");
  }
}

PlainTimes plain(World& world, int pair, const Subject& subject) {
  const fs::path dir = fs::temp_directory_path() / fmt::format("rollcall-bench-{}", getpid());
  fs::create_directories(dir);
  const fs::path go = dir / fmt::format("go-{}", pair);
  PlainTimes times{};

  const auto applied = now_ms();
  auto names = create_plain(world, fmt::format("empty{}", pair), {}, dir, subject);
  times.start_ms = last_first_line(world, names) - applied;
  remove_pods(world, names);

  names =
      create_plain(world, fmt::format("wait{}", pair), {"--wait-file", "/go/" + go.filename().string()}, dir, subject);
  for (const auto& name : names) {
    if (!World::eventually(seconds(60), [&] {
          const auto pod = world.api().get(rollcall::kube::kPods, world.ns(), name);
          if (!pod) return false;
          for (const auto& status : pod.value()["status"].value("initContainerStatuses", Json::array())) {
            if (status["name"] == "second" && status["state"].contains("running")) return true;
          }
          return false;
        })) {
      give_up(name + ": its init container does not run");
    }
  }
  std::ofstream(go) << "go";
  const auto released = now_ms();
  times.release_ms = last_first_line(world, names) - released;
  remove_pods(world, names);
  fs::remove_all(dir);
  return times;
}

PlainTimes called(World& world, int pair, const Subject& subject, StageTimes& stages) {
  const std::string name = fmt::format("called{}", pair);
  const auto applied = now_ms();
  if (subject.simulated) {
    start_simulated(world, name, {.args = {}});
  } else {
    world.start(training_job(name, {.args = {}}));
  }
  Json call;
  if (!World::eventually(seconds(90), [&] {
        call = world.roll_call(name);
        return call.is_object() && call.contains("status") && call["status"].contains("verdict");
      })) {
    give_up(name + " got no verdict: " + message(world.job(name)));
  }
  if (call["status"]["verdict"]["kind"] != "Released") give_up(name + " was not released");
  stages.add(call);
  std::vector<std::string> names;
  for (const auto& pod : world.pods(name)) names.push_back(pod["metadata"]["name"]);
  const auto last = last_first_line(world, names);
  static_cast<void>(world.api().remove(rollcall::kube::kTrainingJobs, world.ns(), name));
  if (!World::eventually(seconds(60), [&] { return world.pods(name).empty(); }))
    give_up(name + ": its pods do not go away");
  return {last - applied, last - ms_of(call["status"]["verdict"]["at"])};
}

std::string summary(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  return fmt::format("median {:5} ms   min {:5}   max {:5}", values[values.size() / 2], values.front(), values.back());
}

}  // namespace

int main(int argc, char** argv) {
  Subject subject;
  if (argc > 1 && std::string(argv[1]) == "--simulated") {
    subject = {true, "rollcall/e2e-gpu:dev"};
    --argc, ++argv;
  }
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 20;
  const auto world = World::make();
  if (!world || pairs < 1)
    give_up(
        "usage: KUBECONFIG=… bench-release [--simulated] [PAIRS]; the cluster needs Rollcall and "
        "rollcall/e2e-trainer:dev, or with "
        "--simulated rollcall/e2e-gpu:dev");
  if (subject.simulated) claim_gpus(8);
  StageTimes stages;
  utsname machine{};
  uname(&machine);
  std::printf("machine: %u cores, Linux %s; %d paired starts of 3 pods on 3 nodes%s\n",
              std::thread::hardware_concurrency(), machine.release, pairs,
              subject.simulated ? "; SIMULATED: 2 GPUs a node are doubles" : "");
  std::vector<std::int64_t> release, plain_release, start, plain_start, release_more, start_more;
  for (int pair = 0; pair < pairs; ++pair) {
    const PlainTimes ours = called(*world, pair, subject, stages);
    const PlainTimes theirs = plain(*world, pair, subject);
    release.push_back(ours.release_ms);
    plain_release.push_back(theirs.release_ms);
    start.push_back(ours.start_ms);
    plain_start.push_back(theirs.start_ms);
    release_more.push_back(ours.release_ms - theirs.release_ms);
    start_more.push_back(ours.start_ms - theirs.start_ms);
    std::printf("pair %2d: release %5ld ms (plain %5ld)   apply to trainer %5ld ms (plain %5ld)\n", pair + 1,
                ours.release_ms, theirs.release_ms, ours.start_ms, theirs.start_ms);
    std::fflush(stdout);
  }
  std::printf("last answer to last trainer   %s\n", summary(release).c_str());
  std::printf("  plain init container ends   %s\n", summary(plain_release).c_str());
  std::printf("  more                        %s\n", summary(release_more).c_str());
  std::printf("apply to last trainer         %s\n", summary(start).c_str());
  std::printf("  two empty init containers   %s\n", summary(plain_start).c_str());
  std::printf("  more                        %s\n", summary(start_more).c_str());
  stages.print();
  return 0;
}

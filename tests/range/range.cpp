#include "range/range.h"

#include "probe/support/scripted_desk.h"

namespace rollcall::range {

using probe::testing::eventually;

Range::Range(int nodes, Options options) : options_(std::move(options)), network_(nodes) {
  DeskOptions desk;
  desk.nodes = nodes;
  desk.address = [this](int node) { return network_.address(node); };
  desk.spec = options_.spec;
  desk.speed = options_.speed;
  if (options_.on_order) {
    desk.on_order = [this](int node, const roll_call::Instruction& order) { options_.on_order(*this, node, order); };
  }
  network_.inside_desk([&] { desk_ = std::make_unique<RangeDesk>(std::move(desk)); });
}

Range::~Range() {
  pods_.clear();  // the probes first, so that none of them logs of a desk that went
  desk_.reset();
}

void Range::start_probes() {
  for (int node = 0; node < nodes(); ++node) {
    auto pod = std::make_unique<Pod>();
    auto environment = desk_->environment(node, Network::desk_address());
    environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
    if (options_.environment) {
      for (const auto& [name, value] : options_.environment(node)) environment[name] = value;
    }
    // A /dev/shm of its own, as a pod has: what is left in it is this node's. And a boot of its own, as a machine has.
    pod->files.write("shm/.keep", "");
    pod->files.write("boot_id", "00000000-0000-4000-8000-00000000000" + std::to_string(node % 10) + "\n");
    const auto token = pod->files.write("token", "token-of-uid-" + std::to_string(node) + "\n");
    pod->process = std::make_unique<probe::testing::Process>(
        std::vector<std::string>{"/bin/ip", "netns", "exec", network_.name(node), "/bin/sh", "-c",
                                 R"(mount --bind "$0/shm" /dev/shm &&
                                    mount --bind "$0/boot_id" /proc/sys/kernel/random/boot_id && exec "$@")",
                                 pod->files.path(), probe::testing::probe_program(), "answer", "--token-file=" + token,
                                 "--annotations-file=" + pod->files.path() + "/annotations",
                                 "--termination-log=" + pod->files.path() + "/termination-log"},
        environment);
    pods_.push_back(std::move(pod));
  }
}

bool Range::run(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    const auto status = desk_->status();
    if (!address_shown_ && !status.master_addr.empty()) {
      for (const auto& pod : pods_)
        pod->files.write("annotations", probe::testing::annotations_file(1, status.master_addr));
      address_shown_ = true;
    }
    if (status.stage == "Held" || status.verdict) return true;
    // A probe that could not even start would be waited for in vain.
    for (const auto& pod : pods_) {
      if (pod->process->wait(std::chrono::milliseconds(0))) return false;
    }
    // To look costs the desk's lock, which 64 probes wait for.
    std::this_thread::sleep_for(std::chrono::milliseconds(nodes()));
    desk_->wait_for_news(std::chrono::milliseconds(50));
  }
  return false;
}

void Range::once(const std::function<void(Range&)>& act) {
  std::call_once(once_, [&] { act(*this); });
}

bool Range::all_left(std::chrono::milliseconds limit) {
  bool all = true;
  for (const auto& pod : pods_) all = pod->process->wait(limit) == 0 && all;
  return all;
}

std::string Range::shared_memory(int node) const {
  return pods_[static_cast<std::size_t>(node)]->files.path() + "/shm";
}

std::string Range::log(int node) const { return pods_[static_cast<std::size_t>(node)]->process->output(); }

}  // namespace rollcall::range

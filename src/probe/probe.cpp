#include "probe/probe.h"

#include <algorithm>
#include <random>

#include "probe/desk/client.h"
#include "probe/files.h"
#include "probe/rehearsal.h"
#include "probe/sheet_watch.h"
#include "probe/story.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

using Clock = std::chrono::steady_clock;
using roll_call::Instruction;
using roll_call::Step;

/// Kubernetes keeps at most this much of a termination message.
constexpr std::size_t kMaxTermination = 4096;
constexpr std::chrono::milliseconds kFirstRetry{250};
/// While one desk takes over from another this is waited for in vain; 1,000 probes make 250 connections a second of it.
constexpr std::chrono::milliseconds kLastRetry{5'000};
/// Bounds on what the desk may ask for: never a busy loop, never silent for longer than a held reply.
constexpr std::chrono::milliseconds kLeastPause{5};
constexpr std::chrono::milliseconds kLongestPause{20'000};

std::string random_hex(int bytes) {
  std::string out;
  std::random_device source;  // getrandom or /dev/urandom
  constexpr char kDigits[] = "0123456789abcdef";
  for (int i = 0; i < 2 * bytes; ++i) out += kDigits[source() & 15U];
  return out;
}

/// `text` cut at `limit` bytes, not within a UTF-8 character.
std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  text.resize(limit);
  return text;
}

class Probe {
 public:
  Probe(const Settings& settings, Log& log, const Wake& news, const volatile int& terminated_by)
      : settings_(settings),
        log_(log),
        news_(news),
        terminated_by_(terminated_by),
        client_({settings.desk, settings.desk_name, settings.desk_ca, settings.token_file}),
        rehearsal_(settings, log, news),
        boot_nonce_(random_hex(16)),
        jitter_(std::random_device{}()),
        attempt_(settings.attempt),
        heard_at_(Clock::now()) {}

  int run() {
    log_.line(text("roll call of ", settings_.job.empty() ? "the job" : settings_.job, ": this is node rank ",
                   settings_.node_rank, " of ", settings_.nnodes, ", attempt ", settings_.attempt, ", pod ",
                   settings_.pod_name, "; the desk is ", settings_.desk.to_string()));
    auto watch = SheetWatch::start(settings_.annotations_file, news_);
    if (!watch) return end(watch.error().message);
    watch_ = std::move(watch).value();

    while (true) {
      news_.drain();  // before anything is read, so that no later change is missed
      if (const auto status = leave()) return *status;
      const auto until = call();
      if (exit_) return *exit_;
      while (Clock::now() < until) {
        if (news_.wait_for(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()))) break;
      }
    }
  }

 private:
  /// Whatever ends the probe without the desk's word of now.
  std::optional<int> leave() {
    if (terminated_by_ != 0) {
      log_.line(
          text("told to stop by signal ", terminated_by_, " (the pod is being deleted); the trainer will not start"));
      rehearsal_.close_all();
      return 128 + terminated_by_;
    }
    const auto sheet = watch_->sheet();
    if (release_told_ && shows_address(sheet, *release_told_)) return release(release_told_->message);
    if (released_by_sheet(sheet, attempt_)) return release("the operator's stamp on the pod says so");
    if (Clock::now() - heard_at_ >= settings_.give_up) {
      return end(
          text("heard nothing from the desk ", settings_.desk.to_string(), " for ", settings_.give_up.count(),
               " s, so this node gives its place back. Last: ", last_failure_.empty() ? "no reply" : last_failure_));
    }
    return std::nullopt;
  }

  /// One exchange with the desk; returns when the next is due.
  Clock::time_point call() {
    roll_call::Answer answer;
    rehearsal_.fill(answer);
    answer.pod_uid = settings_.pod_uid;
    answer.boot_nonce = boot_nonce_;
    answer.sequence = ++sequence_;
    const auto sheet = watch_->sheet();
    if (sheet.seen.attempt > 0) answer.seen = sheet.seen;

    const auto reply = client_.post(roll_call::to_json(answer), news_);
    if (!reply) return reply.error().code == kInterrupted ? Clock::now() : failed(reply.error());
    auto instruction = roll_call::instruction_from(*reply);
    if (!instruction) return failed(instruction.error().in("the desk's instruction"));
    failures_ = 0;
    heard_at_ = Clock::now();
    return obey(*instruction);
  }

  Clock::time_point obey(const Instruction& instruction) {
    // Release and End have lines of their own.
    const bool last = instruction.step == Step::Release || instruction.step == Step::End;
    if (const auto line = story_.heard(instruction, Clock::now()); line && !last) log_.line(*line);
    release_told_.reset();
    // Attempt 0: the desk does not know us (yet, or anew). Nothing found so far is lost by that.
    if (instruction.attempt > 0) {
      if (instruction.attempt != attempt_) {
        log_.line(text("the desk calls this pod for attempt ", instruction.attempt, "; it was made for attempt ",
                       settings_.attempt));
        attempt_ = instruction.attempt;
      }
      rehearsal_.obey(instruction);
    }
    if (instruction.step == Step::Release) {
      release_told_ = instruction;
      if (const auto sheet = watch_->sheet(); shows_address(sheet, instruction)) {
        exit_ = release(instruction.message);
      } else {
        tell_missing_address(instruction, sheet);
      }
    } else if (instruction.step == Step::End) {
      exit_ = end(instruction.message.empty() ? "the desk ended the roll call" : instruction.message);
    }
    return Clock::now() + std::clamp(std::chrono::milliseconds(instruction.ask_again_ms), kLeastPause, kLongestPause);
  }

  /// The trainer's MASTER_ADDR comes from the same annotations: released or not, it must not start without them.
  static bool shows_address(const PodSheet& sheet, const Instruction& release) {
    return sheet.seen.attempt == release.attempt && !sheet.seen.master_addr.empty() &&
           (release.master_addr.empty() || release.master_addr == sheet.seen.master_addr);
  }

  void tell_missing_address(const Instruction& instruction, const PodSheet& sheet) {
    if (missing_told_ == instruction.attempt) return;
    missing_told_ = instruction.attempt;
    log_.line(text("released, but this pod's annotations show ",
                   sheet.seen.attempt == 0 ? std::string("no address yet")
                                           : text("`", sheet.seen.master_addr, "` of attempt ", sheet.seen.attempt),
                   " instead of `", instruction.master_addr, "` of attempt ", instruction.attempt,
                   "; the trainer would start with a wrong or empty MASTER_ADDR, so it waits for the kubelet"));
  }

  Clock::time_point failed(const Error& error) {
    last_failure_ = error.message;
    if (const auto line = story_.failed(error, settings_.desk.to_string(), heard_at_, Clock::now())) log_.line(*line);
    const auto doubled = kFirstRetry * (1 << std::min(failures_++, 10));
    const auto longest = std::min<std::chrono::milliseconds>(doubled, kLastRetry);
    std::uniform_real_distribution<double> part(0.5, 1.0);  // so that 1,000 probes do not come back at once
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(longest * part(jitter_));
  }

  int release(const std::string& message) {
    rehearsal_.close_all();
    const auto sheet = watch_->sheet();
    log_.line(text("released, attempt ", attempt_, message.empty() ? "" : ": ", message,
                   message.ends_with('.') ? "" : ".", " The trainer starts with MASTER_ADDR ", sheet.seen.master_addr));
    return 0;
  }

  int end(const std::string& message) {
    rehearsal_.close_all();
    log_.line("ended: " + message);
    if (auto written = write_file(settings_.termination_log, cut(message, kMaxTermination)); !written) {
      log_.line("the reason stands only here: " + written.error().message);
    }
    return 1;
  }

  const Settings& settings_;
  Log& log_;
  const Wake& news_;
  const volatile int& terminated_by_;
  DeskClient client_;
  Rehearsal rehearsal_;
  std::unique_ptr<SheetWatch> watch_;
  Story story_;
  const std::string boot_nonce_;
  std::minstd_rand jitter_;
  int attempt_;
  std::uint64_t sequence_ = 0;
  int failures_ = 0;
  Clock::time_point heard_at_;
  std::string last_failure_;
  std::optional<Instruction> release_told_;
  int missing_told_ = 0;
  std::optional<int> exit_;
};

}  // namespace

int answer_roll_call(const Settings& settings, Log& log, const Wake& news, const volatile int& terminated_by) {
  return Probe(settings, log, news, terminated_by).run();
}

}  // namespace rollcall::probe

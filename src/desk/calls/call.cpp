#include "desk/calls/call.h"

#include <charconv>

#include "api/names.h"
#include "desk/pods/pod_view.h"
#include "roll_call/messages.h"
#include "telemetry/log.h"

namespace rollcall::desk {
namespace {

/// Looking at held replies costs one instruction for each; at 1,000 nodes that answer within a second this bounds it to
/// 100 rounds a second. A change after a pause goes out at once.
constexpr std::chrono::milliseconds kLookPause{10};

/// `a` came before `b`: resource versions of one kind are numbers that grow (Kubernetes 1.35 says so, etcd always did).
/// When they are not, nothing is older, and a conflict sets it right.
bool older(const std::string& a, const std::string& b) {
  std::uint64_t left = 0, right = 0;
  const auto number = [](const std::string& text, std::uint64_t& value) {
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    return ec == std::errc() && end == text.data() + text.size();
  };
  return number(a, left) && number(b, right) && left < right;
}

std::string annotation(const api::RollCall& roll_call, const char* name) {
  const auto it = roll_call.meta.annotations.find(name);
  return it == roll_call.meta.annotations.end() ? std::string() : it->second;
}

/// A tick is never sooner: a state machine that wants one in the past gets it, without a thread spinning for it.
constexpr std::chrono::milliseconds kSoonestTick{5};

/// The lease's transitions, but never at or below a term that stands in the status: a Lease that was deleted while no
/// desk ran counts from 0 again, and answers of an older round must not count in a new one.
std::int64_t term_of(const api::RollCall& stored, std::int64_t term) {
  const auto round = roll_call::round_from(stored.status.round);
  return round && round->term >= term ? round->term + 1 : term;
}

}  // namespace

Call::Call(CallContext& context, std::string key, const api::RollCall& stored)
    : context_(context),
      key_(std::move(key)),
      namespace_(stored.meta.namespace_name),
      name_(stored.meta.name),
      uid_(stored.meta.uid),
      desk_(stored, term_of(stored, context.term), context.nonce_seed(), context.now()),
      others_(nlohmann::json::object()),
      mode_of_spec_(stored.spec.settings.mode),
      verdict_told_(stored.status.verdict.has_value()),
      address_written_(stored.status.master_addr) {}

void Call::begin(const nlohmann::json& object, const std::function<std::vector<roll_call::PodView>()>& pods) {
  Outbox out;
  {
    const std::lock_guard lock(mutex_);
    adopt(object, out);
    for (const auto& view : pods()) feed(roll_call::PodSeen{view}, out);
    feed(roll_call::Tick{}, out);
  }
  deliver(out);
}

void Call::stored(const nlohmann::json& object) {
  Outbox out;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) adopt(object, out);
  }
  deliver(out);
}

void Call::pod(const roll_call::PodView& view) {
  Outbox out;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) feed(roll_call::PodSeen{view}, out);
  }
  deliver(out);
}

void Call::answer(const roll_call::Answer& answer, Send send) {
  Outbox out;
  {
    const std::lock_guard lock(mutex_);
    const auto it = held_.find(answer.pod_uid);
    if (it != held_.end()) {  // asked again before we replied: the old connection is most likely gone
      out.emplace_back(std::move(it->second.send), it->second.when_held);
      held_.erase(it);
    }
    if (!closed_) feed(roll_call::AnswerHeard{answer}, out);
    auto instruction = closed_ ? std::nullopt : desk_.instruction_for(answer.pod_uid, context_.now());
    if (!instruction) {
      roll_call::Instruction wait;
      wait.ask_again_ms = 2000;
      wait.message = "this roll call is closing; ask again";
      out.emplace_back(std::move(send), std::move(wait));
    } else if (instruction->step != roll_call::Step::Wait || letting_go_) {
      out.emplace_back(std::move(send), std::move(*instruction));
    } else {
      const auto until = Clock::now() + context_.hold;
      held_[answer.pod_uid] = {std::move(send), std::move(*instruction), until};
      look_at_held_at(until);
    }
  }
  deliver(out);
}

void Call::deleted(const std::string& message) {
  Outbox out;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    verdict_wanted_.reset();
    status_wanted_ = false;
    for (auto& [uid, held] : held_) {
      auto end = held.when_held;
      end.step = roll_call::Step::End;
      end.message = message;
      out.emplace_back(std::move(held.send), std::move(end));
    }
    held_.clear();
  }
  deliver(out);
}

void Call::let_go() {
  Outbox out;
  {
    const std::lock_guard lock(mutex_);
    letting_go_ = true;
    for (auto& [uid, held] : held_) {
      auto now = desk_.instruction_for(uid, context_.now());
      out.emplace_back(std::move(held.send), now ? std::move(*now) : std::move(held.when_held));
    }
    held_.clear();
  }
  deliver(out);
}

std::size_t Call::held() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

bool Call::finished() const {
  const std::lock_guard lock(mutex_);
  return closed_ || (verdict_told_ && held_.empty() && !status_wanted_ && !verdict_wanted_);
}

std::optional<roll_call::Instruction> Call::instruction_for(const std::string& pod_uid) const {
  const std::lock_guard lock(mutex_);
  return closed_ ? std::nullopt : desk_.instruction_for(pod_uid, context_.now());
}

void Call::feed(const roll_call::Event& event, Outbox& out) {
  const auto wanted = desk_.hear(event, context_.now());
  if (wanted.status_changed) status_wanted_ = true;
  if (wanted.write_verdict && !verdict_told_) {
    verdict_wanted_ = wanted.write_verdict;
    if (verdict_wanted_->at.empty()) verdict_wanted_->at = time_text(context_.now());
    if (verdict_wanted_->by.empty()) verdict_wanted_->by = "desk";
  }
  if (status_wanted_ || verdict_wanted_) context_.want_write(key_);
  if (wanted.wake_at) wake_at(*wanted.wake_at);
  if (wanted.orders_changed) tell_changed(out, false);
}

void Call::adopt(const nlohmann::json& object, Outbox& out) {
  auto read = api::roll_call_from(object);
  if (!read) {
    log::error("a RollCall cannot be read; the desk goes on with what it had",
               {{"roll_call", key_}, {"error", read.error().message}});
    return;
  }
  if (read->meta.uid != uid_ || older(read->meta.resource_version, resource_version_)) return;
  resource_version_ = read->meta.resource_version;
  others_ = nlohmann::json::object();
  if (const auto status = object.find("status"); status != object.end() && status->is_object())
    for (const char* field : {"verdict", "end"})
      if (const auto value = status->find(field); value != status->end()) others_[field] = *value;

  if (read->status.verdict && !verdict_told_) {
    verdict_told_ = true;
    verdict_wanted_.reset();
    const auto& verdict = *read->status.verdict;
    log::info("verdict stored", {{"roll_call", key_},
                                 {"verdict", api::to_string(verdict.kind)},
                                 {"reason", verdict.reason ? api::to_string(*verdict.reason) : ""},
                                 {"by", verdict.by},
                                 {"overridden", verdict.overridden}});
    feed(roll_call::VerdictStored{verdict}, out);
  }
  if (auto reason = annotation(*read, api::names::kAnnotationOverride); reason != override_) {
    override_ = reason;
    if (!reason.empty()) feed(roll_call::Overridden{reason}, out);
  }
  const auto mode = api::roll_call_mode_from(annotation(*read, api::names::kAnnotationMode));
  if (mode != mode_) {
    mode_ = mode;
    feed(roll_call::ModeChanged{mode.value_or(mode_of_spec_)}, out);
  }
}

void Call::tell_changed(Outbox& out, bool at_once) {
  if (held_.empty()) return;
  const auto now = Clock::now();
  if (!at_once && now - looked_ < kLookPause) return look_at_held_at(looked_ + kLookPause);
  looked_ = now;
  std::optional<Clock::time_point> next;
  for (auto it = held_.begin(); it != held_.end();) {
    auto instruction = desk_.instruction_for(it->first, context_.now());
    const bool changed = instruction && !roll_call::same_order(*instruction, it->second.when_held);
    if (changed || it->second.until <= now) {
      out.emplace_back(std::move(it->second.send),
                       instruction ? std::move(*instruction) : std::move(it->second.when_held));
      it = held_.erase(it);
    } else {
      if (!next || it->second.until < *next) next = it->second.until;
      ++it;
    }
  }
  if (next) look_at_held_at(*next);
}

void Call::look_at_held_at(Clock::time_point when) {
  if (look_at_ && *look_at_ <= when) return;
  look_at_ = when;
  context_.timers.at(when, [weak = weak_from_this(), when] {
    const auto self = weak.lock();
    if (!self) return;
    Outbox out;
    {
      const std::lock_guard lock(self->mutex_);
      if (self->look_at_ != when) return;  // an earlier look was asked for since
      self->look_at_.reset();
      if (!self->closed_) self->tell_changed(out, true);
    }
    deliver(out);
  });
}

void Call::wake_at(TimePoint when) {
  if (tick_at_ && *tick_at_ <= when) return;
  tick_at_ = when;
  const auto delay = std::max(kSoonestTick, when - context_.now());
  context_.timers.after(delay, [weak = weak_from_this(), when] {
    const auto self = weak.lock();
    if (!self) return;
    Outbox out;
    {
      const std::lock_guard lock(self->mutex_);
      if (self->tick_at_ != when || self->closed_) return;
      self->tick_at_.reset();
      self->feed(roll_call::Tick{}, out);
    }
    deliver(out);
  });
}

void Call::deliver(const Outbox& out) {
  for (const auto& [send, instruction] : out) send(instruction);
}

}  // namespace rollcall::desk

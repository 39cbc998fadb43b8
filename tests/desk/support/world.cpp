#include "desk/support/world.h"

#include "desk/token/claims.h"

namespace rollcall::desk::testing {

std::string pod_uid(int node_rank, int attempt) {
  return "u-" + std::to_string(node_rank) + "-" + std::to_string(attempt);
}

Json roll_call_object(int attempt, int nnodes, const std::string& mode) {
  Json roster = Json::array();
  for (int rank = 0; rank < nnodes; ++rank)
    roster.push_back({{"nodeRank", rank},
                      {"pod", "llama-" + std::to_string(rank) + "-" + std::to_string(attempt)},
                      {"uid", pod_uid(rank, attempt)}});
  return {
      {"apiVersion", "rollcall.dev/v1alpha1"},
      {"kind", "RollCall"},
      {"metadata",
       {{"name", "tj-llama-" + std::to_string(attempt)},
        {"namespace", "train"},
        {"uid", "rc-" + std::to_string(attempt)},
        {"creationTimestamp", "2026-11-30T15:30:00Z"}}},
      {"spec",
       {{"job",
         {{"apiVersion", "rollcall.dev/v1alpha1"}, {"kind", "TrainingJob"}, {"name", "llama"}, {"uid", "job-1"}}},
        {"attempt", attempt},
        {"nprocPerNode", 1},
        {"masterPort", 29500},
        {"settings",
         {{"mode", mode}, {"waitForPodsSeconds", 1800}, {"timeoutSeconds", 600}, {"retries", 5}, {"holdSeconds", 900}}},
        {"roster", roster}}}};
}

Json pod_object(int node_rank, int attempt) {
  const std::string address = "10.1.0." + std::to_string(10 + node_rank);
  return {
      {"metadata",
       {{"name", "llama-" + std::to_string(node_rank) + "-" + std::to_string(attempt)},
        {"namespace", "train"},
        {"uid", pod_uid(node_rank, attempt)},
        {"labels", {{"rollcall.dev/job-name", "llama"}}}}},
      {"spec", {{"nodeName", "gpu-" + std::to_string(node_rank)}}},
      {"status",
       {{"phase", "Pending"},
        {"podIP", address},
        {"podIPs", Json::array({{{"ip", address}}})},
        {"conditions",
         Json::array({{{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", "2026-11-30T15:30:00Z"}}})},
        {"initContainerStatuses",
         Json::array({{{"name", "rollcall"}, {"state", {{"running", {{"startedAt", "2026-11-30T15:30:05Z"}}}}}}})}}}};
}

World::World(const std::function<void(Service::Options&)>& change) : change_(change) {
  api.keys = jwks({cluster_key});
  // The API server's authenticator: it believes what the cluster's key signed.
  api.review = [this](const std::string& token) {
    const auto claims = claims_of(token);
    const auto keys = KeySet::from_jwks(jwks({cluster_key}).dump());
    if (!claims.ok() || keys->verify(*claims) != Signature::Good)
      return Json{{"authenticated", false}, {"error", "invalid bearer token"}};
    return Json{{"authenticated", true},
                {"audiences", {"rollcall"}},
                {"user",
                 {{"username", "system:serviceaccount:train:default"},
                  {"extra", {{"authentication.kubernetes.io/pod-uid", Json::array({claims->pod_uid})}}}}}};
  };
  start();
}

World::~World() { service_->stop(); }

void World::start() {
  Service::Options options;
  options.now = [this] { return now(); };
  options.term = term_++;
  options.nonce_seed = [] { return std::string("00112233445566778899aabbccddeeff"); };
  options.write_every = std::chrono::milliseconds(20);
  options.refusal_pause = std::chrono::milliseconds(0);
  options.numbers.answer = [this](std::string_view outcome) {
    const std::lock_guard lock(mutex_);
    outcomes_[std::string(outcome)]++;
  };
  if (change_) change_(options);
  service_ = std::make_unique<Service>(api, std::move(options));
  service_->synced();
}

void World::restart() {
  service_->let_go();
  service_->stop();
  start();
}

void World::write_roll_call(Json object) { see(api.put(std::move(object))); }

void World::job(int attempt, int nnodes, const std::string& mode) {
  for (int rank = 0; rank < nnodes; ++rank) see_pod(pod_object(rank, attempt));
  write_roll_call(roll_call_object(attempt, nnodes, mode));
}

std::string World::token(int node_rank, int attempt) {
  auto& token = tokens_[{node_rank, attempt}];
  if (token.empty())
    token = make_token(cluster_key, {.expires = now_ / 1000 + 3000,
                                     .pod_uid = pod_uid(node_rank, attempt),
                                     .pod_name = "llama-" + std::to_string(node_rank) + "-" + std::to_string(attempt)});
  return token;
}

roll_call::Answer World::answer(int node_rank, int attempt) {
  roll_call::Answer answer;
  answer.pod_uid = pod_uid(node_rank, attempt);
  answer.boot_nonce = "0123456789abcdef0123456789abcde" + std::to_string(node_rank);
  answer.sequence = ++sequence_;
  return answer;
}

std::future<Said> World::ask(const std::string& token, const std::string& body, const std::string& peer) {
  auto promise = std::make_shared<std::promise<Said>>();
  auto future = promise->get_future();
  serve::Request request;
  request.method = "POST";
  request.target = "/v1/answer";
  request.authorization = "Bearer " + token;
  request.body = body;
  request.peer = peer;
  service_->handle(std::move(request), [promise](serve::Response response) {
    Said said{response.status, response.body, "", std::nullopt};
    if (response.status == 200) {
      auto instruction = roll_call::instruction_from(response.body);
      if (instruction.ok()) said.instruction = *instruction;
    } else {
      said.code = Json::parse(response.body).value("code", "");
    }
    promise->set_value(std::move(said));
  });
  return future;
}

Said World::post(const std::string& token, const roll_call::Answer& answer) {
  return ask(token, roll_call::to_json(answer)).get();
}

Said World::post(int node_rank, int attempt) { return post(token(node_rank, attempt), answer(node_rank, attempt)); }

Said World::post_seen(int node_rank, const std::string& address, int attempt) {
  auto with_seen = answer(node_rank, attempt);
  with_seen.attempt = attempt;
  with_seen.seen = roll_call::SeenState{attempt, address};
  return post(token(node_rank, attempt), with_seen);
}

int World::count(const std::string& outcome) {
  const std::lock_guard lock(mutex_);
  return outcomes_[outcome];
}

}  // namespace rollcall::desk::testing

// A probe's own TLS against the desk's own server while the authority behind the desk's certificate changes.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "operator/trust/authority.h"
#include "probe/desk/tls.h"
#include "serve/server.h"

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;

constexpr auto kDay = std::chrono::hours(24);
constexpr auto kName = "rollcall-desk.rollcall-system.svc";

/// A desk whose pair lies in files, as the kubelet puts it there.
class Desk {
 public:
  explicit Desk(const KeyPair& pair) {
    char name[] = "/tmp/rollcall-trust-test-XXXXXX";
    directory_ = ::mkdtemp(name);
    write(pair);
    serve::Options options;
    options.certificate_file = directory_ + "/tls.crt";
    options.key_file = directory_ + "/tls.key";
    auto server = serve::Server::start(options, [](const auto&, const auto& respond) { respond({}); });
    if (server) server_ = std::move(*server);
  }
  ~Desk() { std::filesystem::remove_all(directory_); }
  void renew(const KeyPair& pair) {
    write(pair);
    const auto reloaded = server_->reload_certificate();
    EXPECT_TRUE(reloaded.ok()) << reloaded.error().message;
  }
  /// What a probe that was given `bundle` says of a new connection; empty = nothing.
  std::string trouble_for(const std::string& bundle) const {
    if (!server_) return "the server did not start";
    const probe::Wake wake;
    const auto connection = probe::TlsConnection::connect(*probe::SocketAddress::of("127.0.0.1", server_->port()),
                                                          kName, bundle, std::chrono::steady_clock::now() + 10s, wake);
    return connection ? "" : connection.error().message;
  }

 private:
  void write(const KeyPair& pair) const {
    std::ofstream(directory_ + "/tls.crt") << pair.certificate;
    std::ofstream(directory_ + "/tls.key") << pair.key;
  }
  std::string directory_;
  std::unique_ptr<serve::Server> server_;
};

TEST(WaitingProbe, IsServedByTheDeskBeforeAndAfterARotation) {
  // Made so long ago that it is to be followed right now: TLS goes by the machine's clock.
  const auto now = std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const Lifetimes life;
  const auto first = *authority_at(std::nullopt, life, now - kDay * 310);
  const auto told = *authority_at(first, life, now - kDay * 60);
  const auto signing = *authority_at(told, life, now);
  ASSERT_EQ(signing.current, *told.next);

  const auto leaf = *leaf_at(std::nullopt, told, {kName}, life, now);
  Desk desk(leaf);
  const std::string bundles[] = {bundle_of(first), bundle_of(told), bundle_of(signing)};
  for (const auto& bundle : bundles) EXPECT_EQ(desk.trouble_for(bundle), "");
  desk.renew(*leaf_at(leaf, signing, {kName}, life, now));
  for (const auto& bundle : bundles) EXPECT_EQ(desk.trouble_for(bundle), "") << "after the rotation";
  EXPECT_NE(desk.trouble_for(make_authority(now, kDay)->certificate), "") << "or all would be accepted";
}

}  // namespace
}  // namespace rollcall::operator_

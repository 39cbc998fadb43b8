// What a watch does when the stream is cut, late, too large, refused or not read.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <thread>

#include "kube/client.h"
#include "kube/https_server.h"

namespace rollcall::kube::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::string event_line(const std::string& type, const Json& object) {
  return Json{{"type", type}, {"object", object}}.dump() + '\n';
}
Json pod(const std::string& name) {
  return {{"kind", "Pod"}, {"metadata", {{"name", name}, {"resourceVersion", "5"}}}};
}

struct Watched {
  std::vector<WatchEvent> events;
  std::optional<ApiError> end;
};

/// Watches to the end.
Watched watch(const HttpsServer& server, ClientOptions options = {}) {
  auto client = Client::make(server.credentials(), std::move(options));
  EXPECT_TRUE(client.ok());
  Watched out;
  out.end = (*client)->watch(
      kPods, "n", {{"resourceVersion", "4"}}, [&](WatchEvent event) { out.events.push_back(std::move(event)); },
      [] { return false; });
  return out;
}

HttpsServer::Script stream(std::function<void(Connection&)> body) {
  return each_request([body = std::move(body)](const Request&, Connection& c) {
    c.begin_chunks();
    body(c);
  });
}

TEST(Watch, LinesAreWholeWhereverTheChunksAreCut) {
  const std::string all = event_line("ADDED", pod("süß-日本")) + event_line("MODIFIED", pod("b")) +
                          event_line("DELETED", pod("b")) + event_line("BOOKMARK", pod(""));
  std::string target;
  HttpsServer server([&](Connection& c) {
    target = c.read()->target;
    c.begin_chunks();
    for (const char byte : all) c.chunk({&byte, 1});
    c.end_chunks();
  });
  const auto seen = watch(server);
  EXPECT_FALSE(seen.end.has_value()) << seen.end->text();
  ASSERT_EQ(seen.events.size(), 4U);
  EXPECT_EQ(seen.events[0].object["metadata"]["name"], "süß-日本");
  EXPECT_EQ(seen.events[1].kind, WatchEventKind::Modified);
  EXPECT_EQ(seen.events[2].kind, WatchEventKind::Deleted);
  EXPECT_EQ(seen.events[3].kind, WatchEventKind::Bookmark);
  EXPECT_EQ(target, "/api/v1/namespaces/n/pods?allowWatchBookmarks=true&resourceVersion=4&watch=1");
}

TEST(Watch, EventsAreHandedOverWhileTheStreamLives) {
  std::promise<void> heard;
  HttpsServer server(stream([&](Connection& c) {
    c.chunk(event_line("ADDED", pod("a")));
    EXPECT_EQ(heard.get_future().wait_for(10s), std::future_status::ready) << "the event came only at the end";
    c.end_chunks();
  }));
  auto client = Client::make(server.credentials());
  const auto end = (*client)->watch(
      kPods, "n", {}, [&](WatchEvent) { heard.set_value(); }, [] { return false; });
  EXPECT_FALSE(end.has_value()) << end->text();
}

TEST(Watch, ErrorEventIsItsEnd) {
  HttpsServer server(stream([](Connection& c) {
    c.chunk(event_line("ADDED", pod("a")));
    c.chunk(event_line("ERROR", {{"kind", "Status"}, {"code", 410}, {"reason", "Expired"}, {"message", "too old"}}));
    c.chunk(event_line("ADDED", pod("never")));
    c.wait_closed(10s);
  }));
  const auto seen = watch(server);
  ASSERT_TRUE(seen.end.has_value());
  EXPECT_TRUE(seen.end->gone());
  EXPECT_EQ(seen.end->text(), "410 Expired: too old");
  ASSERT_EQ(seen.events.size(), 2U);
  EXPECT_EQ(seen.events[1].kind, WatchEventKind::Error);
}

TEST(Watch, RefusalAtItsStartIsTheServersWord) {
  HttpsServer server(each_request([](const Request&, Connection& c) {
    c.reply(429, R"({"kind":"Status","reason":"TooManyRequests","message":"busy"})", "Retry-After: 3\r\n");
  }));
  const auto seen = watch(server);
  ASSERT_TRUE(seen.end.has_value());
  EXPECT_EQ(seen.end->text(), "429 TooManyRequests: busy");
  EXPECT_EQ(seen.end->retry_after_seconds, 3);
}

TEST(Watch, HalfALineAtAGoodEndIsBroken) {
  HttpsServer server(stream([](Connection& c) {
    c.chunk(event_line("ADDED", pod("a")) + R"({"type":"ADDED","obj)");
    c.end_chunks();
  }));
  const auto seen = watch(server);
  EXPECT_EQ(seen.events.size(), 1U);
  ASSERT_TRUE(seen.end.has_value());
  EXPECT_EQ(seen.end->reason, "BrokenStream") << seen.end->text();
}

TEST(Watch, LineThatIsNoEventIsBroken) {
  for (const char* line : {"{\"type\":\"ADDED\"}\n", "[]\n", "{\"type\":\"WHAT\",\"object\":{}}\n", "\xff\xfe\n"}) {
    HttpsServer server(stream([&](Connection& c) {
      c.chunk(line);
      c.wait_closed(10s);
    }));
    const auto seen = watch(server);
    ASSERT_TRUE(seen.end.has_value()) << line;
    EXPECT_EQ(seen.end->reason, "BrokenStream") << seen.end->text();
  }
}

TEST(Watch, ConnectionThatEndsWithinAChunkIsNoGoodEnd) {
  for (const bool hard : {false, true}) {
    HttpsServer server(each_request([&](const Request&, Connection& c) {
      c.begin_chunks();
      c.chunk(event_line("ADDED", pod("a")));
      c.send("100\r\n{\"type\":");
      if (hard)
        c.reset();
      else
        c.shut();
    }));
    const auto seen = watch(server);
    EXPECT_LE(seen.events.size(), 1U);
    ASSERT_TRUE(seen.end.has_value()) << (hard ? "RST" : "FIN");
    EXPECT_EQ(seen.end->http, 0) << seen.end->text();
  }
}

TEST(Watch, LineAboveTheLimitEndsIt) {
  HttpsServer server(stream([](Connection& c) {
    const std::string part(65536, 'x');
    for (int i = 0; i < 1000 && c.chunk(part); ++i) {
    }
  }));
  const auto seen = watch(server, {.max_line = 1 << 20});
  ASSERT_TRUE(seen.end.has_value());
  EXPECT_EQ(seen.end->reason, "LineTooLong") << seen.end->text();
}

TEST(Watch, ReaderThatDoesNotReadHoldsTheServerBack) {
  std::promise<std::size_t> sent;
  HttpsServer server(stream([&](Connection& c) {
    c.chunk(event_line("ADDED", pod("a")));
    sent.set_value(c.flood(std::size_t{256} << 20));
  }));
  auto client = Client::make(server.credentials());
  std::atomic<bool> stop = false;
  std::size_t bytes = 0;
  (*client)->watch(
      kPods, "n", {},
      [&](WatchEvent) {
        bytes = sent.get_future().get();  // reads nothing until the server can send no more
        stop = true;
      },
      [&] { return stop.load(); });
  // What kernels and one chunk hold; without back-pressure it would be all 256 MiB.
  EXPECT_GT(bytes, 0U);
  EXPECT_LT(bytes, std::size_t{16} << 20);
}

TEST(Watch, SilenceBeyondTheLimitEndsItAndBookmarksKeepItAlive) {
  HttpsServer silent(stream([](Connection& c) { c.wait_closed(20s); }));
  const auto quiet = watch(silent, {.watch_silence = 2s});
  ASSERT_TRUE(quiet.end.has_value());
  EXPECT_EQ(quiet.end->http, 0) << quiet.end->text();

  HttpsServer bookmarks(stream([](Connection& c) {
    for (int i = 0; i < 8; ++i) {
      c.wait_closed(400ms);
      c.chunk(event_line("BOOKMARK", pod("")));
    }
    c.end_chunks();
  }));
  const auto alive = watch(bookmarks, {.watch_silence = 2s});
  EXPECT_FALSE(alive.end.has_value()) << alive.end->text();
  EXPECT_EQ(alive.events.size(), 8U);
}

TEST(Watch, ReaderThatThrowsEndsItAndItsConnection) {
  std::promise<bool> closed;
  HttpsServer server(stream([&](Connection& c) {
    c.chunk(event_line("ADDED", pod("a")));
    closed.set_value(c.wait_closed(10s));
  }));
  auto client = Client::make(server.credentials());
  const auto end = (*client)->watch(
      kPods, "n", {}, [](WatchEvent) { throw std::runtime_error("boom"); }, [] { return false; });
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->text(), "BrokenStream: the reader of the watch failed: boom");
  EXPECT_TRUE(closed.get_future().get());
}

TEST(Watch, StopEndsASilentWatchAndClosesItsConnection) {
  std::promise<void> open;
  std::promise<bool> closed;
  HttpsServer server(stream([&](Connection& c) {
    open.set_value();
    closed.set_value(c.wait_closed(10s));
  }));
  auto client = Client::make(server.credentials());
  std::atomic<bool> stop = false;
  std::optional<ApiError> end;
  std::thread watcher([&] {
    end = (*client)->watch(
        kPods, "n", {}, [](WatchEvent) {}, [&] { return stop.load(); });
  });
  open.get_future().wait();
  const auto begin = steady_clock::now();
  stop = true;
  watcher.join();
  EXPECT_LT(steady_clock::now() - begin, 2s);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->reason, "Stopped");
  EXPECT_TRUE(closed.get_future().get());
}

TEST(Watch, ManyWatchesWithCallsInsideTheirCallbacksDoNotBlockEachOther) {
  // More than the pool has threads: a wait on one of the pool's would stop them all.
  constexpr int kWatches = 8;
  std::latch all_inside(kWatches);
  HttpsServer server(each_request([&](const Request& request, Connection& c) {
    if (request.target.find("watch=1") == std::string::npos) {
      c.reply(200, "{}");
      return;
    }
    c.begin_chunks();
    c.chunk(event_line("ADDED", pod("a")));
    c.end_chunks();
  }));
  auto client = Client::make(server.credentials());
  std::vector<std::future<std::string>> ends;
  for (int i = 0; i < kWatches; ++i) {
    ends.push_back(std::async(std::launch::async, [&] {
      std::string inner = "no event";
      const auto end = (*client)->watch(
          kPods, "n", {},
          [&](WatchEvent) {
            all_inside.arrive_and_wait();
            const auto reply = (*client)->get(kPods, "n", "a");
            inner = reply.ok() ? "ok" : reply.error().text();
          },
          [] { return false; });
      return end ? end->text() : inner;
    }));
  }
  for (auto& end : ends) EXPECT_EQ(end.get(), "ok");
}

}  // namespace
}  // namespace rollcall::kube::testing

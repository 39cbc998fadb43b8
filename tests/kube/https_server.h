#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kube/credentials.h"

namespace rollcall::kube::testing {

struct Request {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  ///< names in lower case
};

/// One accepted TLS connection, on a thread of its own. The script plays the server, well or badly.
class Connection {
 public:
  /// The next request; nullopt when the client closed, or the handshake failed.
  std::optional<Request> read();
  bool send(std::string_view bytes);
  /// A whole reply; `headers` are lines that end in \r\n.
  bool reply(int status, std::string_view body, std::string_view headers = {});
  /// Head of a 200 whose body comes in chunks.
  bool begin_chunks();
  bool chunk(std::string_view bytes);
  bool end_chunks() { return send("0\r\n\r\n"); }
  /// Sends chunks of 64 KiB until the client takes no more for 300 ms, or `most` bytes are out. Returns the bytes sent.
  std::size_t flood(std::size_t most);
  /// Waits for the client to close; false when it sends something or `longest` is over.
  bool wait_closed(std::chrono::milliseconds longest);
  /// Ends it with a RST instead of a FIN.
  void reset();
  /// Ends it with a FIN and without TLS's farewell, as a dying program does.
  void shut();

 private:
  friend class HttpsServer;
  explicit Connection(int fd);
  struct State;
  std::shared_ptr<State> state_;
};

/// A server on a free port of 127.0.0.1 that follows a script, run once for each connection.
class HttpsServer {
 public:
  using Script = std::function<void(Connection&)>;
  explicit HttpsServer(Script script);
  ~HttpsServer();

  int port() const { return port_; }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  /// This server, its CA, and the token `secret`.
  Credentials credentials() const;
  int connections() const { return connections_; }

 private:
  void accept_all();

  Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> closing_ = false;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// A script that answers every request on every connection with what `answer` sends.
HttpsServer::Script each_request(std::function<void(const Request&, Connection&)> answer);

}  // namespace rollcall::kube::testing

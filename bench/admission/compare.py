"""Runs both webhooks, loads them in turn with wrk, prints a table and the figures as JSON. Called by bench/admission/run."""
import argparse
import json
import os
import pathlib
import platform
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
# name, connections, fresh: wrk runs one thread, so that the servers have the other core to themselves.
WAYS = [("keep-alive 1", 1, False), ("keep-alive 8", 8, False), ("keep-alive 64", 64, False), ("fresh 8", 8, True)]
POLICY = {
    "apiVersion": "rollcall.dev/v1alpha1",
    "kind": "RollcallPolicy",
    "metadata": {"name": "bench-admission"},
    "spec": {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
        "severities": [{"rule": "rendezvous/written-down-address", "severity": "Deny"}],
    },
}


class Server:
    """One webhook and its memory."""

    def __init__(self, name, command, port):
        self.name, self.port = name, port
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while True:
            if self.process.poll() is not None:
                sys.exit(f"{name} ended with {self.process.returncode}: {self.process.stderr.read()}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if time.monotonic() > deadline:
                sys.exit(f"{name} does not listen on {port}")
            time.sleep(0.1)
        time.sleep(2)  # what a program does at its start is over: memory is idle memory now
        self.idle_kib = self.memory("VmRSS")

    def memory(self, field):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(field + ":"):
                return int(line.split()[1])
        return 0

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def load(self, connections, fresh, seconds):
        before = self.cpu_seconds()
        out = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", HERE / "load.lua",
             f"https://127.0.0.1:{self.port}/validate?timeout=5s", "--", HERE / "review.json"] + (["fresh"] if fresh else []),
            check=True, capture_output=True, text=True)
        figures = json.loads(out.stdout.strip().splitlines()[-1])
        figures["per_second"] = figures["requests"] / (figures["microseconds"] / 1e6)
        figures["server_cpu_us"] = (self.cpu_seconds() - before) / max(1, figures["requests"]) * 1e6
        return figures

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
         f"{folder}/tls.key", "-out", f"{folder}/tls.crt", "-subj", "/CN=bench", "-days", "2",
         "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)


def ask(server, body):
    out = subprocess.run(["curl", "-sk", "--max-time", "10", "-H", "Content-Type: application/json", "--data-binary", "@-",
                          f"https://127.0.0.1:{server.port}/validate?timeout=5s"], input=body, capture_output=True, text=True)
    return json.loads(out.stdout)["response"]["allowed"]


def check(server):
    """Both must do the work: admit the review, and refuse it with too many processes."""
    review = json.loads((HERE / "review.json").read_text())
    if not ask(server, json.dumps(review)):
        sys.exit(f"{server.name} refuses the review of the bench")
    review["request"]["object"]["spec"]["nprocPerNode"] = 16
    if ask(server, json.dumps(review)):
        sys.exit(f"{server.name} admits 16 processes for 8 GPUs")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # so that what was started is ended too
    applied = subprocess.run(["kubectl", "apply", "-f", "-"], input=json.dumps(POLICY), text=True, capture_output=True)
    if applied.returncode != 0:
        sys.exit(f"the cluster does not take the bench's RollcallPolicy: {applied.stderr.strip()}")
    with tempfile.TemporaryDirectory() as folder:
        certificate(folder)
        servers = []
        try:
            servers.append(Server("ours", [options.ours, "--namespace", "default", "--port", "19443", "--tls-dir", folder,
                                           "--health-port", "19081", "--metrics-port", "19080", "--shutdown-delay", "0",
                                           "--kubeconfig", os.environ["KUBECONFIG"]], 19443))
            servers.append(Server("peer", [options.peer, "--port", "19444", "--tls-dir", folder], 19444))
            runs = {}
            for server in servers:
                check(server)
                server.load(8, False, 2)
            for _ in range(options.rounds):
                for way, connections, fresh in WAYS:
                    for server in servers:
                        runs.setdefault((way, server.name), []).append(server.load(connections, fresh, options.seconds))
            report(options, servers, runs)
        finally:
            for server in servers:
                server.end()
            subprocess.run(["kubectl", "delete", "rollcallpolicy", "bench-admission", "--ignore-not-found"],
                           capture_output=True)


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{os.cpu_count()} x {model}, Linux {platform.release()}"


def report(options, servers, runs):
    figures = {"machine": machine(), "seconds": options.seconds, "rounds": options.rounds,
               "review_bytes": (HERE / "review.json").stat().st_size, "ways": {}, "memory": {}}
    print(f"{'':14}{'ours/s':>9}{'peer/s':>9}{'ratio':>7}   {'p50 ms':>13}   {'p99 ms':>13}   {'server CPU us':>14}   errors")
    for way, _, _ in WAYS:
        row = {}
        for server in servers:
            many = runs[(way, server.name)]
            row[server.name] = {key: round(statistics.median(run[key] for run in many), 1)
                                for key in ("per_second", "p50_us", "p90_us", "p99_us", "max_us", "server_cpu_us")}
            row[server.name]["errors"] = sum(run["errors"] for run in many)
            row[server.name]["each_per_second"] = [round(run["per_second"]) for run in many]
        ours, peer = row["ours"], row["peer"]
        row["ratio"] = round(statistics.median(
            a["per_second"] / b["per_second"] for a, b in zip(runs[(way, "ours")], runs[(way, "peer")])), 2)
        figures["ways"][way] = row
        print(f"{way:14}{ours['per_second']:9.0f}{peer['per_second']:9.0f}{row['ratio']:7.2f}   "
              f"{ours['p50_us'] / 1000:6.2f}/{peer['p50_us'] / 1000:6.2f}   {ours['p99_us'] / 1000:6.2f}/{peer['p99_us'] / 1000:6.2f}   "
              f"{ours['server_cpu_us']:7.0f}/{peer['server_cpu_us']:6.0f}   {ours['errors']}/{peer['errors']}")
    for server in servers:
        figures["memory"][server.name] = {"idle_kib": server.idle_kib, "after_kib": server.memory("VmRSS"),
                                          "peak_kib": server.memory("VmHWM")}
        memory = figures["memory"][server.name]
        print(f"memory of {server.name}: idle {memory['idle_kib'] / 1024:.1f}, after load {memory['after_kib'] / 1024:.1f}, "
              f"peak {memory['peak_kib'] / 1024:.1f} MiB")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

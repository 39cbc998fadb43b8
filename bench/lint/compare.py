"""Runs both linters in turn over the same Jobs, prints a table and the figures as JSON. Called by bench/lint/run."""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time


def measured(command, wanted):
    """Seconds by the clock, seconds of CPU, peak KiB of one run; its exit status must be `wanted`."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != wanted:
        sys.exit(f"{command[0]} ended with {process.returncode}:\n{output[-2000:]}")
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak_kib": usage.ru_maxrss}, output


def check(ours, peer, folder):
    """Both must do the work: find nothing wrong in the Jobs, and something in a wrong one."""
    sound = (folder / "many" / "jobs-00000.yaml").read_text()
    wrong = folder / "wrong.yaml"
    wrong.write_text(sound.replace("nproc-per-node=8", "nproc-per-node=16").replace("backoffLimit: 0", "backofLimit: 0"))
    _, said = measured(ours + [str(wrong)], 1)
    assert "16 processes" in said, said
    _, said = measured(peer + [str(wrong)], 1)
    assert "backofLimit" in said, said
    wrong.unlink()


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{os.cpu_count()} x {model}, Linux {platform.release()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--schema", required=True)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ours = [options.ours, "lint"]
    peer = [options.peer, "-strict", "-summary", "-n", str(os.cpu_count()), "-schema-location", options.schema]
    check(ours, peer, options.folder)
    inputs = {"one file": options.folder / "one.yaml", f"{options.jobs // 10} files": options.folder / "many"}
    runs = {}
    for round_ in range(options.rounds):
        for name, path in inputs.items():
            # Who is first changes from round to round: what one leaves in the caches, the other may find.
            for who, command in sorted({"ours": ours, "peer": peer}.items(), reverse=round_ % 2 == 1):
                figures, said = measured(command + [str(path)], 0)
                assert str(options.jobs) in said.replace(",", ""), said[-500:]
                runs.setdefault((name, who), []).append(figures)
    figures = {"machine": machine(), "jobs": options.jobs, "rounds": options.rounds,
               "bytes": (options.folder / "one.yaml").stat().st_size, "inputs": {}}
    print(f"{'':12}{'ours s':>9}{'peer s':>9}{'ratio':>7}   {'CPU s':>15}   {'peak MiB':>15}")
    for name in inputs:
        row = {who: {key: round(statistics.median(run[key] for run in runs[(name, who)]), 2)
                     for key in ("seconds", "cpu", "peak_kib")} for who in ("ours", "peer")}
        row["ratio"] = round(statistics.median(
            b["seconds"] / a["seconds"] for a, b in zip(runs[(name, "ours")], runs[(name, "peer")])), 2)
        figures["inputs"][name] = row
        a, b = row["ours"], row["peer"]
        print(f"{name:12}{a['seconds']:9.2f}{b['seconds']:9.2f}{row['ratio']:7.2f}   {a['cpu']:7.2f}/{b['cpu']:7.2f}   "
              f"{a['peak_kib'] / 1024:7.1f}/{b['peak_kib'] / 1024:7.1f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

// What the rules see of a command: exec form and scripts, and what stays open.
#include <gtest/gtest.h>

#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::job;
using test::job_of;
using test::job_of_script;
using test::short_of;

/// Whether a `--nnodes` of 2 in the command of a job of 4 nodes is seen: the probe for "this flag was read".
bool denied(const std::string& manifest) {
  const std::string found = short_of(findings_of(manifest));
  EXPECT_TRUE(found.empty() || found.starts_with("deny torchrun/nnodes-against-spec @ ")) << found;
  return !found.empty();
}

TEST(ExecForm, FlagsAreReadInBothSpellingsAndForms) {
  EXPECT_TRUE(denied(job_of("torchrun, --nnodes=2, t.py")));
  EXPECT_TRUE(denied(job_of("torchrun, --nnodes, '2', t.py")));
  EXPECT_TRUE(denied(job_of("python, -m, torch.distributed.run, --nnodes=2, t.py")));
  EXPECT_TRUE(denied(job_of("python3.11, -u, -X, faulthandler, -m, torch.distributed.launch, --nnodes=2, t.py")));
  EXPECT_TRUE(denied(job_of("env, -u, X, A=b, torchrun, --no_python, --max-restarts, '3', --nnodes=2, t.py")));
  EXPECT_TRUE(denied(job_of("torchrun, --nnodes=4, --nnodes=2, t.py")));  // the last counts
  EXPECT_FALSE(denied(job_of("torchrun, --nnodes=2, --nnodes=4, t.py")));
}

TEST(ExecForm, ArgsContinueTheCommand) {
  EXPECT_EQ(short_of(findings_of(job("          command: [torchrun]\n          args: [--nnodes=2, t.py]\n"))),
            "deny torchrun/nnodes-against-spec @ spec.template.spec.containers[0].args[0]");
}

TEST(ExecForm, TheScriptsOwnFlagsAreNotTorchruns) {
  EXPECT_FALSE(denied(job_of("torchrun, t.py, --nnodes=2")));
  EXPECT_FALSE(denied(job_of("torchrun, -m, train, --nnodes=2")));
  EXPECT_FALSE(denied(job_of("torchrun, --, t.py, --nnodes=2")));
  EXPECT_FALSE(denied(job_of("python, t.py, --nnodes=2")));
}

TEST(ExecForm, RangesThatContainTheNodesAreFine) {
  EXPECT_FALSE(denied(job_of("torchrun, '--nnodes=1:4', t.py")));
  EXPECT_FALSE(denied(job_of("torchrun, '--nnodes=4:8', t.py")));
  EXPECT_TRUE(denied(job_of("torchrun, '--nnodes=5:8', t.py")));
  EXPECT_TRUE(denied(job_of("torchrun, '--nnodes=1:3', t.py")));
  EXPECT_TRUE(denied(job_of("torchrun, '--nnodes=8:1', t.py")));
  EXPECT_TRUE(denied(job_of("torchrun, --nnodes=four, t.py")));
}

TEST(ExecForm, WhatIsFilledInAtRunTimeIsNeverDenied) {
  for (const char* command : {
           "torchrun, --nnodes=$(NNODES), t.py",
           "torchrun, --nnodes, $(NODES), t.py",
           "torchrun, --nnodes=1$(ZERO), t.py",
           "$(LAUNCHER), --nnodes=2, t.py",
           "torchrun, --nnodes=2, $(EXTRA), t.py",
           "torchrun, $(EXTRA)nodes=2, t.py",
           "mpirun, torchrun, --nnodes=2, t.py",
           "/entrypoint.sh, torchrun, --nnodes=2, t.py",
           "torchrun, --a-flag-of-a-later-torch, --nnodes=2, t.py",
       }) {
    EXPECT_FALSE(denied(job_of(command))) << command;
  }
  EXPECT_FALSE(denied(job("          args: [torchrun, --nnodes=2, t.py]\n")));  // the image's entrypoint decides
}

TEST(ExecForm, TheContainersOwnEnvIsFilledIn) {
  const std::string env = "          env: [{name: NODES, value: '2'}, {name: FLAG, value: '$(NODES)'}]\n";
  EXPECT_TRUE(denied(job("          command: [torchrun, --nnodes=$(FLAG), t.py]\n" + env)));
  EXPECT_FALSE(
      denied(job("          command: [torchrun, --nnodes=$(NODES), t.py]\n          env:\n            - name: NODES\n"
                 "              valueFrom: {configMapKeyRef: {name: c, key: k}}\n")));
}

TEST(Script, FlagsOfTheOneLauncherAreRead) {
  for (const char* script : {
           "torchrun --nnodes=2 t.py",
           "exec torchrun --nnodes 2 t.py",
           "cd /app && exec torchrun --nnodes=2 t.py",
           "set -euo pipefail\n# torchrun --nnodes=4\ntorchrun \\\n  --nnodes=2 \\\n  t.py",
           "python prepare.py; torchrun --nnodes=2 t.py",
           "torchrun --nnodes='2' t.py 2>&1 | tee /log",
           "torchrun --nnodes=\"2\" t.py > /log 2>&1 || exit 1",
           "NODES=2\ntorchrun --nnodes=$NODES t.py",
           "export NODES=2; torchrun --nnodes=\"${NODES}\" t.py",
           "ARGS='--nnodes=2 --max-restarts=3'; torchrun $ARGS t.py",
           "cat <<EOF > /cfg\ntorchrun --nnodes=4 t.py\nif [\nEOF\ntorchrun --nnodes=2 t.py",
           "NCCL_DEBUG=INFO torchrun --nnodes=2 t.py",
           "if [ -f /x ]; then pip install x; fi\ntorchrun --nnodes=2 t.py",
           "torchrun --nnodes=2 t.py --name \"$(hostname)\"",
           "bash -c 'torchrun --nnodes=2 t.py'",
           "test -d /data &&\n  ls\ntorchrun --nnodes=2 t.py",
           "ARGS=(--nnodes=2)\ntorchrun \"${ARGS[@]}\" t.py",
           "torchrun --nnodes=$1 t.py",  // nobody hands the script an argument
           "torchrun \"$@\" --nnodes=2",
           "ARGS=(--max-restarts=3)\nARGS+=(\n  --nnodes=2  # nodes\n)\ntorchrun \"${ARGS[@]}\" t.py",
           "declare -a ARGS=(--nnodes 2)\ntorchrun ${ARGS[@]} t.py",
           "ARGS='--max-restarts=3'; ARGS+=' --nnodes=2'; torchrun $ARGS t.py",
           "N=2; torchrun --nnodes=${N:-4} t.py",
           "N=; torchrun --nnodes=${N:-2} t.py",
           "(torchrun --nnodes=2 t.py)",
           "{ cd /app; torchrun --nnodes=2 t.py; } 2>&1 | tee /log",
           "if ! command -v torchrun; then pip install torch; fi\ntorchrun --nnodes=2 t.py",
           "exec torchrun --nnodes=2 t.py\npython never.py",
           "trap 'kill 0' EXIT\ntorchrun --nnodes=2 t.py &\nwait",
           "fail() {\n  echo $1; exit 1\n}\n[ -d /data ] || fail none\ntorchrun --nnodes=2 t.py",
           "function fail() {\n  exit 1\n}\ntorchrun --nnodes=2 t.py",
           "timeout -k 5 1h numactl -N 0 --membind=0 nice -n 5 stdbuf -oL torchrun --nnodes=2 t.py",
           "uv run --frozen --extra gpu torchrun --nnodes=2 t.py",
           "uv run -m torch.distributed.run --nnodes=2 t.py",
           "poetry run torchrun --nnodes=2 t.py",
           "conda run --no-capture-output -n train torchrun --nnodes=2 t.py",
           "nsys profile -o /out --trace=cuda,nvtx torchrun --nnodes=2 t.py",
           "sudo -E env A=b torchrun --nnodes=2 t.py",
           "python -um torch.distributed.run --nnodes=2 t.py",
           "set -euo pipefail -- --nnodes=2\ntorchrun --nnodes=2 t.py",
           "cd /app || exit\ntorchrun --nnodes=2 t.py",
           "[ -n \"$DATA\" ] || { echo none; exit 3; }\ntorchrun --nnodes=2 t.py",
           "(cd /x; exit 0)\ntorchrun --nnodes=2 t.py",
           "end() { kill 0; exit 0; }\ntrap end TERM\ntorchrun --nnodes=2 t.py",
           "exec > /log 2>&1\ntorchrun --nnodes=2 t.py",
       }) {
    EXPECT_TRUE(denied(job_of_script(script))) << script;
  }
}

TEST(Script, WhatIsDecidedAtRunTimeIsNeverDenied) {
  for (const char* script : {
           "torchrun --nnodes=$NODES t.py",
           "torchrun --nnodes=${NODES:-2} t.py",
           "torchrun --nnodes=$(wc -l < /hosts) t.py",
           "torchrun --nnodes=`cat /n` t.py",
           "torchrun --nnodes=$((1+1)) t.py",
           "shift; torchrun --nnodes=$1 t.py",
           "set -- t.py; torchrun \"$@\" --nnodes=2",
           "torchrun --nnodes=2 $EXTRA t.py",
           "torchrun --nnodes=2 \"${ARGS[@]}\" t.py",
           "ARGS=(--nnodes=2)\n[ -f /x ] && ARGS+=(--nnodes=4)\ntorchrun \"${ARGS[@]}\" t.py",
           "ARGS=(--nnodes=2)\nmapfile -t ARGS < /args\ntorchrun \"${ARGS[@]}\" t.py",
           "ARGS=(--nnodes=2); . /env.sh; torchrun \"${ARGS[@]}\" t.py",
           "ARGS=(--nnodes=2); torchrun \"${ARGS[@]:1}\" t.py",
           "(N=2); torchrun --nnodes=$N t.py",
           "[ $N = 1 ] && { cd /app; torchrun --nnodes=2 t.py; }",
           "[ $N = 1 ] && (cd /app; torchrun --nnodes=2 t.py)",
           "(( N == 1 )) && torchrun --nnodes=2 t.py",
           "N=4; : ${M:=2}; torchrun --nnodes=${M%x} t.py",
           "run() { torchrun --nnodes=2 t.py; }; run",
           "function run() {\n torchrun --nnodes=2 t.py\n}\nrun",
           "uv run --a-flag-of-a-later-uv torchrun --nnodes=2 t.py",
           "env -S 'torchrun --nnodes=2 t.py'",
           "if [ $N = 1 ]; then torchrun --nnodes=2 t.py; fi",
           "[ $N = 1 ] && torchrun --nnodes=2 t.py",
           "[[ $N == 1 && -f /x ]] && torchrun --nnodes=2 t.py",
           "prepare || torchrun --nnodes=2 t.py",
           "for i in 1 2 3; do torchrun --nnodes=2 t.py; done",
           "while true; do\ntorchrun --nnodes=2 t.py\ndone",
           "case $N in a) torchrun --nnodes=2 t.py ;; esac",
           "run() {\n torchrun --nnodes=2 t.py\n}\nrun",
           "function run {\n torchrun --nnodes=2 t.py\n}\nrun",
           "torchrun --nnodes=2 a.py; torchrun --nnodes=4 b.py",
           "N=2\nif [ -f /x ]; then N=4; fi\ntorchrun --nnodes=$N t.py",
           "N=2\n[ -f /x ] && N=4\ntorchrun --nnodes=$N t.py",
           "N=2\nsource /env.sh\ntorchrun --nnodes=$N t.py",
           "N=2; eval \"$SETUP\"; torchrun --nnodes=$N t.py",
           "N=2; read N < /n; torchrun --nnodes=$N t.py",
           "N=2; unset N; torchrun --nnodes=$N t.py",
           "N=2; for N in 4; do :; done; torchrun --nnodes=$N t.py",
           "N=2; ((N *= 2)); torchrun --nnodes=$N t.py",
           "N=2; let N=4; torchrun --nnodes=$N t.py",
           "N+=2; torchrun --nnodes=$N t.py",
           "N=2; printf -v N 4; torchrun --nnodes=$N t.py",
           "N=2; builtin source /env.sh; torchrun --nnodes=$N t.py",
           "torchrun $SCRIPT --nnodes=2",
           "srun torchrun --nnodes=2 t.py",
           "bash run.sh --nnodes=2",
           "$LAUNCH --nnodes=2 t.py",
           "echo torchrun --nnodes=2 t.py",
           "cat <<'EOF' > run.sh\ntorchrun --nnodes=2 t.py\nEOF\nbash run.sh",
           "[ $N = 0 ] || { ./other.sh; exit; }\ntorchrun --nnodes=2 t.py",
           "[ $N = 0 ] || { ./other.sh; exit $?; }\ntorchrun --nnodes=2 t.py",
           "[ $N = 0 ] || exec ./other.sh\ntorchrun --nnodes=2 t.py",
           "if [ $N != 0 ]; then python other.py; exit 0; fi\ntorchrun --nnodes=2 t.py",
           "other() { ./other.sh; exit 0; }\n[ $N = 0 ] || other\ntorchrun --nnodes=2 t.py",
           "function other {\n exec ./other.sh\n}\nif [ $N = 1 ]; then other; fi\ntorchrun --nnodes=2 t.py",
       }) {
    EXPECT_FALSE(denied(job_of_script(script))) << script;
  }
}

TEST(Script, TheContainersEnvIsOpenWhereTheScriptMayChangeIt) {
  const std::string env = "          env: [{name: NODES, value: '2'}]\n          command: ";
  const std::string run = "torchrun --nnodes=$NODES t.py";
  EXPECT_TRUE(denied(job(env + "[bash, -c, 'echo $NODES ${NODES}; " + run + "']\n")));
  EXPECT_TRUE(denied(job(env + "[bash, -c, 'export NODES; " + run + "']\n")));
  EXPECT_TRUE(denied(job(env + "[bash, -c, \"bash -c '" + run + "'\"]\n")));
  for (const char* before : {"read NODES < /n", "unset NODES", "for NODES in 4; do :; done", "mapfile NODES < /n",
                             ": $((NODES=4))", "(( NODES = 4 ))", "let NODES=4", "printf -v NODES 4"}) {
    EXPECT_FALSE(denied(job(env + "[bash, -c, '" + before + "; " + run + "']\n"))) << before;
  }
  for (const char* before : {"export NODES=4;", "NODES=4", "env NODES=4", "source /env.sh;", "env -u NODES"}) {
    EXPECT_FALSE(denied(job(env + "[bash, -c, \"" + before + " bash -c '" + run + "'\"]\n"))) << before;
  }
  EXPECT_FALSE(denied(job(env + "[env, NODES=4, bash, -c, '" + run + "']\n")));
}

TEST(Script, FlagsThatAnOpenWordMayHoldAreNotTakenForAbsent) {
  // The processes of each node, and with them the world, show only at run time.
  EXPECT_EQ(short_of(findings_of(job_of_script("torchrun $EXTRA t.py", "  worldSize: 16\n"))), "");
  EXPECT_EQ(short_of(findings_of(job_of("torchrun, --flag-to-come=1, t.py", "  worldSize: 16\n"))),
            "deny world/size-is-not-the-product @ spec.worldSize");
}

TEST(Address, AnyFreePortIsFineForOneNode) {
  const std::string command = "torchrun, --rdzv-backend=c10d, --rdzv-endpoint=localhost:0, t.py";
  EXPECT_EQ(short_of(findings_of(job_of(command, "  nnodes: 1\n"))), "");
  EXPECT_NE(short_of(findings_of(job_of(command))).find("deny rendezvous/port-out-of-range"), std::string::npos);
}

TEST(Address, AnIPv4AddressWrittenAsIPv6IsWhatItIs) {
  EXPECT_EQ(short_of(findings_of(job_of("torchrun, '--master_addr=::ffff:127.0.0.1', t.py"))),
            "deny rendezvous/localhost @ spec.template.spec.containers[0].command[1]");
}

TEST(Script, TheKubeletFillsInBeforeTheShellReads) {
  const std::string env = "          env: [{name: NODES, value: '2'}]\n          command: [sh, -c, ";
  EXPECT_TRUE(denied(job(env + "'torchrun --nnodes=$(NODES) t.py']\n")));
  EXPECT_TRUE(denied(job(env + "'torchrun --nnodes=$$NODES t.py']\n")));
  EXPECT_TRUE(denied(job(env + "'torchrun --nnodes=$NODES t.py']\n")));
  EXPECT_TRUE(denied(job("          command: [/bin/bash, -euxo, pipefail, -c, 'torchrun --nnodes=2 t.py']\n")));
  EXPECT_TRUE(denied(job("          command: [bash, -o, pipefail, -lc, 'torchrun --nnodes=2 t.py']\n")));
}

TEST(Script, WhatTheKubeletFillsInIsNotTheShellsVariable) {
  const std::string env =
      "          env: [{name: NODES, value: '2'}, {name: R, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n"
      "          command: [sh, -c, ";
  EXPECT_TRUE(denied(job(env + "'NODES=4; torchrun --nnodes=$(NODES) t.py']\n")));
  EXPECT_FALSE(denied(job(env + "'R=2; torchrun --nnodes=$(R) t.py']\n")));
  EXPECT_FALSE(denied(job(env + "\"torchrun --nnodes='$(R)' t.py\"]\n")));
  EXPECT_FALSE(denied(job(env + "\"bash -c 'torchrun --nnodes=$(R) t.py'\"]\n")));
}

TEST(Script, APythonProgramBehindTheLauncherMayBeTheTraining) {
  EXPECT_FALSE(denied(job_of("bash, -c, 'torchrun --nnodes=2 check.py; python train.py'")));
  EXPECT_TRUE(denied(job_of("bash, -c, 'python prepare.py && torchrun --nnodes=2 train.py'")));
}

TEST(Limits, ValuesThatDoubleEachOtherStaySmall) {
  std::string env = "          env: [{name: E0, value: xxxxxxxxxxxxxxxx}";
  std::string script = "A=xxxxxxxxxxxxxxxx; B='x x x x x x x x';";
  std::string many;
  for (int i = 1; i < 60; ++i) {
    const auto before = "$(E" + std::to_string(i - 1) + ")";
    env += ", {name: E" + std::to_string(i) + ", value: '" + before + before + "'}";
    script += " A=$A$A; B=\\\"$B $B\\\";";
  }
  for (int i = 0; i < 20'000; ++i) many += " $B";
  EXPECT_FALSE(denied(job(env + "]\n          command: [torchrun, --nnodes=$(E59), t.py]\n")));
  EXPECT_FALSE(denied(job("          command: [bash, -c, \"" + script + " torchrun --nnodes=$A t.py\"]\n")));
  EXPECT_FALSE(denied(job("          command: [bash, -c, \"" + script + many + "\"]\n")));
  EXPECT_FALSE(denied(job("          command: [bash, -c, \"B='x x x x x x x x';" + many + "\"]\n")));
}

TEST(Limits, AnEnvNobodyWritesIsOpen) {
  std::string env = "          env: [{name: NODES, value: '2'}";
  for (int i = 0; i < 1100; ++i) env += ", {name: E" + std::to_string(i) + ", value: x}";
  EXPECT_FALSE(denied(job(env + "]\n          command: [torchrun, --nnodes=$(NODES), t.py]\n")));
}

TEST(Script, NoScriptBringsItDown) {
  const std::string script =
      "if [[ $A && \"${B[@]}\" ]]; then x=(1 2); cat <<E | tee `a\\`b` $(c \"$(d)\" ) ; fi\nE\ntorchrun $'x' &> y";
  for (std::size_t i = 0; i <= script.size(); ++i) {
    std::string yaml = "          command: [bash, -c, \"";
    for (const char c : script.substr(i) + script.substr(0, i / 2)) {
      if (c == '\n') {
        yaml += "\\n";
      } else {
        if (c == '"' || c == '\\') yaml += '\\';
        yaml += c;
      }
    }
    EXPECT_FALSE(denied(job(yaml + "\"]\n")));
  }
}

}  // namespace
}  // namespace rollcall::launch

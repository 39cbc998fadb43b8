#include "cli/lint/judged.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "finding/finding.h"

namespace rollcall::cli {
namespace {

class JudgedInputs : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return folder_.write(name, text); }
  std::string folder() const { return folder_.path().string(); }

  static Judged judge(const std::vector<std::string>& names, const std::string& input = "") {
    std::istringstream in(input);
    return judge_inputs(names, in);
  }

 private:
  const Folder folder_;
};

/// A TrainingJob whose world does not fit its processes: one denial on its seventh line.
std::string wrong_job(int n) {
  return "apiVersion: rollcall.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: job-" + std::to_string(n) +
         "}\nspec:\n  nnodes: 2\n  nprocPerNode: 8\n  worldSize: 15\n  template:\n    spec:\n      containers:\n"
         "        - {name: trainer, image: train:1, command: [torchrun, train.py], resources: {limits: "
         "{nvidia.com/gpu: 8}}}\n";
}

std::vector<std::string> lines(const Judged& judged) {
  std::vector<std::string> all;
  for (const Finding& finding : judged.findings) all.push_back(terminal_line(finding));
  return all;
}

TEST_F(JudgedInputs, ALongFileIsJudgedInItsOrder) {
  std::string text;
  for (int n = 0; n < 300; ++n) text += "---\n" + wrong_job(n);
  const Judged judged = judge({write("jobs.yaml", text)});
  EXPECT_EQ(judged.documents(), 300);
  EXPECT_EQ(judged.judged(), 300);
  ASSERT_GE(judged.findings.size(), 300u);
  ASSERT_EQ(judged.findings.size() % 300, 0u);
  const std::size_t each = judged.findings.size() / 300;
  for (std::size_t i = 0; i < judged.findings.size(); ++i) {
    const Finding& finding = judged.findings[i];
    const int job = static_cast<int>(i / each);
    EXPECT_EQ(finding.object.name, "job-" + std::to_string(job));
    EXPECT_EQ(finding.place.document, job);
    EXPECT_GT(finding.place.line, job * 12);
    EXPECT_LE(finding.place.line, job * 12 + 12);
  }
}

TEST_F(JudgedInputs, OneTextAndManyFilesComeToTheSame) {
  std::string text;
  for (int n = 0; n < 60; ++n) {
    text += wrong_job(n) + "---\n";
    write("job-" + std::to_string(100 + n) + ".yaml", wrong_job(n));
  }
  const Judged many = judge({folder()});
  const Judged one = judge({"-"}, text);
  EXPECT_EQ(many.files.size(), 60u);
  ASSERT_EQ(one.files.size(), 1u);
  EXPECT_EQ(one.files[0].name, "<stdin>");
  ASSERT_EQ(one.findings.size(), many.findings.size());
  for (std::size_t i = 0; i < one.findings.size(); ++i) {
    EXPECT_EQ(one.findings[i].message, many.findings[i].message);
    EXPECT_EQ(one.findings[i].object.name, many.findings[i].object.name);
  }
}

TEST_F(JudgedInputs, ABrokenDocumentHidesNoOther) {
  const std::string file = write("jobs.yaml", wrong_job(0) + "---\na: [1\n---\n" + wrong_job(1));
  const Judged judged = judge({file, folder() + "/absent.yaml"});
  ASSERT_EQ(judged.errors.size(), 2u);
  EXPECT_EQ(judged.errors[0].text(), folder() + "/absent.yaml: No such file or directory");
  EXPECT_TRUE(judged.errors[1].text().starts_with(file + ":14:")) << judged.errors[1].text();
  EXPECT_EQ(judged.documents(), 3);
  EXPECT_EQ(judged.judged(), 2);
  ASSERT_FALSE(judged.findings.empty());
  EXPECT_EQ(judged.findings.back().place.document, 2);
}

TEST_F(JudgedInputs, AFileIsJudgedOnce) {
  const std::string file = write("job.yaml", wrong_job(0));
  EXPECT_EQ(lines(judge({file, folder(), file})), lines(judge({file})));
}

TEST_F(JudgedInputs, APipeIsReadAsAFileIs) {
  const std::string pipe = folder() + "/pipe.yaml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&pipe] { std::ofstream(pipe) << wrong_job(3); });
  const Judged judged = judge({pipe});
  writer.join();
  EXPECT_EQ(judged.judged(), 1);
  ASSERT_FALSE(judged.findings.empty());
  EXPECT_EQ(judged.findings.front().place.file, pipe);
}

TEST_F(JudgedInputs, WhatHoldsNothingToJudgeIsCounted) {
  const Judged judged = judge({"-"}, "a: 1\n---\nkind: ConfigMap\napiVersion: v1\n---\n# nothing\n");
  EXPECT_EQ(judged.documents(), 2);
  EXPECT_EQ(judged.judged(), 0);
  EXPECT_TRUE(judged.findings.empty());
}

}  // namespace
}  // namespace rollcall::cli

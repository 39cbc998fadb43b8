#include "desk/token/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::desk {

void PrintTo(Outcome outcome, std::ostream* out) { *out << to_string(outcome); }

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr TimePoint kNow{1'796'053'000s};

/// A caller that is admitted; each case changes one thing.
struct Caller {
  Claims claims;
  Signature signature = Signature::Good;
  bool keys_fresh = false;
  std::optional<Review> review = Review{true, {"rollcall"}, "system:serviceaccount:train:default", "uid-2", ""};
  Known known;

  Caller() {
    claims.audiences = {"rollcall"};
    claims.expires = 1'796'053'000 + 3000;
    claims.pod_uid = "uid-2";
    claims.pod_name = "llama-2-1";
    claims.namespace_name = "train";
    known.place = Place{"train/tj-llama-1", 1, 2, 4};
    known.current_attempt = 1;
    known.pod = Known::Pod::Alive;
  }
  Outcome judged() const { return judge(claims, signature, keys_fresh, review, known, kNow); }
  std::string told() const { return explain(judged(), claims, known, review, kNow); }
};

TEST(Judge, APodOfTheRosterIsAdmitted) { EXPECT_EQ(Caller().judged(), Outcome::Admitted); }

TEST(Judge, TheApiServersAudienceIsRefused) {
  Caller caller;
  caller.claims.audiences = {"https://kubernetes.default.svc"};
  EXPECT_EQ(caller.judged(), Outcome::WrongAudience);
  EXPECT_THAT(caller.told(), HasSubstr("https://kubernetes.default.svc"));
}

TEST(Judge, AnExpiredTokenIsRefusedAfterTheLeeway) {
  Caller caller;
  caller.claims.expires = 1'796'053'000 - 299;
  EXPECT_EQ(caller.judged(), Outcome::Admitted) << "clocks differ; the review decides";
  caller.claims.expires = 1'796'053'000 - 300;
  EXPECT_EQ(caller.judged(), Outcome::Expired);
  EXPECT_THAT(caller.told(), HasSubstr("300 s ago; read the token file again"));
}

TEST(Judge, ATokenOfNoPodIsRefused) {
  Caller caller;
  caller.claims.pod_uid = "";
  EXPECT_EQ(caller.judged(), Outcome::NotOfAPod);
}

TEST(Judge, ABadSignatureIsRefusedWhateverIsKnown) {
  Caller caller;
  caller.signature = Signature::Bad;
  EXPECT_EQ(caller.judged(), Outcome::BadSignature);
  caller.known = {};
  EXPECT_EQ(caller.judged(), Outcome::BadSignature) << "a forged token enters nothing into what we remember";
}

TEST(Judge, AnUnknownKeyIsLookedUpOnceThenRefused) {
  Caller caller;
  caller.signature = Signature::UnknownKey;
  EXPECT_EQ(caller.judged(), Outcome::KeysNeeded);
  caller.keys_fresh = true;
  EXPECT_EQ(caller.judged(), Outcome::UnknownKey);
}

TEST(Judge, WithoutKeysTheReviewDecidesAlone) {
  Caller caller;
  caller.signature = Signature::NotChecked;
  EXPECT_EQ(caller.judged(), Outcome::KeysNeeded);
  caller.keys_fresh = true;
  EXPECT_EQ(caller.judged(), Outcome::Admitted);
  caller.review.reset();
  EXPECT_EQ(caller.judged(), Outcome::ReviewNeeded);
}

TEST(Judge, AnUnknownUidWaits30sWithoutAReviewThenIsRefused) {
  Caller caller;
  caller.known = {};
  caller.review.reset();
  caller.known.first_heard = kNow - 29'999ms;
  EXPECT_EQ(caller.judged(), Outcome::UidNotYetKnown);
  caller.known.first_heard = kNow - 30s;
  EXPECT_EQ(caller.judged(), Outcome::UidUnknown);
  EXPECT_THAT(caller.told(), HasSubstr("in no roster after 30 s"));
}

TEST(Judge, AForgedPodWithOurNamesAndLabelsIsInNoRoster) {
  Caller caller;  // name and namespace are those of node rank 2's pod; its uid is its own, and no uid can be chosen
  caller.claims.pod_uid = "uid-forged";
  caller.known = {};
  caller.known.pod = Known::Pod::Alive;  // it carries our labels, so we see it
  caller.known.first_heard = kNow - 31s;
  EXPECT_EQ(caller.judged(), Outcome::UidUnknown);
  EXPECT_THAT(caller.told(), HasSubstr("whatever their names and labels"));
}

TEST(Judge, ADeletedPodIsRefusedWithoutAReview) {
  Caller caller;
  caller.known.pod = Known::Pod::Gone;
  EXPECT_EQ(caller.judged(), Outcome::PodGone) << "although its token still passes review";
  caller.review.reset();
  EXPECT_EQ(caller.judged(), Outcome::PodGone);
}

TEST(Judge, APodOurWatchLacksWaits) {
  Caller caller;
  caller.known.pod = Known::Pod::NotSeen;
  EXPECT_EQ(caller.judged(), Outcome::PodNotYetSeen);
}

TEST(Judge, AReviewIsNeededBeforeAnythingIsTold) {
  Caller caller;
  caller.review.reset();
  EXPECT_EQ(caller.judged(), Outcome::ReviewNeeded);
  caller.known.former = true;
  EXPECT_EQ(caller.judged(), Outcome::ReviewNeeded) << "how an attempt ended is its pods' business";
}

TEST(Judge, WhatTheReviewSaysCounts) {
  Caller caller;
  caller.review->authenticated = false;
  caller.review->error = "pod uid mismatch";
  EXPECT_EQ(caller.judged(), Outcome::ReviewRefused);
  EXPECT_THAT(caller.told(), HasSubstr("pod uid mismatch"));
  caller = Caller();
  caller.review->audiences = {"other"};
  EXPECT_EQ(caller.judged(), Outcome::ReviewWrongAudience);
  caller = Caller();
  caller.review->audiences.clear();
  EXPECT_EQ(caller.judged(), Outcome::ReviewWrongAudience);
  caller = Caller();
  caller.review->pod_uid = "uid-3";
  EXPECT_EQ(caller.judged(), Outcome::ReviewOfOtherPod);
  caller.review->pod_uid = "";
  EXPECT_EQ(caller.judged(), Outcome::ReviewOfOtherPod);
}

TEST(Judge, AFormerAttemptsPodIsToldItsEnd) {
  Caller caller;
  caller.known.former = true;
  caller.known.ended_message = "HoldExpired: held 900 s";
  EXPECT_EQ(caller.judged(), Outcome::FormerAttempt);
  EXPECT_THAT(caller.told(), HasSubstr("attempt 1 of this job ended: HoldExpired: held 900 s"));
  caller.known.current_attempt = 2;
  EXPECT_THAT(caller.told(), HasSubstr("attempt 2 goes on without pod train/llama-2-1"));
}

TEST(Judge, ADeletedJobsPodIsToldSo) {
  Caller caller;
  caller.known = {};
  caller.known.job_deleted = true;
  caller.review.reset();
  EXPECT_EQ(caller.judged(), Outcome::JobDeleted);
}

TEST(Judge, WhatAStrangerWroteIsShownSafely) {
  Caller caller;
  caller.claims.audiences = {"a\nb\x1b[31m" + std::string(500, 'x')};
  EXPECT_THAT(caller.told(), HasSubstr("a?b?[31m"));
  EXPECT_LT(caller.told().size(), 200u);
}

TEST(Judge, EveryOutcomeHasANameAndWords) {
  for (int i = 0; i <= static_cast<int>(Outcome::BodyOfOtherPod); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_NE(to_string(outcome), "Unknown") << i;
    EXPECT_GT(explain(outcome, Caller().claims, Caller().known, Caller().review, kNow).size(), 20u)
        << to_string(outcome);
  }
}

}  // namespace
}  // namespace rollcall::desk

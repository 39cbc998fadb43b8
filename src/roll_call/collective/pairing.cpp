#include "roll_call/collective/pairing.h"

#include <algorithm>
#include <numeric>

namespace rollcall::roll_call {
namespace {

/// Failed pairs between nodes that both work with others, before they are called a split: two could be two paths.
constexpr std::size_t kSplitEvidence = 3;
/// Partners a node must have failed with, who work with others.
constexpr int kNodeEvidence = 2;
/// Pairs of the last round that only try whether a split is one.
constexpr std::size_t kCrossPairs = 8;

/// What the trials say of each place.
struct Picture {
  explicit Picture(int count, const std::vector<Trial>& trials) : n(count) {
    const auto size = static_cast<std::size_t>(n);
    piece.resize(size);
    std::iota(piece.begin(), piece.end(), 0);
    works.assign(size, false);
    tried.assign(size, {});
    for (const Trial& trial : trials) {
      tried[at(trial.a)].push_back(trial.b);
      tried[at(trial.b)].push_back(trial.a);
      if (!trial.good) {
        bad.push_back({trial.a, trial.b});
        continue;
      }
      works[at(trial.a)] = works[at(trial.b)] = true;
      const int from = piece[at(trial.a)];
      const int to = piece[at(trial.b)];
      for (int& each : piece) each = each == from ? to : each;
    }
    find_sides();
  }

  static std::size_t at(int place) { return static_cast<std::size_t>(place); }
  bool untried(int a, int b) const { return std::count(tried[at(a)].begin(), tried[at(a)].end(), b) == 0; }
  int size_of(int wanted) const { return static_cast<int>(std::count(piece.begin(), piece.end(), wanted)); }

  /// Pieces of two and more, the largest first.
  std::vector<int> pieces() const {
    std::vector<int> result;
    for (int place = 0; place < n; ++place) {
      if (works[at(place)] && std::count(result.begin(), result.end(), piece[at(place)]) == 0)
        result.push_back(piece[at(place)]);
    }
    std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return size_of(a) > size_of(b); });
    return result;
  }

  int n;
  std::vector<int> piece;   ///< equal = joined by pairs that work
  std::vector<bool> works;  ///< with somebody
  std::vector<std::vector<int>> tried;
  std::vector<PairOf> bad;
  /// Were all this one split in two: the side of each place, from the side of the place it is joined with by trials.
  /// Meaningless unless `two_sides`.
  std::vector<int> side;
  bool two_sides = true;
  int islands = 0;  ///< of places that trials join, whatever came of them; sides of one say nothing of another's

 private:
  void find_sides() {
    side.assign(at(n), -1);
    for (int start = 0; start < n; ++start) {
      if (side[at(start)] >= 0) continue;
      side[at(start)] = 0;
      if (!tried[at(start)].empty()) ++islands;
      std::vector<int> todo{start};
      while (!todo.empty()) {
        const int place = todo.back();
        todo.pop_back();
        for (const int other : tried[at(place)]) {
          const bool same = piece[at(place)] == piece[at(other)];
          const int wanted = same ? side[at(place)] : 1 - side[at(place)];
          if (side[at(other)] < 0) {
            side[at(other)] = wanted;
            todo.push_back(other);
          } else if (side[at(other)] != wanted) {
            two_sides = false;
          }
        }
      }
    }
    // A pair that fails although others join its ends is a path, not a split.
    for (const PairOf& pair : bad) two_sides = two_sides && piece[at(pair.a)] != piece[at(pair.b)];
  }
};

/// Chooses disjoint pairs that were not tried.
class Chooser {
 public:
  explicit Chooser(const Picture& picture) : picture_(picture), used_(Picture::at(picture.n), false) {}

  bool free(int place) const { return !used_[Picture::at(place)]; }
  bool take(int a, int b) {
    if (a == b || !free(a) || !free(b) || !picture_.untried(a, b)) return false;
    used_[Picture::at(a)] = used_[Picture::at(b)] = true;
    pairs.push_back({a, b});
    return true;
  }
  /// With the first place that `fits`.
  template <typename Fits>
  bool take_any(int a, const Fits& fits) {
    for (int b = 0; b < picture_.n; ++b) {
      if (fits(b) && take(a, b)) return true;
    }
    return false;
  }

  std::vector<PairOf> pairs;

 private:
  const Picture& picture_;
  std::vector<bool> used_;
};

std::vector<PairOf> neighbours(const Picture& picture, int first) {
  Chooser chooser(picture);
  for (int i = first; i + 1 < picture.n; i += 2) chooser.take(i, i + 1);
  if (first == 1 && picture.n % 2 == 0) chooser.take(picture.n - 1, 0);
  return chooser.pairs;
}

/// Every pair so far works: the link that closes a ring of odd length, and across, as NCCL's trees run.
std::vector<PairOf> across(const Picture& picture) {
  Chooser chooser(picture);
  chooser.take(picture.n - 1, 0);
  for (int i = 0; i + picture.n / 2 < picture.n; ++i) chooser.take(i, i + picture.n / 2);
  return chooser.pairs;
}

std::vector<int> lone_places(const Picture& picture) {
  std::vector<int> lone;
  for (int place = 0; place < picture.n; ++place) {
    if (!picture.works[Picture::at(place)]) lone.push_back(place);
  }
  return lone;
}

std::vector<int> failed_partners_that_work(const Picture& picture, int place) {
  std::vector<int> partners;
  for (const PairOf& pair : picture.bad) {
    if (pair.a != place && pair.b != place) continue;
    const int other = pair.a == place ? pair.b : pair.a;
    if (picture.works[Picture::at(other)]) partners.push_back(other);
  }
  return partners;
}

/// Nothing that a further pair could change.
bool settled(const Picture& picture, const std::vector<int>& lone, const std::vector<int>& pieces) {
  if (pieces.size() != 1 || lone.size() > 1) return false;
  return lone.empty() ||
         failed_partners_that_work(picture, lone.front()).size() >= static_cast<std::size_t>(kNodeEvidence);
}

std::vector<PairOf> separating(const Picture& picture) {
  const auto pieces = picture.pieces();
  auto lone = lone_places(picture);
  if (settled(picture, lone, pieces)) return {};
  Chooser chooser(picture);
  const auto side = [&](int place) { return picture.two_sides ? picture.side[Picture::at(place)] : 0; };
  const auto works = [&](int place) { return picture.works[Picture::at(place)]; };
  const auto piece = [&](int place) { return picture.piece[Picture::at(place)]; };
  // Those that were tried most first: they are nearest to being named.
  std::stable_sort(lone.begin(), lone.end(), [&](int a, int b) {
    return picture.tried[Picture::at(a)].size() > picture.tried[Picture::at(b)].size();
  });
  for (const int a : lone) {
    for (const int b : lone) {
      if (side(a) == side(b) && chooser.take(a, b)) break;
    }
  }
  for (const int a : lone) {
    if (!chooser.free(a)) continue;
    if (chooser.take_any(a, [&](int b) { return works(b) && side(a) == side(b); })) continue;
    if (chooser.take_any(a, [&](int b) { return works(b) && piece(b) == pieces.front(); })) continue;
    if (chooser.take_any(a, works)) continue;
    chooser.take_any(a, [](int) { return true; });
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    // One pair joins a piece to another of its side.
    bool joined = false;
    for (int a = 0; a < picture.n && !joined; ++a) {
      if (!works(a) || piece(a) != pieces[i]) continue;
      joined = chooser.take_any(a, [&](int b) {
        const auto other = std::find(pieces.begin(), pieces.end(), piece(b));
        return works(b) && side(a) == side(b) && other < pieces.begin() + static_cast<std::ptrdiff_t>(i);
      });
    }
  }
  std::size_t crossing = 0;
  for (int a = 0; a < picture.n && crossing < kCrossPairs; ++a) {
    if (works(a) && chooser.take_any(a, [&](int b) { return works(b) && piece(a) != piece(b); })) ++crossing;
  }
  return chooser.pairs;
}

bool is_partition(const Picture& picture, Blame& blame) {
  if (!picture.two_sides || picture.islands != 1) return false;
  std::size_t evidence = 0;
  for (const PairOf& pair : picture.bad) {
    if (picture.works[Picture::at(pair.a)] && picture.works[Picture::at(pair.b)]) ++evidence;
  }
  if (evidence < kSplitEvidence) return false;
  // Sides are known only of those that trials join.
  std::vector<int> sides[2];
  for (int place = 0; place < picture.n; ++place) {
    if (picture.works[Picture::at(place)]) {
      sides[picture.side[Picture::at(place)]].push_back(place);
    } else if (!picture.tried[Picture::at(place)].empty()) {
      blame.unknown.push_back(place);
    }
  }
  if (sides[0].size() < 2 || sides[1].size() < 2) return false;
  const bool first_smaller = sides[0].size() <= sides[1].size();
  blame.kind = Blame::Kind::Partition;
  blame.side = sides[first_smaller ? 0 : 1];
  blame.other_side = sides[first_smaller ? 1 : 0];
  return true;
}

/// Nodes that fail with everyone. With a second piece, or another place that works with nobody and was not seen to
/// fail with this one, they could as well be a side of a split.
void find_nodes(const Picture& picture, Blame& blame) {
  const auto lone = lone_places(picture);
  if (picture.pieces().size() != 1) return;
  const bool no_split =
      lone.size() == 1 || std::any_of(picture.bad.begin(), picture.bad.end(), [&](const PairOf& pair) {
        return !picture.works[Picture::at(pair.a)] && !picture.works[Picture::at(pair.b)] &&
               !failed_partners_that_work(picture, pair.a).empty() &&
               !failed_partners_that_work(picture, pair.b).empty();
      });
  if (!no_split) return;
  for (const int place : lone) {
    if (failed_partners_that_work(picture, place).size() >= static_cast<std::size_t>(kNodeEvidence))
      blame.nodes.push_back(place);
  }
}

}  // namespace

std::vector<PairOf> next_pairs(int n, const std::vector<Trial>& trials, int round) {
  if (n < 2 || round < 0 || round >= kPairRounds) return {};
  const Picture picture(n, trials);
  if (round < 2) return neighbours(picture, round);
  return picture.bad.empty() ? across(picture) : separating(picture);
}

Blame conclude(int n, const std::vector<Trial>& trials) {
  const Picture picture(n, trials);
  Blame blame;
  blame.tried = trials.size();
  if (picture.bad.empty()) return blame;
  const bool any_works = std::count(picture.works.begin(), picture.works.end(), true) > 0;
  if (!any_works && n > 2) {
    blame.kind = Blame::Kind::Everyone;
    blame.pairs = picture.bad;
    return blame;
  }
  if (is_partition(picture, blame)) return blame;
  blame.unknown.clear();
  find_nodes(picture, blame);
  for (const PairOf& pair : picture.bad) {
    const auto named = [&](int place) { return std::count(blame.nodes.begin(), blame.nodes.end(), place) > 0; };
    if (!named(pair.a) && !named(pair.b)) blame.pairs.push_back(pair);
  }
  blame.kind = blame.nodes.empty() ? Blame::Kind::Pairs : Blame::Kind::Nodes;
  return blame;
}

}  // namespace rollcall::roll_call

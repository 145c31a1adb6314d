// SPDX-License-Identifier: Apache-2.0

/// How often a store is looked at without a hint: less often while hints have told all that others write, and as often
/// as was asked for where they have not.
///
/// Hints are trusted when looks that they led to have found writes of others, and no look without one has. Each write
/// that came without a hint makes them harder to trust again, until many others have had theirs: on a file system of
/// several machines, hints tell of one's own machine only.
struct LookPace {
  /// How much less often it is looked at the most.
  static let slowest = 10.0
  /// With how many writes that hints have found in a row one that was missed is forgiven.
  static let hitsThatForgive = 1_000

  /// How often it is looked where hints are not trusted, in seconds.
  var shortest: Double {
    didSet { seconds = shortest }
  }
  /// How often it is looked now, in seconds.
  private(set) var seconds: Double
  /// How many writes were found by hints since one was missed.
  private var hits = 0
  /// How many had none, and are not forgiven.
  private var misses = 0
  /// How many hints had come at the last look.
  private var hintsAtLook = 0
  /// How many hints had come when a write was found without one: its hint may come yet.
  private var hintsAtFind: Int?

  init(seconds: Double) {
    shortest = seconds
    self.seconds = seconds
  }

  /// How many writes hints have to find before they are trusted.
  private var neededHits: Int { 1 << min(3 * misses, 30) }

  /// Notes a look that a hint led to.
  ///
  /// - Parameters:
  ///   - found: Whether others had written.
  ///   - hints: How many hints had come before it.
  mutating func noteHinted(found: Bool, hints: Int) {
    hintsAtLook = hints
    guard found else { return }
    hits += 1
    if hits.isMultiple(of: Self.hitsThatForgive) { misses = max(misses - 1, 0) }
  }

  /// Notes a look that tells nothing of hints, as one that a caller has wished for.
  ///
  /// - Parameter hints: How many hints had come before it.
  mutating func noteWished(hints: Int) {
    hintsAtLook = hints
  }

  /// Notes a look that was due.
  ///
  /// - Parameters:
  ///   - found: Whether others had written.
  ///   - hints: How many hints had come before it.
  ///   - maySlowDown: Whether anything is gained by hints.
  mutating func noteDue(found: Bool, hints: Int, maySlowDown: Bool) {
    if let known = hintsAtFind, known == hints {
      misses += 1
      hits = 0
    }
    // A hint that has come since the last look is the one of the write.
    hintsAtFind = found && hints == hintsAtLook ? hints : nil
    hintsAtLook = hints
    guard !found, maySlowDown, hits >= neededHits else {
      seconds = shortest
      return
    }
    seconds = min(seconds * 2, shortest * Self.slowest)
  }

  /// Notes a look that has found out nothing, as when the store cannot be asked.
  mutating func noteFailure() {
    seconds = shortest
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The interval at which a store is polled in the absence of hints: it backs off while hints have announced all
/// writes of others, and returns to the configured interval when one was missed.
///
/// Hints are trusted when polls that they caused have found writes of others, and no poll without a hint has. Each
/// write that came without a hint raises the number of announced writes needed to trust hints again: on a network
/// file system, for example, hints cover only the local machine.
struct PollingInterval {
  /// The maximum factor of the back-off.
  static let slowest = 10.0
  /// The number of consecutive announced writes that make up for one missed write.
  static let hitsThatForgive = 1_000

  /// The polling interval while hints are not trusted, in seconds.
  var shortest: Double {
    didSet { seconds = shortest }
  }
  /// The current polling interval, in seconds.
  private(set) var seconds: Double
  /// The number of writes found by hints since the last missed one.
  private var hits = 0
  /// The number of writes without a hint, less those made up for.
  private var misses = 0
  /// The number of hints at the last poll.
  private var hintsAtLook = 0
  /// The number of hints when a write was found without one; its hint may still arrive.
  private var hintsAtFind: Int?

  init(seconds: Double) {
    shortest = seconds
    self.seconds = seconds
  }

  /// The number of announced writes needed before hints are trusted.
  private var neededHits: Int { 1 << min(3 * misses, 30) }

  /// Notes a poll caused by a hint.
  ///
  /// - Parameters:
  ///   - found: Whether others had written.
  ///   - hints: The number of hints before the poll.
  mutating func noteHinted(found: Bool, hints: Int) {
    hintsAtLook = hints
    guard found else { return }
    hits += 1
    if hits.isMultiple(of: Self.hitsThatForgive) { misses = max(misses - 1, 0) }
  }

  /// Notes a poll that says nothing about hints, such as one requested by a caller.
  ///
  /// - Parameter hints: The number of hints before the poll.
  mutating func noteWished(hints: Int) {
    hintsAtLook = hints
  }

  /// Notes a poll that was due by the interval.
  ///
  /// - Parameters:
  ///   - found: Whether others had written.
  ///   - hints: The number of hints before the poll.
  ///   - maySlowDown: Whether the interval may back off.
  mutating func noteDue(found: Bool, hints: Int, maySlowDown: Bool) {
    if let known = hintsAtFind, known == hints {
      misses += 1
      hits = 0
    }
    // A hint that has arrived since the last poll belongs to this write.
    hintsAtFind = found && hints == hintsAtLook ? hints : nil
    hintsAtLook = hints
    guard !found, maySlowDown, hits >= neededHits else {
      seconds = shortest
      return
    }
    seconds = min(seconds * 2, shortest * Self.slowest)
  }

  /// Notes a poll without a result, for example when the store could not be reached.
  mutating func noteFailure() {
    seconds = shortest
  }
}

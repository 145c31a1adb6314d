// SPDX-License-Identifier: Apache-2.0

/// The behaviours that no test cites, and why. The list can only shrink.
enum UncitedBehaviours {
  private static let history = "persistent history is not there yet"

  static let reasons: [Int: String] = [
    80: history,
    264: "a migration is one transaction, of which nothing is deferred",
    280: history,
    283: history,
    284: history,
    285: history,
    286: history,
    287: history,
    288: history,
    291: history,
    330: "no store is a file that is read and written whole; refusals are B14",
  ]
}

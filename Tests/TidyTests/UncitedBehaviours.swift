// SPDX-License-Identifier: Apache-2.0

/// The behaviours that no test cites, and why. The list can only shrink.
enum UncitedBehaviours {
  private static let history = "persistent history is not there yet"
  private static let migration = "migration to another version of a model is not there yet"

  static let reasons: [Int: String] = [
    80: history,
    82: migration,
    254: migration,
    261: migration,
    264: migration,
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

// SPDX-License-Identifier: Apache-2.0

/// The behaviours that no test cites, and why. The list can only shrink.
enum UncitedBehaviours {
  static let reasons: [Int: String] = [
    330: "no store is a file that is read and written whole; refusals are B14"
  ]
}

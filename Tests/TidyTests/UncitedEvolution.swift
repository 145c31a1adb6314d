// SPDX-License-Identifier: Apache-2.0

/// The statements on evolution that no test cites, and why. The list can only shrink.
enum UncitedEvolution {
  private static let online = "two versions on one server are not there yet"

  static let reasons: [Int: String] = [
    40: online,
    41: online,
    42: online,
    43: online,
    44: online,
    45: online,
    30: "stages with configurations and several stores are not tested",
    52: "an interrupted migration leaves nothing, so that the next one is planned anew",
    56: "persistent history is not there yet",
    64: "there is no plugin of the package manager yet",
    67: "stores of released versions are not kept yet",
  ]
}

// SPDX-License-Identifier: Apache-2.0

/// The statements on evolution that no test cites, and why. The list can only shrink.
enum UncitedEvolution {
  static let reasons: [Int: String] = [
    30: "stages with configurations and several stores are not tested",
    56: "persistent history is not there yet",
    64: "there is no plugin of the package manager yet",
    67: "stores of released versions are not kept yet",
  ]
}

// SPDX-License-Identifier: Apache-2.0

/// The statements on evolution that no test cites, and why. The list can only shrink.
enum UncitedEvolution {
  static let reasons: [Int: String] = [
    64: "Scripts/plugin runs the plugin from a package of its own"
  ]
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The properties of the measuring machine that affect the results.
struct Machine: Codable, Hashable {
  var system: String
  var processors: Int
  var gigabytes: Int
  var isOptimized: Bool

  static var current: Machine {
    let information = ProcessInfo.processInfo
    return Machine(
      system: information.operatingSystemVersionString,
      processors: information.activeProcessorCount,
      gigabytes: Int((Double(information.physicalMemory) / 1e9).rounded()),
      isOptimized: isOptimized)
  }

  private static var isOptimized: Bool {
    #if DEBUG
    false
    #else
    true
    #endif
  }
}

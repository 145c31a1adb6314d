// SPDX-License-Identifier: Apache-2.0

/// What is done after each case.
///
/// ```swift
/// let report = ConformanceRun(harness, mode: .reopening).report()
/// ```
public enum ConformanceMode: String, Sendable, Hashable, CaseIterable, Codable {
  /// Everything that is left in the stores must be readable.
  case plain
  /// Everything that is left in the stores must also be there when they are opened again.
  case reopening
}

// SPDX-License-Identifier: Apache-2.0

/// The check after each case.
///
/// ```swift
/// let report = ConformanceRun(harness, mode: .reopening).report()
/// ```
public enum ConformanceMode: String, Sendable, Hashable, CaseIterable, Codable {
  /// All data that is left in the stores must be readable.
  case plain
  /// All data that is left in the stores must also be there after they are reopened.
  case reopening
}

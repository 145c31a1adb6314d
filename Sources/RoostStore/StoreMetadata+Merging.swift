// SPDX-License-Identifier: Apache-2.0

extension [String: MetadataValue] {
  /// These values with the changes between two other states: a value that differs, or that only one of them has, is as
  /// in the later one. All else stays.
  ///
  /// - Parameters:
  ///   - later: The values as they are wanted.
  ///   - earlier: The values from which they were made.
  package func applying(changesTo later: Self, since earlier: Self) -> Self {
    var result = self
    for (key, value) in later where earlier[key] != value { result[key] = value }
    for key in earlier.keys where later[key] == nil { result[key] = nil }
    return result
  }
}

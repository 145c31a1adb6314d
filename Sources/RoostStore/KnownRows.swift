// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Rows that the caller of a fetch has already.
///
/// A store that finds a record in the version of such a row need not read the record's values again. It asks on the
/// thread of the request, while it runs.
///
/// ```swift
/// if let row = context.knownRows?.row(forKey: key, version: version) { rows.append(row) }
/// ```
public protocol KnownRows: Sendable {
  /// Returns the row of a record in a version, if it is available without blocking.
  ///
  /// - Parameters:
  ///   - key: The record.
  ///   - version: The version of the record that the store has found.
  func row(forKey key: Int64, version: Int64) -> Row?
}

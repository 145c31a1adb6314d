// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What an export has written.
///
/// ```swift
/// let report = try container.export(to: URL(filePath: "hr.jsonl"))
/// print(report.counts["Person"] ?? 0)
/// ```
public struct ExportReport: Sendable, Hashable {
  /// The number of records of each entity that was exported.
  public internal(set) var counts: [String: Int] = [:]
  /// The files.
  public internal(set) var files: [URL] = []

  /// The number of all records.
  public var recordCount: Int { counts.values.reduce(0, +) }
}

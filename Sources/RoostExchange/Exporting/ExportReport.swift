// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The result of an export.
///
/// ```swift
/// let report = try container.export(to: URL(filePath: "hr.jsonl"))
/// print(report.counts["Person"] ?? 0)
/// ```
public struct ExportReport: Sendable, Hashable {
  /// The number of exported records of each entity.
  public internal(set) var counts: [String: Int] = [:]
  /// The files that were written.
  public internal(set) var files: [URL] = []

  /// The total number of records.
  public var recordCount: Int { counts.values.reduce(0, +) }
}

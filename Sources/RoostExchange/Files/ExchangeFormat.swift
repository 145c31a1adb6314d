// SPDX-License-Identifier: Apache-2.0

/// The file format of an export or import.
///
/// ```swift
/// try container.export(to: URL(filePath: "people.csv"), as: .csv, ExportOptions(entities: ["Person"]))
/// ```
public struct ExchangeFormat: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case jsonLines
    case csv(delimiter: UInt8)
  }

  let kind: Kind

  /// A JSON object in each line: everything that stores keep, including relationships of every kind.
  public static let jsonLines = ExchangeFormat(kind: .jsonLines)
  /// Comma-separated values (RFC 4180), a file for each entity: attributes and to-one relationships.
  public static let csv = ExchangeFormat(kind: .csv(delimiter: UInt8(ascii: ",")))
  /// As ``csv``, with tabs between the values.
  public static let tabSeparated = ExchangeFormat(kind: .csv(delimiter: 9))

  /// Comma-separated values with another delimiter, such as a semicolon.
  ///
  /// ```swift
  /// try container.import(from: file, ImportOptions(format: .csv(delimiter: ";")))
  /// ```
  /// - Parameter delimiter: An ASCII character other than a quotation mark or a line break.
  public static func csv(delimiter: Unicode.Scalar) -> ExchangeFormat {
    precondition(
      delimiter.isASCII && delimiter != "\"" && delimiter != "\n" && delimiter != "\r",
      "A delimiter is an ASCII character, and neither a quotation mark nor the end of a line.")
    return ExchangeFormat(kind: .csv(delimiter: UInt8(ascii: delimiter)))
  }

  /// The delimiter of CSV; nil for JSON lines.
  var delimiter: UInt8? {
    switch kind {
    case .jsonLines: nil
    case .csv(let delimiter): delimiter
    }
  }

  /// Returns the format for a file extension.
  package static func named(by pathExtension: String) -> ExchangeFormat? {
    switch pathExtension.lowercased() {
    case "jsonl", "ndjson", "jsonlines", "json": .jsonLines
    case "csv": .csv
    case "tsv", "tab": .tabSeparated
    default: nil
    }
  }

  /// The extension of new files.
  package var pathExtension: String {
    switch kind {
    case .jsonLines: "jsonl"
    case .csv(9): "tsv"
    case .csv: "csv"
    }
  }
}

/// The progress of an export or import.
///
/// ```swift
/// try container.import(from: file) { print("\($0.completed) of \($0.total)") }
/// ```
public struct ExchangeProgress: Sendable, Hashable {
  /// The current phase.
  ///
  /// ```swift
  /// if progress.phase == .scanning { print("\(progress.total) records so far") }
  /// ```
  public enum Phase: Sendable, Hashable {
    /// The files are scanned once, for IDs and for the state of an earlier import.
    case scanning
    /// Records are written, to a file or a store.
    case writing
    /// Relationships are set whose destinations come later in the files.
    case linking
  }

  /// The current phase.
  public let phase: Phase
  /// The number of records done in the phase.
  public let completed: Int
  /// The total number of records; during scanning, the number found so far.
  public let total: Int

  init(_ phase: Phase, _ completed: Int, of total: Int) {
    self.phase = phase
    self.completed = completed
    self.total = total
  }
}

// SPDX-License-Identifier: Apache-2.0

/// How records are written in files.
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

  /// A JSON object in each line: all that stores keep, relationships of every kind included.
  public static let jsonLines = ExchangeFormat(kind: .jsonLines)
  /// Comma-separated values (RFC 4180), a file for each entity: attributes and to-one relationships.
  public static let csv = ExchangeFormat(kind: .csv(delimiter: UInt8(ascii: ",")))
  /// As ``csv``, with tabs between the values.
  public static let tabSeparated = ExchangeFormat(kind: .csv(delimiter: 9))

  /// Comma-separated values with another delimiter, as a semicolon.
  ///
  /// ```swift
  /// try container.import(from: file, ImportOptions(format: .csv(delimiter: ";")))
  /// ```
  /// - Parameter delimiter: An ASCII character that is no quotation mark and no end of a line.
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

  /// The endings of the names of files in a format.
  package static func named(by pathExtension: String) -> ExchangeFormat? {
    switch pathExtension.lowercased() {
    case "jsonl", "ndjson", "jsonlines", "json": .jsonLines
    case "csv": .csv
    case "tsv", "tab": .tabSeparated
    default: nil
    }
  }

  /// The ending of the names of new files.
  package var pathExtension: String {
    switch kind {
    case .jsonLines: "jsonl"
    case .csv(9): "tsv"
    case .csv: "csv"
    }
  }
}

/// How far an export or import is.
///
/// ```swift
/// try container.import(from: file) { print("\($0.completed) of \($0.total)") }
/// ```
public struct ExchangeProgress: Sendable, Hashable {
  /// What is done at the moment.
  ///
  /// ```swift
  /// if progress.phase == .scanning { print("\(progress.total) records so far") }
  /// ```
  public enum Phase: Sendable, Hashable {
    /// The files are read once, to find the IDs in them and what was imported before.
    case scanning
    /// Records are written, to a file or a store.
    case writing
    /// Relationships are set whose destinations come later in the files.
    case linking
  }

  /// What is done at the moment.
  public let phase: Phase
  /// How many records of the phase are done.
  public let completed: Int
  /// How many records there are; while they are counted, how many were found so far.
  public let total: Int

  init(_ phase: Phase, _ completed: Int, of total: Int) {
    self.phase = phase
    self.completed = completed
    self.total = total
  }
}

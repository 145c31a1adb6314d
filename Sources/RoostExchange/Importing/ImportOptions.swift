// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// How files are read, and what becomes of records that are there.
///
/// ```swift
/// var options = ImportOptions(entity: "Person")
/// options.columns = ["E-Mail": "email", "Remarks": ""]
/// let report = try container.import(from: URL(filePath: "contacts.csv"), options)
/// ```
public struct ImportOptions: Sendable {
  /// What happens where a record is there already that has the unique key of a line.
  ///
  /// ```swift
  /// options.existing = .refuse
  /// ```
  public enum Existing: Sendable, Hashable {
    /// It gets what the line says, and keeps what the line does not name: importing a file again changes nothing.
    case update
    /// The import ends with an error; the batch is not written.
    case refuse
  }

  /// What happens where a relationship leads to a record that is neither in the files nor in the store.
  ///
  /// ```swift
  /// options.missing = .skip
  /// ```
  public enum Missing: Sendable, Hashable {
    /// The import ends with an error.
    case refuse
    /// The destination is left out, and so is a record that cannot be without it; the report counts both.
    case skip
  }

  /// The format; nil for what the ending of the file's name says.
  public var format: ExchangeFormat?
  /// The entity of lines that name none; nil for the one that the file is named after.
  public var entity: String?
  /// What happens where a record is there already.
  public var existing = Existing.update
  /// What happens where a relationship leads nowhere.
  public var missing = Missing.refuse
  /// The properties that tell which record a line is, by the names of entities: a uniqueness constraint of each. For
  /// other entities it is the first constraint of which the line has all values.
  public var keys: [String: [String]] = [:]
  /// The names of properties by the names that they have in the files; an empty one leaves the column out.
  public var columns: [String: String] = [:]
  /// The store that gets the records; nil for the first one that can.
  public var store: (any PersistentStore)?
  /// How many records are written in one save.
  public var batchSize = 500
  /// Whether everything is read and validated, and nothing written. The memory of all records.
  public var isDryRun = false
  /// Whether an import that was interrupted begins with the first record again, or with a file that was changed since.
  public var startsAnew = false
  /// Whether every line must have a unique key.
  var needsKeys = false
  /// The name under which the store remembers how far the import is; nil for the name of the file or folder.
  public var name: String?

  /// Makes options.
  ///
  /// - Parameters:
  ///   - format: The format; nil for what the ending of the file's name says.
  ///   - entity: The entity of lines that name none; nil for the one that the file is named after.
  public init(format: ExchangeFormat? = nil, entity: String? = nil) {
    self.format = format
    self.entity = entity
  }
}

/// What an import has done with the records of its files.
///
/// ```swift
/// let report = try container.import(from: file)
/// print("\(report.inserted) new, \(report.updated) changed, \(report.unchanged) as they were")
/// ```
public struct ImportReport: Sendable, Hashable {
  /// How many records are new.
  public internal(set) var inserted = 0
  /// How many records were there, and were changed.
  public internal(set) var updated = 0
  /// How many records were there as the files have them.
  public internal(set) var unchanged = 0
  /// How many records were left out, because a destination that they need is missing.
  public internal(set) var skipped = 0
  /// How many destinations were left out that are missing.
  public internal(set) var skippedReferences = 0
  /// How many records an interrupted import had done before, which the other numbers include; 0 for none.
  public internal(set) var resumedAfter = 0

  /// Makes a report of nothing.
  public init() {}

  /// Whether the import has written anything.
  public var hasChanges: Bool { inserted > 0 || updated > 0 }
}

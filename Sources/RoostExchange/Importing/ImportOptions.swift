// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// Options of an import: the format of the files, and the handling of existing and missing records.
///
/// ```swift
/// var options = ImportOptions(entity: "Person")
/// options.columns = ["E-Mail": "email", "ModelWarnings": ""]
/// let report = try container.import(from: URL(filePath: "contacts.csv"), options)
/// ```
public struct ImportOptions: Sendable {
  /// The handling of an existing record with the unique key of a line.
  ///
  /// ```swift
  /// options.existing = .refuse
  /// ```
  public enum Existing: Sendable, Hashable {
    /// It is updated with the values of the line, and keeps its others: importing a file again changes nothing.
    case update
    /// The import ends with an error; the batch is not written.
    case refuse
  }

  /// The handling of a relationship to a record that is neither in the files nor in the store.
  ///
  /// ```swift
  /// options.missing = .skip
  /// ```
  public enum Missing: Sendable, Hashable {
    /// The import ends with an error.
    case refuse
    /// The destination is omitted, and so is a record that requires it; the report counts both.
    case skip
  }

  /// The format; nil to use the file extension.
  public var format: ExchangeFormat?
  /// The entity of lines without an entity name; nil to use the file name.
  public var entity: String?
  /// The handling of existing records.
  public var existing = Existing.update
  /// The handling of missing destinations.
  public var missing = Missing.refuse
  /// The properties that identify records, by entity name: a uniqueness constraint of each. For other entities it is
  /// the first constraint for which the line has all values.
  public var keys: [String: [String]] = [:]
  /// Property names by the names in the files; an empty name ignores the column.
  public var columns: [String: String] = [:]
  /// The store to import into; nil for the first suitable one.
  public var store: (any PersistentStore)?
  /// The number of records in one save.
  public var batchSize = 500
  /// Whether everything is read and validated without writing. It needs the memory of all records.
  public var isDryRun = false
  /// Whether an interrupted import starts over from the first record, even if a file was changed since.
  public var startsAnew = false
  /// Whether every line must have a unique key.
  var needsKeys = false
  /// The name under which the store records the progress of the import; nil for the name of the file or folder.
  public var name: String?

  /// Makes options.
  ///
  /// - Parameters:
  ///   - format: The format; nil to use the file extension.
  ///   - entity: The entity of lines without an entity name; nil to use the file name.
  public init(format: ExchangeFormat? = nil, entity: String? = nil) {
    self.format = format
    self.entity = entity
  }
}

/// The result of an import.
///
/// ```swift
/// let report = try container.import(from: file)
/// print("\(report.inserted) new, \(report.updated) changed, \(report.unchanged) as they were")
/// ```
public struct ImportReport: Sendable, Hashable {
  /// The number of inserted records.
  public internal(set) var inserted = 0
  /// The number of existing records that were updated.
  public internal(set) var updated = 0
  /// The number of existing records that were equal to the files.
  public internal(set) var unchanged = 0
  /// The number of records omitted because a required destination is missing.
  public internal(set) var skipped = 0
  /// The number of missing destinations that were omitted.
  public internal(set) var skippedReferences = 0
  /// The number of records that an interrupted import had done before, included in the other numbers; 0 for none.
  public internal(set) var resumedAfter = 0

  /// Makes an empty report.
  public init() {}

  /// Whether the import has written anything.
  public var hasChanges: Bool { inserted > 0 || updated > 0 }
}

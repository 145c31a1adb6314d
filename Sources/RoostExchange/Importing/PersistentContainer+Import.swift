// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
import RoostModel
import RoostObjects

// Files that people and other programs write.
extension PersistentContainer {
  /// Reads records from a file, or from all files of a folder, into a store.
  ///
  /// ```swift
  /// let report = try container.import(from: URL(filePath: "hr.jsonl"))
  /// print("\(report.inserted) new, \(report.updated) changed, \(report.unchanged) as they were")
  /// ```
  /// A line whose unique key a record has changes that record, so a file that is imported again changes nothing. Every
  /// batch is validated and saved by itself. An import that was interrupted, whatever ended the process, goes on where
  /// it stopped when it is called again with the same file. When the caller's task is cancelled, it ends with
  /// `userCancelled` between two batches.
  ///
  /// - Parameters:
  ///   - url: A file, or a folder whose files are read as one, sorted by their names.
  ///   - options: How the files are read, and what becomes of records that are there.
  ///   - progress: Called after each batch, on the caller's thread. What it throws ends the import; what was saved
  ///     stays.
  /// - Returns: What was done.
  /// - Throws: ``PersistenceError``, whose message begins with the file and line: `invalidValue`, `unknownKey`,
  ///   `unknownEntity` or `abstractEntity` for a line that cannot be read; `invalidRequest` for a relationship that
  ///   leads nowhere and for files that are not there or were changed since an import of them was interrupted;
  ///   validation errors and `managedObjectConstraintMerge` as `save()`; `noStore`, `readOnlyStore`. Nothing of the
  ///   batch is written then.
  /// - Complexity: The files are read once more before. For each batch a save, one query for each entity and constraint
  ///   in it, and one for the destinations of each constraint. The memory of a batch, and of the IDs in the files.
  @discardableResult
  public final func `import`(
    from url: URL, _ options: ImportOptions = ImportOptions(),
    progress: (ExchangeProgress) throws -> Void = { _ in }
  ) throws -> ImportReport {
    let run = try ImportRun(from: [url], options, in: persistentStoreCoordinator)
    while try run.context.performAndWait({ try run.step() }) {
      try progress(run.progress)
      if Task.isCancelled { throw PersistenceError.cancelledExchange }
    }
    return run.report
  }

  /// Reads records as the form that blocks its thread, which says what is done.
  ///
  /// ```swift
  /// try await container.import(from: URL(filePath: "hr.jsonl")) { print($0.completed) }
  /// ```
  /// - Parameters:
  ///   - url: A file, or a folder whose files are read as one, sorted by their names.
  ///   - options: How the files are read, and what becomes of records that are there.
  ///   - progress: Called after each batch. What it throws ends the import; what was saved stays.
  /// - Returns: What was done.
  /// - Throws: As the form that blocks its thread; ``PersistenceError`` with code `userCancelled` when the task is
  ///   cancelled.
  /// - Complexity: No thread waits.
  @discardableResult
  public nonisolated(nonsending) final func `import`(
    from url: URL, _ options: ImportOptions = ImportOptions(),
    progress: (ExchangeProgress) throws -> Void = { _ in }
  ) async throws -> ImportReport {
    let run = try ImportRun(from: [url], options, in: persistentStoreCoordinator)
    while try await run.context.perform({ try run.step() }) { try progress(run.progress) }
    return run.report
  }
}

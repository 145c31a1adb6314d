// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
import RoostModel
import RoostObjects

// Import of files that people and other programs write.
extension PersistentContainer {
  /// Reads records from a file, or from all files of a folder, into a store.
  ///
  /// ```swift
  /// let report = try container.import(from: URL(filePath: "hr.jsonl"))
  /// print("\(report.inserted) new, \(report.updated) changed, \(report.unchanged) as they were")
  /// ```
  /// A line updates the record with its unique key, so importing a file again changes nothing. Each batch is
  /// validated and saved on its own. An interrupted import, even after a crash, resumes where it stopped when it is
  /// called again with the same file. When the caller's task is cancelled, it ends with `userCancelled` between two
  /// batches.
  ///
  /// - Parameters:
  ///   - url: A file, or a folder whose files are read as one, sorted by name.
  ///   - options: The format of the files, and the handling of existing records.
  ///   - progress: Called after each batch, on the caller's thread. An error that it throws ends the import; saved
  ///     batches stay.
  /// - Returns: The report.
  /// - Throws: ``PersistenceError``, whose message begins with the file and line: `invalidValue`, `unknownKey`,
  ///   `unknownEntity` or `abstractEntity` for a line that cannot be read; `invalidRequest` for a missing destination
  ///   and for files that do not exist or were changed since an import of them was interrupted; validation errors and
  ///   `managedObjectConstraintMerge` as `save()`; `noStore`, `readOnlyStore`. The current batch is not written then.
  /// - Complexity: The files are scanned once before. For each batch a save, one query for each entity and constraint
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

  /// Imports records like the blocking form, which describes the result.
  ///
  /// ```swift
  /// try await container.import(from: URL(filePath: "hr.jsonl")) { print($0.completed) }
  /// ```
  /// - Parameters:
  ///   - url: A file, or a folder whose files are read as one, sorted by name.
  ///   - options: The format of the files, and the handling of existing records.
  ///   - progress: Called after each batch. An error that it throws ends the import; saved batches stay.
  /// - Returns: The report.
  /// - Throws: As the blocking form; ``PersistenceError`` with code `userCancelled` when the task is cancelled.
  /// - Complexity: No thread is blocked.
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

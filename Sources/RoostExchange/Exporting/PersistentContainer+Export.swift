// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
import RoostCoordinator
import RoostModel
import RoostObjects

// Export of records to files that people and other programs can read.
extension PersistentContainer {
  /// Writes a snapshot of records to a file, or to a file for each entity.
  ///
  /// ```swift
  /// let report = try container.export(to: URL(filePath: "hr.jsonl"))
  /// try container.export(to: URL(filePath: "people.csv"), as: .csv, ExportOptions(entities: ["Person"]))
  /// ```
  /// An existing file is replaced only when everything was written; after an error it is unchanged. When the caller's
  /// task is cancelled, the export ends with `userCancelled`.
  ///
  /// - Parameters:
  ///   - url: A file; for CSV of several entities a folder, which gets a file for each.
  ///   - format: The file format.
  ///   - options: The selection of records.
  ///   - progress: Called after each batch, on the caller's thread. An error that it throws ends the export.
  /// - Returns: The report.
  /// - Throws: ``PersistenceError`` with code `unknownEntity` or `unknownKey` for names that the model does not have;
  ///   `invalidRequest` for relationships that CSV cannot represent, or whose destinations have no unique key and are
  ///   not exported; `transformation` for values without bytes; `persistentStoreOperation` when a file cannot be
  ///   written; errors of the stores.
  /// - Complexity: One query for the IDs of each entity, and for each batch one for the records and one for each
  ///   exported relationship. The memory of two batches.
  @discardableResult
  public final func export(
    to url: URL, as format: ExchangeFormat = .jsonLines, _ options: ExportOptions = ExportOptions(),
    progress: (ExchangeProgress) throws -> Void = { _ in }
  ) throws -> ExportReport {
    let run = try ExportRun(to: url, as: format, options, in: persistentStoreCoordinator)
    while try run.context.performAndWait({ try run.step() }) {
      try progress(run.progress)
      if Task.isCancelled { throw PersistenceError.cancelledExchange }
    }
    return run.outcome
  }

  /// Exports records like the blocking form, which describes the result.
  ///
  /// ```swift
  /// try await container.export(to: URL(filePath: "hr.jsonl")) { print($0.completed) }
  /// ```
  /// - Parameters:
  ///   - url: A file; for CSV of several entities a folder, which gets a file for each.
  ///   - format: The file format.
  ///   - options: The selection of records.
  ///   - progress: Called after each batch. An error that it throws ends the export.
  /// - Returns: The report.
  /// - Throws: As the blocking form; ``PersistenceError`` with code `userCancelled` when the task is cancelled.
  /// - Complexity: No thread is blocked.
  @discardableResult
  public nonisolated(nonsending) final func export(
    to url: URL, as format: ExchangeFormat = .jsonLines, _ options: ExportOptions = ExportOptions(),
    progress: (ExchangeProgress) throws -> Void = { _ in }
  ) async throws -> ExportReport {
    let run = try ExportRun(to: url, as: format, options, in: persistentStoreCoordinator)
    while try await run.context.perform({ try run.step() }) { try progress(run.progress) }
    return run.outcome
  }
}

extension PersistenceError {
  /// The error for an export or import whose task was cancelled.
  static let cancelledExchange = PersistenceError(
    .userCancelled, "The task was cancelled by its caller.")
}

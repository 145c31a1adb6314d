// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
import RoostCoordinator
import RoostModel
import RoostObjects

// Records as files that people and other programs read.
extension PersistentContainer {
  /// Writes records to a file, or to a file for each entity, as they are at one moment.
  ///
  /// ```swift
  /// let report = try container.export(to: URL(filePath: "hr.jsonl"))
  /// try container.export(to: URL(filePath: "people.csv"), as: .csv, ExportOptions(entities: ["Person"]))
  /// ```
  /// What is at the place is replaced when everything is written; after an error it is as it was. When the caller's
  /// task is cancelled, the export ends with `userCancelled`.
  ///
  /// - Parameters:
  ///   - url: A file; for CSV of several entities a folder, which gets a file for each.
  ///   - format: How records are written.
  ///   - options: Which records are written.
  ///   - progress: Called after each batch, on the caller's thread. What it throws ends the export.
  /// - Returns: What was written.
  /// - Throws: ``PersistenceError`` with code `unknownEntity` or `unknownKey` for names that the model does not have;
  ///   `invalidRequest` for relationships that CSV cannot hold, or that lead to records which have no unique key and
  ///   are not exported; `transformation` for values without bytes; `persistentStoreOperation` when a file cannot be
  ///   written; what stores throw when they are read.
  /// - Complexity: One query for the IDs of each entity, and for each batch one and one for each relationship that is
  ///   written. The memory of two batches.
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

  /// Writes records as the form that blocks its thread, which says what is written.
  ///
  /// ```swift
  /// try await container.export(to: URL(filePath: "hr.jsonl")) { print($0.completed) }
  /// ```
  /// - Parameters:
  ///   - url: A file; for CSV of several entities a folder, which gets a file for each.
  ///   - format: How records are written.
  ///   - options: Which records are written.
  ///   - progress: Called after each batch. What it throws ends the export.
  /// - Returns: What was written.
  /// - Throws: As the form that blocks its thread; ``PersistenceError`` with code `userCancelled` when the task is
  ///   cancelled.
  /// - Complexity: No thread waits.
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
  /// What is thrown when a task is cancelled that exports or imports.
  static let cancelledExchange = PersistenceError(
    .userCancelled, "The task was cancelled by the one who asked.")
}

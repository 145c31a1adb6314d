// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostCoordinator
import RoostModel
package import RoostObjects
import RoostQuery
import RoostStore

/// Exports one snapshot of the stores, batch by batch. The files get their final names only after the last batch.
package final class ExportRun {
  /// The context that reads the records; the steps run on its queue.
  package let context: ManagedObjectContext
  private let plan: ExportPlan
  private let options: ExportOptions
  private let url: URL
  private let isFolder: Bool
  /// Whether the folder must be created.
  private let makesFolder: Bool
  private var isDone = false
  private var report = ExportReport()
  private var outputs: [OutputFile] = []
  /// The index of the current entity, and its records.
  private var place = 0
  private var records: BatchedResults<ManagedObject>?
  private var written = 0
  private var total = 0
  private var isBegun = false

  /// Prepares an export.
  ///
  /// - Throws: `unknownEntity`, `unknownKey`; `invalidRequest` for a format or URL that does not fit the selection.
  package init(
    to url: URL, as format: ExchangeFormat, _ options: ExportOptions,
    in coordinator: PersistentStoreCoordinator
  ) throws {
    guard options.batchSize > 0 else {
      throw PersistenceError(.invalidRequest, "A batch has at least one record.")
        .remedied(by: "Set a batch size of 1 or more.")
    }
    plan = try ExportPlan(options, format, in: coordinator)
    self.url = url
    self.options = options
    var exists = ObjCBool(false)
    let path = url.path(percentEncoded: false)
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &exists)
    if format.delimiter == nil {
      isFolder = false
      makesFolder = false
      guard !exists.boolValue else {
        throw PersistenceError(.invalidRequest, "\(path) is a folder.")
          .remedied(by: "Name a file for JSON lines.")
      }
    } else {
      isFolder =
        exists.boolValue || !isThere && (url.hasDirectoryPath || url.pathExtension.isEmpty)
      guard isFolder || plan.entities.count == 1 else {
        throw PersistenceError(
          .invalidRequest,
          "CSV has a file for each entity, and \(plan.entities.count) are exported."
        ).remedied(by: "Name a folder, or export one entity without subentities.")
      }
      makesFolder = isFolder && !isThere
    }
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    context.undoManager = nil
  }

  deinit {
    guard isBegun, makesFolder, !isDone else { return }
    outputs = []
    // `rmdir` removes only an empty folder.
    _ = rmdir(url.path(percentEncoded: false))
  }

  /// The progress of the export.
  package var progress: ExchangeProgress { ExchangeProgress(.writing, written, of: total) }

  /// The report, after the last step.
  package var outcome: ExportReport { report }

  /// Writes the next batch.
  ///
  /// - Returns: False once all files have their final names.
  package func step() throws -> Bool {
    if !isBegun { try begin() }
    guard place < plan.entities.count else {
      try OutputFile.finish(outputs)
      isDone = true
      return false
    }
    let entity = plan.entities[place]
    let records = try self.records ?? fetch(entity)
    self.records = records
    let done = report.counts[entity.name, default: 0]
    let end = min(done + options.batchSize, records.count)
    try write(records, done..<end, entity)
    written += end - done
    report.counts[entity.name] = end
    if end == records.count {
      self.records = nil
      place += 1
    }
    return true
  }

  /// Takes the snapshot, and opens the file of JSON lines.
  private func begin() throws {
    isBegun = true
    // Stores without snapshots are read in their current state.
    try context.setQueryGenerationFrom(.current)
    for entity in plan.entities { total += try context.count(for: request(entity)) }
    if plan.format.delimiter == nil { try open(url) }
    guard makesFolder else { return }
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw OutputFile.failure(url, error)
    }
  }

  private func open(_ url: URL) throws {
    outputs.append(try OutputFile(url))
    report.files.append(url)
  }

  private func request(_ entity: EntityPlan) -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: entity.name)
    request.includesSubentities = false
    request.fetchBatchSize = options.batchSize
    request.relationshipKeyPathsForPrefetching = plan.relationships(of: entity).map(\.name)
    if let store = options.store { request.affectedStores = [store] }
    return request
  }

  /// Starts an entity.
  private func fetch(_ entity: EntityPlan) throws -> BatchedResults<ManagedObject> {
    if plan.format.delimiter != nil {
      let name = "\(entity.name).\(plan.format.pathExtension)"
      try open(isFolder ? url.appending(path: name) : url)
      try outputs.last?.write { lines(entity).begin(&$0) }
    }
    return try context.makeBatches(of: request(entity))
  }

  private func lines(_ entity: EntityPlan) -> any RecordLines {
    plan.format.delimiter.map { CSVRecordLines(plan, entity, delimiter: $0) }
      ?? JSONRecordLines(plan, entity)
  }

  private func write(
    _ records: BatchedResults<ManagedObject>, _ range: Range<Int>, _ entity: EntityPlan
  ) throws {
    let lines = lines(entity)
    for index in range {
      let object = records[index]
      if let error = context.readErrors.currentReadError { throw error }
      try outputs.last?.write { try lines.append(object, to: &$0) }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostCoordinator
import RoostModel
package import RoostObjects
import RoostStore

/// Imports files into a store, batch by batch; each save also records the progress.
///
/// 1. The files are scanned once: IDs, the number of records, and whether an interrupted import has read the same
///    files. If records of that import wait for destinations, they are read again.
/// 2. Records are written in the order of the files. A relationship to a later record is deferred, and so is a new
///    record that requires the destination.
/// 3. Deferred records are processed again, until none is left or a pass makes no progress.
package final class ImportRun {
  static let scanSize = 5000
  static let attempts = 3
  /// The maximum number of bytes in a batch, not counting its last record.
  static let largestBatch = 1 << 25

  enum Phase {
    case scanning, recalling, writing, linking, done
  }

  /// The context that writes; the steps run on its queue.
  package let context: ManagedObjectContext
  let target: ImportTarget
  let name: String
  var phase = Phase.scanning
  var scan: ImportScan
  var records: InputRecords
  private var old: ImportJournal?
  var journal = ImportJournal()
  var numbers: ImportNumbers
  var keyedIDs: [String: ObjectID] = [:]
  /// The lines that wait for destinations.
  var waits = ImportWaits()
  var linkStart: ImportScan.Mark?
  /// The number of deferred records before the current pass, and of those still deferred.
  private var waitedBefore = 0
  var waitsStill = 0
  /// Whether the current pass has inserted a record, which others may wait for.
  var hasMade = false
  /// Whether this is the last pass, in which missing destinations are refused or skipped.
  var isLastPass = false
  var passed = 0
  /// The number of leading records that an interrupted import has written, when they are processed again.
  var ownCount = 0
  /// The unsaved records of a dry run.
  let trial = TrialRecords()
  /// Whether a save has written the journal.
  var isNoted = false

  var options: ImportOptions { target.options }

  /// Prepares an import.
  ///
  /// - Throws: `invalidRequest` for files that do not exist or have an unknown format, `unknownEntity`, `noStore`,
  ///   `readOnlyStore`.
  package init(
    from urls: [URL], _ options: ImportOptions, in coordinator: PersistentStoreCoordinator
  ) throws {
    guard options.batchSize > 0 else {
      throw PersistenceError(.invalidRequest, "A batch has at least one record.")
        .remedied(by: "Set a batch size of 1 or more.")
    }
    let files = try urls.flatMap {
      try InputFile.files(
        at: $0, format: options.format, entity: options.entity,
        model: coordinator.managedObjectModel)
    }
    guard !files.isEmpty else {
      throw PersistenceError(.invalidRequest, "No file is named to be imported.")
    }
    target = try ImportTarget(
      coordinator, options, entities: Set(files.compactMap(\.entity)))
    name = options.name ?? urls.map(\.lastPathComponent).joined(separator: " ")
    records = InputRecords(files, mapping: options.columns, keys: options.keys)
    old = ImportJournal.read(name, in: target.store)
    scan = ImportScan(records, wanted: Set([old?.next, old?.links].compactMap { $0 }))
    numbers = ImportNumbers([], isOpen: false, count: 0, store: target.store)
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    context.undoManager = nil
  }

  /// The progress of the import.
  package var progress: ExchangeProgress {
    switch phase {
    case .scanning: ExchangeProgress(.scanning, scan.count, of: scan.count)
    case .recalling, .writing: ExchangeProgress(.writing, records.position.number, of: scan.count)
    case .linking, .done:
      ExchangeProgress(
        .linking, passed, of: max(passed, waitedBefore))
    }
  }

  /// The report so far.
  package var report: ImportReport { journal.report }

  /// Processes the next batch.
  ///
  /// - Returns: False when everything is written.
  package func step() throws -> Bool {
    switch phase {
    case .scanning:
      if try !scan.step(Self.scanSize, target) { try begin() }
    case .recalling:
      if try !recall() { phase = .writing }
    case .writing:
      if try !passBatch() { try beginLinking() }
    case .linking:
      if try !passBatch() { try endPass() }
    case .done: return false
    }
    return phase != .done
  }
}

// MARK: - Phases

extension ImportRun {
  /// Determines the start position, after the scan.
  private func begin() throws {
    phase = .writing
    var known = old
    if let journal = old, !isSame(journal) {
      guard journal.isDone || options.startsAnew else { throw changedFile(journal) }
      known = nil
    }
    numbers = ImportNumbers(
      known?.blocks ?? [], isOpen: known?.isDone == false && !options.startsAnew,
      count: scan.count, store: target.store)
    if let known, !known.isDone { ownCount = known.next }
    guard let known, !known.isDone, !options.startsAnew, !options.isDryRun,
      let mark = scan.marks[known.next]
    else { return }
    let links = known.links.flatMap { scan.marks[$0] }
    guard known.links == nil || links != nil else { return }
    journal = known
    journal.isLinking = false
    journal.report.resumedAfter = known.next
    linkStart = links
    // A record with an ID and a key may have any stored ID: it is found only by reading its line again.
    if scan.hasKeyedIDs { return phase = .recalling }
    if links != nil { phase = .recalling }
    try records.move(to: (links ?? mark).position, digest: (links ?? mark).digest)
  }

  /// Whether the files begin with the contents that an earlier import has read.
  private func isSame(_ journal: ImportJournal) -> Bool {
    if journal.isDone, journal.next == scan.count { return journal.digest == scan.digest }
    guard var digest = scan.marks[journal.next]?.digest else { return false }
    return digest.finish() == journal.digest
  }

  func changedFile(_ journal: ImportJournal) -> PersistenceError {
    PersistenceError(
      .invalidRequest,
      "“\(name)” was changed since its import was interrupted after \(journal.next) records.",
      store: target.store.store.description.displayName
    ).remedied(
      by:
        "Import the file as it was, begin anew, when records with a unique key are updated, or give "
        + "another file of the same name a name of its own in the options.")
  }

  private func beginLinking() throws {
    guard journal.links != nil else { return try finish() }
    journal.isLinking = true
    phase = .linking
    waitedBefore = waits.lines.count
    try beginPass()
  }

  private func beginPass() throws {
    waits.beginPass()
    waitsStill = 0
    hasMade = false
    passed = 0
    if let start = linkStart { try records.move(to: start.position, digest: start.digest) }
  }

  /// Decides whether deferred records are processed again.
  private func endPass() throws {
    if waitsStill == 0 || isLastPass { return try finish() }
    // No record was inserted that a deferred one waits for.
    isLastPass = waitsStill >= waitedBefore && !hasMade
    waitedBefore = waitsStill
    try beginPass()
  }

  /// Records that the import is complete.
  private func finish() throws {
    phase = .done
    guard !options.isDryRun else {
      defer { context.rollback() }
      return try TrialRecords.validate(context)
    }
    var last: ImportJournal?
    if !numbers.blocks.isEmpty {
      // Records without a key are found again by their numbers.
      var done = journal
      done.isDone = true
      done.isLinking = false
      done.links = nil
      done.postponed = []
      done.open = []
      done.next = scan.count
      done.digest = scan.digest
      done.blocks = numbers.blocks
      last = done
      if let old, old.isDone, old.digest == done.digest, old.blocks == done.blocks { return }
    }
    if last == nil, old == nil, !isNoted { return }
    last?.time = Date().timeIntervalSinceReferenceDate
    try save(last)
  }
}

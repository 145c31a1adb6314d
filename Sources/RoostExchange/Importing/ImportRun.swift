// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostCoordinator
import RoostModel
package import RoostObjects
import RoostStore

/// Reads files into a store, batch by batch, each in a save of its own that also notes how far it is.
///
/// 1. The files are scanned once: IDs, the number of records, and whether this is what an interrupted import has read.
/// 2. Records are written in the order of the files. A relationship to a record that comes later waits; so does a new
///    record that cannot be without it.
/// 3. What has waited is passed again, until nothing waits or nothing changes any more.
package final class ImportRun {
  private static let scanSize = 5000
  static let attempts = 3
  /// How many bytes of files a batch has, beyond its last record.
  static let largestBatch = 1 << 25

  enum Phase {
    case scanning, writing, linking, done
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
  /// The records that wait, and what became of them so far; nil where an earlier process knew it.
  var waiting: [Int: ImportBatch.Outcome]? = [:]
  var linkStart: ImportScan.Mark?
  /// How many waited before the present pass over those that wait, and how many still do.
  private var waitedBefore = 0
  var waitsStill = 0
  /// Whether the present pass has made a record, which others may wait for.
  var hasMade = false
  /// What is done about destinations that are not there.
  var isLastPass = false
  var passed = 0
  /// How many of the first records an interrupted import has written, where they are passed again.
  var ownCount = 0
  /// What a dry run has made.
  let trial = TrialRecords()
  /// Whether a save has written the journal.
  var isNoted = false

  var options: ImportOptions { target.options }

  /// Prepares an import.
  ///
  /// - Throws: `invalidRequest` for files that are not there or say no format, `unknownEntity`, `noStore`,
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

  /// How far it is.
  package var progress: ExchangeProgress {
    switch phase {
    case .scanning: ExchangeProgress(.scanning, scan.count, of: scan.count)
    case .writing: ExchangeProgress(.writing, records.position.number, of: scan.count)
    case .linking, .done:
      ExchangeProgress(
        .linking, passed, of: max(passed, waitedBefore == .max ? scan.count : waitedBefore))
    }
  }

  /// What was done, so far.
  package var report: ImportReport { journal.report }

  /// Does the next batch.
  ///
  /// - Returns: False when everything is written.
  package func step() throws -> Bool {
    switch phase {
    case .scanning:
      if try !scan.step(Self.scanSize, target) { try begin() }
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
  /// Decides where to begin, after the scan.
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
    // With an ID and a key a record may have any ID in the store: it is found by passing its line again.
    guard let known, !known.isDone, !options.startsAnew, !options.isDryRun, !scan.hasKeyedIDs,
      let mark = scan.marks[known.next]
    else { return }
    journal = known
    journal.report.resumedAfter = known.next
    try records.move(to: mark.position, digest: mark.digest)
    if let links = known.links {
      linkStart = scan.marks[links]
      waiting = nil
    }
  }

  /// Whether the files begin with what an import has read.
  private func isSame(_ journal: ImportJournal) -> Bool {
    if journal.isDone, journal.next == scan.count { return journal.digest == scan.digest }
    guard var digest = scan.marks[journal.next]?.digest else { return false }
    return digest.finish() == journal.digest
  }

  private func changedFile(_ journal: ImportJournal) -> PersistenceError {
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
    waitedBefore = waiting?.count ?? .max
    try beginPass()
  }

  private func beginPass() throws {
    waitsStill = 0
    hasMade = false
    passed = 0
    if let start = linkStart { try records.move(to: start.position, digest: start.digest) }
  }

  /// Decides whether those that wait are passed again.
  private func endPass() throws {
    if waitsStill == 0 || isLastPass { return try finish() }
    // Nothing has come that one of them waits for.
    isLastPass = waitsStill >= waitedBefore && !hasMade
    waitedBefore = waitsStill
    try beginPass()
  }

  /// Notes that the import is complete.
  private func finish() throws {
    phase = .done
    guard !options.isDryRun else {
      defer { context.rollback() }
      try trial.validate(
        context, RecordFinder(context: context, store: target.store.identity))
      return
    }
    var last: ImportJournal?
    if !numbers.blocks.isEmpty {
      // What was made without a key is found again by its number.
      var done = journal
      done.isDone = true
      done.isLinking = false
      done.links = nil
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// The processing of one batch.
extension ImportRun {
  /// Writes the next batch.
  ///
  /// - Returns: False when no record was left.
  func passBatch() throws -> Bool {
    var entries: [ImportEntry] = []
    var firsts: [Int: ImportScan.Mark] = [:]
    var size = 0
    while entries.count < options.batchSize, size < Self.largestBatch {
      let mark = ImportScan.Mark(position: records.position, digest: records.digest)
      guard let record = try records.next() else { break }
      let number = record.position.number
      if phase == .linking {
        passed += 1
        guard waits.lines[number] != nil else { continue }
      }
      if journal.links == nil { firsts[number] = mark }
      entries.append(try entry(record))
      size += record.bytes.count
    }
    guard !entries.isEmpty else { return false }
    var attempt = 1
    while true {
      do {
        try write(entries, firsts)
        return true
      } catch let error as PersistenceError
        where !options.isDryRun && Self.canBeTriedAgain(error) && attempt < Self.attempts
      {
        attempt += 1
      }
    }
  }

  /// Whether the error may be caused by a concurrent save, so that a retry finds the other's records.
  private static func canBeTriedAgain(_ error: PersistenceError) -> Bool {
    let codes: [PersistenceError.Code] = [
      .managedObjectMerge, .managedObjectConstraintMerge, .storeBusy, .persistentStoreTimeout,
    ]
    return codes.contains(error.code)
  }

  func entry(_ record: InputRecord) throws -> ImportEntry {
    let place = records.place(of: record.position)
    do throws(ExchangeFault) {
      return try ImportEntry(
        records.fields(of: record), number: record.position.number, place: place,
        entity: records.files[record.position.file].entity, target)
    } catch {
      throw error.error(at: place)
    }
  }

  func makeBatch() -> ImportBatch {
    ImportBatch(
      context, target, scan.ids, numbers, keyedIDs, waits, isLinking: phase == .linking,
      missing: phase == .linking && isLastPass
        ? (options.missing == .skip ? .skip : .refuse) : .wait)
  }

  private func write(_ entries: [ImportEntry], _ firsts: [Int: ImportScan.Mark]) throws {
    var batch = makeBatch()
    batch.ownCount = ownCount
    if options.isDryRun { batch.remember(trial) }
    do {
      try batch.take(entries)
    } catch {
      context.reset()
      throw error
    }
    var next = journal
    note(batch, in: &next)
    do {
      if options.isDryRun {
        try validate(batch)
      } else if context.hasChanges {
        next.blocks = batch.numbers.blocks
        try save(next)
      }
    } catch {
      let error = placed(error, batch)
      context.reset()
      throw error
    }
    batch.noteSavedIDs()
    batch.noteLinks()
    journal = next
    numbers = batch.numbers
    keyedIDs = batch.keyedIDs
    noteWaiting(batch, firsts)
    if !options.isDryRun { context.reset() }
  }

  /// Saves the context together with the import's progress.
  func save(_ journal: ImportJournal?) throws {
    var journal = journal
    journal?.time = Date().timeIntervalSinceReferenceDate
    try context.save(
      setting: ImportJournal.values(of: journal, name, in: target.store),
      of: target.store.identity)
    isNoted = true
  }

  private func validate(_ batch: ImportBatch) throws {
    for (object, place) in batch.places {
      do {
        if object.isInserted {
          try object.validateForInsert()
        } else if object.isUpdated {
          try object.validateForUpdate()
        }
      } catch let error as PersistenceError {
        throw error.placed(place)
      }
    }
    try TrialRecords.checkKeys(of: batch.places, batch.finder)
  }

  /// Adds the outcomes of a batch to the report.
  private func note(_ batch: ImportBatch, in journal: inout ImportJournal) {
    for entry in batch.entries {
      guard let outcome = batch.outcomes[entry.number] else { continue }
      let isFirst = phase == .writing || waits.isPostponed(entry.number)
      switch outcome {
      case .inserted: journal.report.inserted += 1
      case .skipped: journal.report.skipped += 1
      case .postponed: break
      case .unchanged: if isFirst { journal.report.unchanged += 1 }
      case .updated:
        if isFirst {
          journal.report.updated += 1
        } else if phase == .linking, waits.lines[entry.number] == .unchanged {
          journal.report.unchanged -= 1
          journal.report.updated += 1
        }
      }
    }
    journal.report.skippedReferences += batch.skippedReferences
    noteWaiting(batch, in: &journal)
    let next = records.position.number
    guard phase == .writing, next > journal.next else { return }
    journal.next = next
    var digest = records.digest
    journal.digest = digest.finish()
    if journal.links == nil { journal.links = batch.unresolved.map(\.number).min() }
  }

  /// Records which lines of a batch wait, for an import that goes on after an interruption.
  private func noteWaiting(_ batch: ImportBatch, in journal: inout ImportJournal) {
    for entry in batch.entries {
      journal.postponed.remove(entry.number)
      journal.open.remove(entry.number)
    }
    for entry in batch.unresolved {
      if batch.outcomes[entry.number] == .postponed {
        journal.postponed.insert(entry.number)
      } else {
        journal.open.insert(entry.number)
      }
    }
  }

  /// Keeps track of the lines that wait for destinations.
  private func noteWaiting(_ batch: ImportBatch, _ firsts: [Int: ImportScan.Mark]) {
    if linkStart == nil, let first = journal.links { linkStart = firsts[first] }
    let waiting = Set(batch.unresolved.map(\.number))
    waitsStill += waiting.count
    if batch.outcomes.values.contains(.inserted) { hasMade = true }
    waits = batch.waits
    for entry in batch.entries {
      guard waiting.contains(entry.number) else {
        waits.remove(entry.number)
        continue
      }
      waits.add(
        entry.number, batch.outcomes[entry.number] ?? waits.lines[entry.number] ?? .unchanged)
    }
  }

  /// Returns the error of a save with the lines of the affected records.
  private func placed(_ error: any Error, _ batch: ImportBatch) -> any Error {
    guard let error = error as? PersistenceError else { return error }
    var places: [ObjectID: RecordPlace] = [:]
    for (object, place) in batch.places where places[object.objectID] == nil {
      places[object.objectID] = place
    }
    func placed(_ error: PersistenceError) -> PersistenceError {
      error.objectIDs.lazy.compactMap { places[$0] }.first.map { error.placed($0) } ?? error
    }
    var result = placed(error)
    result.underlyingErrors = error.underlyingErrors.map(placed)
    if result.message == error.message, let first = result.underlyingErrors.first {
      result.message += " " + first.message
    }
    return result
  }
}

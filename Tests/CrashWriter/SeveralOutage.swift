// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// A process is killed after it has prepared its part of a save, and then the deciding server is unreachable for a
/// while: reads and unrelated writes continue, writes that conflict with the prepared part are refused, and the part
/// is finished afterwards (X5, X7).
struct SeveralOutage {
  let kinds: [StoreKind]
  /// The duration of the outage in seconds.
  let seconds: Double

  struct Report {
    /// Saves of records that the prepared part does not touch.
    var written = 0
    /// Saves that were refused.
    var refused = 0
  }

  /// Runs the outage.
  ///
  /// - Throws: An `Inspection.Finding` for the first inconsistency.
  func run() throws -> Report {
    guard let stop = ServerCommand.all("ROOST_STOP").first,
      let start = ServerCommand.all("ROOST_START").first
    else {
      throw Inspection.Finding(
        description: "ROOST_STOP and ROOST_START do not say how to stop and start the server")
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-several-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let places = SeveralPlaces(kinds: kinds, folder: folder)
    let ledger = SeveralLedger(container: try places.open(killing: false), places: places)
    _ = try ledger.prepare()
    try ledger.save(1)
    try leavePart(places, ledger)
    try stop.run()
    var report = Report()
    let result = Result { try goOn(ledger, &report) }
    try start.run()
    try result.get()
    try heal(ledger)
    try ledger.close()
    let again = SeveralLedger(container: try places.open(killing: false), places: places)
    try again.requireNothingLeft("when all was reached again")
    try again.close()
    try places.remove()
    return report
  }

  /// Kills writers at one call after the other, until one has left a prepared part in the file.
  private func leavePart(_ places: SeveralPlaces, _ ledger: SeveralLedger) throws {
    for point in 1...200 {
      let child = try Child([
        "several-write", kinds.map(\.name).joined(separator: ","),
        places.folder.path(percentEncoded: false), "\(point)",
      ])
      _ = child.lines()
      if try ledger.file.preparation?.pending().isEmpty == false { return }
    }
    throw Inspection.Finding(description: "no writer has left its part")
  }

  private func goOn(_ ledger: SeveralLedger, _ report: inout Report) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    var number: Int64 = 1_000_000
    let before = try ledger.countedInFile()
    while ContinuousClock.now < end {
      number += 100
      try ledger.saveToFile(number)
      report.written += 1
      do {
        try ledger.countInFile()
        throw Inspection.Finding(description: "what is in doubt was written")
      } catch let error as PersistenceError where error.code == .saveInDoubt {
        report.refused += 1
      }
      let read = try ledger.countedInFile()
      guard read == before else {
        throw Inspection.Finding(description: "\(read) was read, which was \(before) before")
      }
      guard try ledger.file.preparation?.pending().isEmpty == false else {
        throw Inspection.Finding(description: "the part was ended by nobody who could know")
      }
      usleep(20_000)
    }
  }

  /// Saves to all stores again: the first save that succeeds finishes the prepared part.
  private func heal(_ ledger: SeveralLedger) throws {
    for _ in 0..<500 {
      do {
        try ledger.countUp()
        let numbers = Set(try ledger.numbers())
        guard numbers.count == 1 else {
          throw Inspection.Finding(description: "torn: the stores have \(numbers)")
        }
        let left = try ledger.file.preparation?.pending().count ?? 0
        guard left == 0 else {
          throw Inspection.Finding(description: "\(left) parts are left after a save")
        }
        return
      } catch is PersistenceError {
        usleep(100_000)
      }
    }
    throw Inspection.Finding(description: "nothing can be saved although all stores can be reached")
  }
}

extension SeveralLedger {
  /// The first store.
  var file: any PersistentStore { container.persistentStoreCoordinator.persistentStores[0] }

  /// Saves a parcel to the first store alone.
  func saveToFile(_ number: Int64) throws {
    let context = container.newBackgroundContext()
    let parcel = Parcel(context: context)
    parcel.number = number
    try context.assign(parcel, to: file)
    try context.save()
  }

  /// Reads the counters of the first store alone.
  func countedInFile() throws -> [Int64] {
    let context = container.newBackgroundContext()
    context.stalenessInterval = 0
    let request = Counter.fetchRequest()
    request.affectedStores = [file]
    return try context.fetch(request).map(\.last).sorted()
  }

  /// Changes the counter of the first store alone.
  func countInFile() throws {
    let context = container.newBackgroundContext()
    context.stalenessInterval = 0
    let request = Counter.fetchRequest()
    request.affectedStores = [file]
    for counter in try context.fetch(request) { counter.last += 1 }
    try context.save()
  }
}

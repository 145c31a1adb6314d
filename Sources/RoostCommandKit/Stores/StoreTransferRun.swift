// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostCoordinator
import RoostModel
import RoostQuery
import RoostStore

/// Copies the data of a store into a new one of any kind, shows progress, and compares the numbers of records.
struct StoreTransferRun {
  let source: StoreSession
  let destination: PersistentStoreDescription
  let destinationTitle: String
  /// Whether the copy takes the place of the store: it has the same UUID and object IDs.
  var keepsIdentity = false
  let console: CommandConsole

  /// The result of a copy.
  struct Outcome {
    /// The number of records of each concrete entity, in the source before the copy, in the copy, and in the source
    /// after it.
    var counts: [(entity: String, before: Int, copied: Int, after: Int)]

    /// The entities whose count in the copy is neither the count before nor the count after it.
    var differences: [String] {
      counts.filter { $0.copied != $0.before && $0.copied != $0.after }.map(\.entity)
    }

    /// Whether other processes wrote the source while it was copied.
    var wasWritten: Bool { counts.contains { $0.before != $0.after } }
  }

  /// Copies the store. Afterwards the source session refers to the copy, unless that keeps the identity.
  ///
  /// - Throws: `persistentStoreOpen` when there is a store at the destination, and the errors of the stores.
  func run() throws -> Outcome {
    let before = try Self.counts(source)
    // After the migration the session refers to the copy; the source is reopened to be counted again.
    let progress = Progress(totalUnitCount: -1)
    let timer = console.showsProgress ? show(progress) : nil
    defer {
      timer?.cancel()
      console.showProgress("")
    }
    let original = source.store.description
    if keepsIdentity {
      try IdenticalCopy(
        of: source.attached, in: source.coordinator, to: destination, progress: progress
      ).run()
    } else {
      _ = try source.coordinator.migratePersistentStore(
        source.store, to: destination.url, options: destination.options, type: destination.type,
        progress: progress)
    }
    let copied = try count(at: destination)
    let after = try keepsIdentity ? Self.counts(source) : count(at: original)
    return Outcome(
      counts: source.concreteEntities.map { entity in
        let name = entity.name ?? ""
        return (name, before[name] ?? 0, copied[name] ?? 0, after[name] ?? 0)
      })
  }

  /// The number of records of each concrete entity.
  static func counts(_ session: StoreSession) throws -> [String: Int] {
    try counts(session.coordinator, session.concreteEntities)
  }

  private static func counts(
    _ coordinator: PersistentStoreCoordinator, _ entities: [EntityDescription]
  ) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entity in entities { counts[entity.name ?? ""] = try coordinator.recordCount(of: entity) }
    return counts
  }

  private func count(at description: PersistentStoreDescription) throws -> [String: Int] {
    var description = description
    description.isReadOnly = true
    description.configuration = source.attached.store.description.configuration
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: source.model)
    let store = try coordinator.addPersistentStore(with: description)
    defer { try? coordinator.detach(store) }
    return try Self.counts(coordinator, source.concreteEntities)
  }

  private func show(_ progress: Progress) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + 0.2, repeating: 0.2)
    timer.setEventHandler { [console, destinationTitle] in
      let percent = Int(progress.fractionCompleted * 100)
      console.showProgress("\(destinationTitle): \(percent) %")
    }
    timer.resume()
    return timer
  }
}

extension PersistentStoreCoordinator {
  /// The number of records of an entity, without those of its subentities.
  func recordCount(of entity: EntityDescription) throws -> Int {
    let fetch = ResolvedFetch(entity: entity, entities: [entity], result: .count)
    guard case .count(let count) = try self.fetch(CoordinatorFetch(fetch: fetch)) else { return 0 }
    return count
  }
}

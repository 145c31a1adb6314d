// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A store of the model's first release, and its migration to the present version.
@MainActor struct Versions {
  let folder: URL

  /// The lock file keeps the model of each release as data: no class of an earlier version is needed.
  private static let lockFile = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../Models/Atlas.roostlock").standardized

  func run() throws {
    let lock = try ModelLock(contentsOf: Self.lockFile)
    guard let release = lock.versions.first(where: { $0.label == "1.0" }) else {
      throw Surprise("The lock file has no release 1.0.")
    }
    try write(with: release.model())

    var description = Stores.journal(in: folder)
    description.evolution = .automatic.allowLoss(false)
    description.migration = CustomMigration([Self.split], from: [try release.model()])
    let container = try PersistentContainer(
      name: "Atlas", model: Stores.model.get(), stores: [description])
    try showPlan(container, description)
    try container.loadPersistentStores()
    Terminal.line()
    Terminal.line("Opened with version 2:")
    try show(container.viewContext)
    try checkLock()
  }

  /// The only change that cannot be inferred: a name is split. The rest is inferred.
  private static let split = EntityTransform(
    "Traveller", to: Traveller.self, replacing: ["name"]
  ) { old, new, _ in
    let parts = (try old["name"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
    new.givenName = parts.first ?? ""
    new.familyName = parts.count > 1 ? parts[1] : nil
  }

  /// Writes a store as release 1.0 of the program would.
  private func write(with model: ManagedObjectModel) throws {
    // The assignment of entities to stores is no part of a version.
    let names = ["Trip", "Stop", "Traveller", "Note"]
    try model.setEntities(
      names.compactMap { model.entitiesByName[$0] }, forConfigurationName: Configuration.travel)
    let container = try PersistentContainer(
      name: "Atlas", model: model, stores: [Stores.journal(in: folder)])
    try container.loadPersistentStores()
    let context = container.viewContext
    let trip = try EntityDescription.insertNewObject(forEntityName: "Trip", into: context)
    try trip.setValue("Grand Tour", forKey: "name")
    let stop = try EntityDescription.insertNewObject(forEntityName: "Stop", into: context)
    try stop.setValue("IT-25", forKey: "placeCode")
    try stop.setValue(5, forKey: "days")
    try stop.setValue(trip, forKey: "trip")
    for name in ["Ada Lovelace", "Charles Babbage", "Plato"] {
      let one = try EntityDescription.insertNewObject(forEntityName: "Traveller", into: context)
      try one.setValue(name, forKey: "name")
      try one.setValue(Set([trip]), forKey: "trips")
    }
    try context.save()
    Terminal.line("Written with version 1: a stop of 5 days, and travellers by one name.")
    context.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  /// Shows the inferred migration: it would lose the names, which the transform preserves.
  private func showPlan(
    _ container: PersistentContainer, _ description: PersistentStoreDescription
  ) throws {
    guard let plan = try container.migrationPlan(for: description) else {
      throw Surprise("Nothing is to be migrated.")
    }
    Terminal.line()
    Terminal.line("What is different:")
    for change in plan.changes { Terminal.line("  \(change)") }
    for loss in plan.losses {
      Terminal.line("  by rules alone \(loss.count) values of \(loss.name) would go")
    }
  }

  private func show(_ context: ManagedObjectContext) throws {
    guard let trip = try context.fetch(Trip.fetchRequest()).first, let stop = trip.stops.first
    else { throw Surprise("The trip of version 1 is gone.") }
    Terminal.row("  added", "\(trip.name) has a budget of \(trip.budget)", width: 10)
    Terminal.row("  renamed", "\(stop.placeCode) for \(stop.nights) nights", width: 10)
    let names = trip.travellers.map { "\($0.familyName ?? "-"), \($0.givenName)" }.sorted()
    Terminal.row("  split", names.joined(separator: "; "), width: 10)
    guard names == ["-, Plato", "Babbage, Charles", "Lovelace, Ada"], stop.nights == 5,
      trip.budget == 0
    else { throw Surprise("The journal has other values than version 1 has written.") }
  }

  /// Runs the check of a program's test: the model matches the lock file, and the stores can be migrated.
  private func checkLock() throws {
    try ModelLock.check(Stores.model.get(), against: Self.lockFile)
    Terminal.line()
    Terminal.line("The model is the one in \(Self.lockFile.lastPathComponent).")
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The program, chapter by chapter.
@MainActor struct Tour {
  let tables: URL
  let folder: URL
  let isLogged: Bool

  func run() throws {
    Terminal.title("Atlas: the world's codes in Roost")
    Terminal.section("Importing \(tables.path)")
    try importTables()

    Terminal.section("Asking the file, opened again")
    let container = try Stores.open(in: folder, isLogged: isLogged)
    let context = container.viewContext
    try Questions(context: context).askAll()

    Terminal.section("How the stores answer")
    try Questions(context: context).explain()

    Terminal.section("Travelling: notes in memory, codes in the file")
    try Travel(container: container, context: context).run()

    Terminal.section("Changing, refusing, deleting")
    try Changes(context: context).run()

    Terminal.section("What the context did")
    show(context.counters)

    Terminal.section("The same questions to every kind of store")
    try SameAnswers(folder: folder).run()

    Terminal.section("A journal of version 1, opened by version 2")
    try Versions(folder: folder).run()

    Terminal.section("What is left when it is opened once more")
    try showWhatIsLeft()
  }

  private func importTables() throws {
    let container = try Stores.open(in: folder, isLogged: isLogged)
    for store in container.persistentStoreCoordinator.persistentStores {
      let url = store.description.url
      let place = url.map { $0.isFileURL ? $0.path : $0.absoluteString } ?? "in memory"
      Terminal.row(store.description.configuration ?? "", "\(store.identity.type), \(place)")
    }
    Terminal.line()
    var importer = try Importer(
      tables: ISOTables(folder: tables), context: container.viewContext)
    let count = try importer.run()
    Terminal.line()
    Terminal.line("\(Terminal.number(count)) objects, saved at once.")
  }

  private func show(_ counters: ContextCounters) {
    let rows = [
      ("round trips", counters.roundTrips), ("implicit ones", counters.implicitRoundTrips),
      ("rows", counters.rowsFetched), ("faults fired", counters.faultsFired),
      ("objects", counters.objectsRegistered), ("saves", counters.saves),
    ]
    for (name, value) in rows { Terminal.row(name, Terminal.number(value)) }
  }

  /// The file keeps the saved objects; those in memory are gone with the first container.
  private func showWhatIsLeft() throws {
    let context = try Stores.open(in: folder, isLogged: isLogged).viewContext
    let trips = try context.count(for: Trip.fetchRequest())
    Terminal.row("trips", "\(trips): they were in memory")
    for note in try context.fetch(Note.fetchRequest()) {
      Terminal.row("note", "\(note.text): it was assigned to the file")
    }
    if let country = try context.fetch(Country.where { $0.code == "CI" }).first {
      Terminal.row("CI", "\(country.name): it was saved")
    }
  }
}

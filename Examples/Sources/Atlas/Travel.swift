// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A traveller's notes: in memory, beside the reference data in the file.
struct Travel {
  let container: PersistentContainer
  let context: ManagedObjectContext

  func run() throws {
    let trip = try plan()
    try keepNotes(of: trip)
    try readNotes()
    try crossStores(trip)
  }

  /// A trip with stops in order. Trips can only be in memory, so nothing has to be said about where.
  private func plan() throws -> Trip {
    let trip = Trip(context: context)
    trip.name = "Around the Alps"
    trip.budget = Decimal(string: "2400.50") ?? 0
    for (place, nights) in [("CH-VS", 3), ("IT-23", 2), ("FR-74", 2), ("AT-7", 4)] {
      let stop = Stop(context: context)
      stop.placeCode = place
      stop.nights = Int16(nights)
      trip.stops.append(stop)
    }
    for name in ["Ada", "Charles"] {
      let traveller = Traveller(context: context)
      traveller.givenName = name
      trip.travellers.insert(traveller)
    }
    try context.save()
    Terminal.line("\(trip.name), \(trip.budget) for \(names(of: trip.travellers)):")
    for stop in trip.stops {
      let place = try context.fetch(Place.where { $0.code == stop.placeCode }).first
      Terminal.row(
        "  \(stop.placeCode)", "\(stop.nights) nights in \(place?.name ?? "?")", width: 9)
    }
    return trip
  }

  /// Both stores can hold notes. One that belongs to a trip follows it; for the others the program says where.
  private func keepNotes(of trip: Trip) throws {
    let (file, memory) = try (store(Configuration.reference), store(Configuration.travel))
    let follows = note("CH-VS", "Matterhorn at six in the morning", stars: 5)
    follows.trip = trip
    let kept = note("CH", "Trains wait for each other", stars: 5)
    try context.assign(kept, to: file)
    let secret = note("AT-7", "The second hut has the better cake", stars: 4)
    try context.assign(secret, to: memory)
    try context.save()
    Terminal.line()
    for note: Note in [follows, kept, secret] {
      let name = note.objectID.persistentStore?.description.configuration ?? "?"
      Terminal.row(name, note.text)
    }
  }

  /// One fetch asks both stores; the answer is one list in one order.
  private func readNotes() throws {
    let notes = try context.fetch(
      Note.where { $0.stars >= 4 }.sorted(by: \.stars, ascending: false).sorted(by: \.text).limit(3)
    )
    Terminal.line()
    Terminal.line("The best notes, from both stores, in one order:")
    for note in notes {
      Terminal.row("  " + String(repeating: "*", count: Int(note.stars)), note.text, width: 9)
    }
  }

  /// A relationship cannot lead from one store into another: the save says so and does nothing.
  private func crossStores(_ trip: Trip) throws {
    let file = try store(Configuration.reference)
    let stray = note("CH", "In the file, but of a trip in memory", stars: 1)
    stray.trip = trip
    try context.assign(stray, to: file)
    Terminal.line()
    Terminal.line("A note in the file cannot belong to a trip in memory:")
    do {
      try context.save()
      throw Surprise("A relationship between two stores was saved.")
    } catch let error as PersistenceError where error.code == .externalRelationship {
      Terminal.line("  error \(error.code.rawValue): \(error.message)")
      context.rollback()
    }
  }

  private func note(_ placeCode: String, _ text: String, stars: Int16) -> Note {
    let note = Note(context: context)
    note.placeCode = placeCode
    note.text = text
    note.stars = stars
    return note
  }

  private func names(of travellers: Set<Traveller>) -> String {
    travellers.map(\.givenName).sorted().joined(separator: " and ")
  }

  private func store(_ configuration: String) throws -> any PersistentStore {
    let stores = container.persistentStoreCoordinator.persistentStores
    guard let store = stores.first(where: { $0.description.configuration == configuration }) else {
      throw Surprise("There is no store for the configuration \(configuration).")
    }
    return store
  }
}

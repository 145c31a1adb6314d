// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A traveller's data: in memory, beside the reference data in the file.
struct Travel {
  let container: PersistentContainer
  let context: ManagedObjectContext

  func run() throws {
    let trip = try plan()
    try keepNotes(of: trip)
    try readNotes()
    try askAcrossStores()
    try crossStores(trip)
  }

  /// A trip with ordered stops. Trips can only be in memory, so the program need not choose a store.
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

  /// Both stores can hold notes. A note of a trip follows the trip's store; for others the program chooses one.
  private func keepNotes(of trip: Trip) throws {
    let (file, memory) = try (store(Configuration.reference), store(Configuration.travel))
    let follows = try note("CH-VS", "Matterhorn at six in the morning", stars: 5)
    follows.trip = trip
    let kept = try note("CH", "Trains wait for each other", stars: 5)
    try context.assign(kept, to: file)
    let secret = try note("AT-7", "The second hut has the better cake", stars: 4)
    try context.assign(secret, to: memory)
    try context.save()
    Terminal.line()
    for note: Note in [follows, kept, secret] {
      let name = note.objectID.persistentStore?.description.configuration ?? "?"
      Terminal.row(name, note.text)
    }
  }

  /// One fetch reads both stores; the result is one list in one order.
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

  /// A note in memory is about a place in the file: conditions go from one store to the other, both ways.
  private func askAcrossStores() throws {
    let alpine = try context.fetch(
      Note.where { $0.place.name == "Valais" || $0.place.name == "Wallis" })
    let praised = try context.fetch(
      Place.where { $0.notes.any { $0.stars == 5 } }.sorted(by: \.code).prefetching(\.notes))
    Terminal.line()
    Terminal.line("Places in the file with five stars in either store:")
    for place in praised {
      Terminal.row("  \(place.code)", "\(place.name), \(place.notes.count) note", width: 9)
    }
    guard alpine.count == 1, praised.map(\.code) == ["CH", "CH-VS"] else {
      throw Surprise("The notes are not those of the places that they are about.")
    }
  }

  /// A relationship that is not declared to cross stores cannot do so: the save reports it and writes nothing.
  private func crossStores(_ trip: Trip) throws {
    let file = try store(Configuration.reference)
    let stray = try note("CH", "In the file, but of a trip in memory", stars: 1)
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

  private func note(_ placeCode: String, _ text: String, stars: Int16) throws -> Note {
    let note = Note(context: context)
    note.placeCode = placeCode
    note.place = try context.fetch(Place.where { $0.code == placeCode }).first
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Writes to the file: trains come, change their platforms, are cancelled and leave.
struct Dispatcher {
  let container: PersistentContainer

  private static let places = ["Albula", "Bernina", "Chur", "Davos", "Engadin", "Filisur"]

  /// Makes a number of changes, one save each.
  func work(changes: Int) throws {
    let context = container.newBackgroundContext()
    for number in 0..<changes {
      try context.performAndWait { try change(number, in: context) }
      Thread.sleep(forTimeInterval: 0.05)
    }
    // The last train signals the end of the day to the board.
    try context.performAndWait {
      try add("End", minute: 0, in: context)
      try context.save()
    }
  }

  private func change(_ number: Int, in context: ManagedObjectContext) throws {
    let departures = try context.fetch(Departure.fetchRequest().sorted(by: \.minute))
    switch number % 4 {
    case 0, 1:
      let place = Self.places[number % Self.places.count]
      try add(place, minute: Int32(360 + number * 7), in: context)
    case 2: departures.last?.platform += 1
    default:
      departures.first.map(context.delete)
      departures.dropFirst().first?.isCancelled = true
    }
    try context.save()
  }

  private func add(_ place: String, minute: Int32, in context: ManagedObjectContext) throws {
    let departure = Departure(context: context)
    departure.line = "R\(minute % 9)"
    departure.destination = place
    departure.minute = minute
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory

enum ErrandState: String, Codable { case open, waiting, closed }

/// An errand, for the tests of everyday operations.
@Entity class Errand: ManagedObject {
  @Attribute(.unique) var number: Int64 = 0
  var title: String = ""
  var state: ErrandState = .open
  var points: Int32?
  var created: Date = Date(timeIntervalSinceReferenceDate: 0)
  @Relationship(inverse: \.errands) var venture: Venture?
}

@Entity final class Repair: Errand {
  var severity: Int16 = 1
}

@Entity final class Venture: ManagedObject {
  @Attribute(.unique) var name: String = ""
  @Relationship(inverse: \.venture) var errands: Set<Errand>
}

@Entity(abstract: true) class Figure: ManagedObject {
  var label: String = ""
}

@Entity final class Disc: Figure {
  var radius: Double = 1
}

/// A container of errands over a store in memory.
struct Tracker {
  let container: PersistentContainer
  let context: ManagedObjectContext

  init(_ stores: [PersistentStoreDescription] = [.inMemory()]) throws {
    container = try PersistentContainer(
      name: "tracker",
      model: ManagedObjectModel(Errand.self, Repair.self, Venture.self, Figure.self, Disc.self),
      stores: stores)
    try container.loadPersistentStores()
    context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  func anotherContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  /// Saves some errands with the titles `0`, `1` and so on.
  func seed(_ count: Int, _ fill: (Errand, Int) -> Void = { _, _ in }) throws {
    let context = anotherContext()
    try withExtendedLifetime(context) {
      for index in 0..<count {
        let errand = Errand(context: context)
        errand.number = Int64(index)
        errand.title = "\(index)"
        fill(errand, index)
      }
      try context.save()
    }
  }
}

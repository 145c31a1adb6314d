// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostModel
import Testing

enum Grade: String { case low, high }

@Entity(name: "Gauge") final class Gauge: ManagedObject {
  var pressure: Float = 0
  var grade: Grade = .low
  var marks: [Int]
}

/// The same entity as another version of the program has it: equal for a store, not for Swift.
@Entity(name: "Gauge") final class LaterGauge: ManagedObject {
  var pressure: Float = 0
  var grade: String = ""
  var marks: [String]
}

@Suite("Stored values and their Swift types")
struct StoredValueTests {
  private let name = UUID().uuidString

  private func context(_ classes: ManagedObject.Type...) throws -> ManagedObjectContext {
    let container = try PersistentContainer(
      name: "a", model: ManagedObjectModel(classes), stores: [.inMemory(named: name)])
    try container.loadPersistentStores()
    return ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  @Test("a float that is set by key is as precise as a Float, and within its range (reliability 4)")
  func float() throws {
    let context = try context(Gauge.self)
    let gauge = Gauge(context: context)
    try gauge.setValue(0.1, forKey: "pressure")
    #expect(try gauge.value(forKey: "pressure") as? Double == Double(Float(0.1)))
    #expect(throws: PersistenceError(.invalidValue, "")) {
      try gauge.setValue(1e300, forKey: "pressure")
    }
    #expect(gauge.pressure == 0.1)
  }

  @Test("a raw value that the type does not have reads as the initial value (B64)")
  func unknownRawValue() throws {
    let new = try context(LaterGauge.self)
    let later = LaterGauge(context: new)
    later.grade = "middle"
    later.marks = []
    try new.save()
    let old = try context(Gauge.self)
    let gauge = try #require(try old.fetch(Gauge.fetchRequest()).first)
    #expect(gauge.grade == .low)
    #expect(gauge.marks == [])
    #expect(!new.hasChanges)
  }
}

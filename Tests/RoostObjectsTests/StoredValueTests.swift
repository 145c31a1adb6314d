// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostModel
import Testing

@Entity final class Gauge: ManagedObject {
  var pressure: Float = 0
}

@Suite("Stored values and their Swift types")
struct StoredValueTests {
  @Test("a float that is set by key is as precise as a Float, and within its range (reliability 4)")
  func float() throws {
    let container = try PersistentContainer(
      name: "a", model: ManagedObjectModel(Gauge.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    let gauge = Gauge(context: context)
    try gauge.setValue(0.1, forKey: "pressure")
    #expect(try gauge.value(forKey: "pressure") as? Double == Double(Float(0.1)))
    #expect(throws: PersistenceError(.invalidValue, "")) {
      try gauge.setValue(1e300, forKey: "pressure")
    }
    #expect(gauge.pressure == 0.1)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformance
import RoostModel
import RoostObjects
import RoostQuery
import Testing

@testable import RoostConformanceKit

/// Tests of the explanations of requests that use an index. PostgreSQL has its own tests, because its planner uses a
/// sequential scan for a small table.
@Suite struct ExplainTests {
  @Test(
    "a request through an index names it (B120)",
    arguments: [StoresUnderTest.sqlite, StoresUnderTest.lmdb, StoresUnderTest.inMemory])
  func index(harness: StoreHarness) throws {
    StoresUnderTest.prepared
    let size = AttributeDescription(name: "size", type: .integer64)
    let thing = EntityDescription(name: "Thing")
    thing.properties = [size]
    thing.indexes = [
      FetchIndexDescription(
        name: "bySize", elements: [FetchIndexElementDescription(property: size)])
    ]
    let store = try harness.makeEmptyStore()
    let stack = try ConformanceStack(
      model: ManagedObjectModel(entities: [thing]), stores: [store],
      stage: ConformanceStage(harness: harness))
    defer {
      stack.close()
      try? harness.drop(store)
    }
    for number in 0..<50 { try stack.context.insert("Thing").setValue(number, forKey: "size") }
    try stack.context.save()
    let request = FetchRequest<ManagedObject>(entityName: "Thing")
    request.predicate = try FetchPredicate("size == 7")
    let plan = try stack.context.explain(request)
    #expect(plan.indexes.count == 1, "\(plan)")
    #expect(plan.inMemory.isEmpty, "\(plan)")
    #expect(try stack.context.fetch(request).count == 1)
  }
}

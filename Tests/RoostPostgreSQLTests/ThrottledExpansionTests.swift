// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("Expansions that are throttled", .enabled(if: Servers.isThere))
struct ThrottledExpansionTests {
  @Test(
    "an expansion pauses between batches, can be cancelled meanwhile, and goes on later (M25, M40)")
  func paused() throws {
    let description = try Servers.description()
    let name = TestModel.Property.attribute("name", .string)
    let first = try TestModel(.init("Person", name, .attribute("age", .integer16)))
    let second = try TestModel(
      .init("Person", name, .attribute("age", .integer16, isOptional: false, value: .integer(7))))
    let old = try Release(first, description)
    try old.insert("Person", ["name": "Ada"])
    var slow = description
    // The pause after a batch of a millisecond would take years.
    slow.evolution = .expand.throttle(1e-12)
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: second.model)
    let progress = coordinator.migrations.progress
    coordinator.migrations.observe { report in
      guard report.completed > 0 else { return }
      // Far longer than the rest of the expansion takes.
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { progress.cancel() }
    }
    #expect(throws: PersistenceError(.migrationCancelled, "")) {
      try coordinator.addPersistentStore(with: slow)
    }
    try old.insert("Person", ["name": "Bob"])
    let new = try Release(second, description, .expand)
    #expect(try new.lines("Person", "name", "age") == ["Ada 7", "Bob 7"])
  }
}

// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostInMemory
import Testing

@testable import RoostObjects

/// Tests of the capacity of a context's object registry.
@Suite struct RegistryRoomTests {
  @Test("objects that are fetched a few at a time do not move all others each time (B32)")
  func portions() throws {
    let stack = try Stack()
    let maker = stack.anotherContext()
    for _ in 0..<4_000 { _ = Department(context: maker) }
    try maker.save()
    let context = stack.anotherContext()
    var kept: [Department] = []
    var sizes: Set<Int> = []
    for portion in 0..<40 {
      let request = FetchRequest<Department>(entityName: "Department")
        .sorted(by: \.name).offset(portion * 100).limit(100)
      kept += try context.fetch(request)
      sizes.insert(context.objectTable.capacity)
    }
    #expect(Set(kept).count == 4_000 && sizes.count < 12)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Synchronization
import Testing

/// Tests of a context that keeps one snapshot while other contexts save continuously.
@Suite("A snapshot that is kept for long")
struct HeldSnapshotTests {
  @Test("it is told of, and right, until the context moves on (hazard 8, B292)")
  func longReader() throws {
    let stack = try Stack()
    let id = try #require(try stack.seed(1).first)
    let employee = try #require(try stack.context.existingObject(with: id) as? Employee)
    let told = Mutex<[String]>([])
    let coordinator = stack.container.persistentStoreCoordinator
    coordinator.setLog { line in
      if line.kind == .remark, line.text.contains("saves ago") {
        told.withLock { $0.append(line.text) }
      }
    }
    defer { coordinator.setLog(nil) }
    let reader = stack.anotherContext()
    try reader.setQueryGenerationFrom(.current)
    #expect(try reader.fetch(Employee.fetchRequest()).map(\.name) == ["P0"])
    func save(_ count: Int) throws {
      for number in 0..<count {
        employee.name = "\(count) \(number)"
        try stack.context.save()
      }
    }
    try save(999)
    #expect(told.withLock { $0 } == [])
    try save(10)
    #expect(told.withLock { $0.count } == 1)
    #expect(told.withLock { $0.first?.contains("1000 saves ago") } == true)
    reader.reset()
    reader.stalenessInterval = 0
    #expect(try reader.fetch(Employee.fetchRequest()).map(\.name) == ["10 9"])
    try save(500)
    #expect(told.withLock { $0.count } == 1)
  }
}

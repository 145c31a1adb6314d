// SPDX-License-Identifier: Apache-2.0

import Roost
import Synchronization
import Testing

@Suite("Lines of the program in instruments")
struct CallSiteTests {
  private final class Recorder: StoreInstrument {
    private let ended = Mutex<[StoreOperation]>([])

    /// The operations since the last call.
    func take() -> [StoreOperation] {
      ended.withLock { ended in
        defer { ended = [] }
        return ended
      }
    }

    func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {
      ended.withLock { $0.append(operation) }
    }
  }

  private let tracker: Tracker
  private let recorder = Recorder()

  init() throws {
    tracker = try Tracker()
    try tracker.seed(2)
    tracker.container.instrument(with: recorder)
  }

  @Test("the requests of a context are attributed to its call site: fetches, faults and saves")
  func context() throws {
    let context = tracker.anotherContext()
    let line = CallSite.here()
    #expect(line.fileID == "RoostObjectsTests/CallSiteTests.swift")
    #expect(line.line == #line - 2)
    context.callSite = line
    // Faults ask the store even for rows in the cache.
    context.stalenessInterval = 0
    let errand = try #require(try context.find(Errand.self, \.number, 0))
    try context.refresh(errand, mergeChanges: false)
    errand.title += "!"
    try context.save()
    let operations = recorder.take()
    #expect(Set(operations.map(\.kind)).isSuperset(of: [.fetch, .commit]))
    #expect(operations.allSatisfy { $0.callSite == line })
    #expect(operations.contains { $0.isImplicit })

    context.callSite = nil
    _ = try context.count(Errand.self)
    #expect(recorder.take().map(\.callSite) == [nil])
  }

  /// The lines that the operations since the last call were attributed to.
  private func lines() -> Set<Int?> { Set(recorder.take().map(\.callSite?.line)) }

  @Test("work of a container is attributed to the line that calls it")
  func container() throws {
    let container = tracker.container
    try container.transaction { try $0.find(Errand.self, \.number, 0)?.title = "a" }
    #expect(lines() == [#line - 1])
    _ = try container.read { try $0.count(Errand.self) }
    #expect(lines().contains(#line - 1))
  }

  @Test("work of a container in a task is attributed to the line that calls it")
  func containerInTask() async throws {
    let container = tracker.container
    try await container.transaction { try $0.find(Errand.self, \.number, 0)?.title = "b" }
    #expect(lines() == [#line - 1])
    try await container.transaction { context in
      await Task.yield()
      try context.find(Errand.self, \.number, 0)?.title = "c"
    }
    #expect(lines() == [#line - 4])
    _ = try await container.read { try $0.count(Errand.self) }
    #expect(lines().contains(#line - 1))
    _ = try await container.withBackgroundContext { try $0.count(Errand.self) }
    #expect(lines() == [#line - 1])
  }
}

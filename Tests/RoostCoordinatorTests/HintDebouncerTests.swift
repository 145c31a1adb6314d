// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostSQLite
import Synchronization
import Testing

@testable import RoostCoordinator
@testable import RoostStore

@Suite("Looks that are made of hints")
struct HintDebouncerTests {
  private let queue = DispatchQueue(label: "looks")

  /// Runs a body while the queue is blocked.
  private func holding(_ body: () -> Void) {
    let gate = DispatchSemaphore(value: 0)
    queue.async { gate.wait() }
    body()
    gate.signal()
  }

  @Test("any number of hints at a time is one look (H30)")
  func coalesced() async throws {
    let looks = HintDebouncer(on: queue)
    let count = Atomic<Int>(0)
    let (stream, told) = AsyncStream.makeStream(of: Int.self)
    looks.begin { told.yield(count.wrappingAdd(1, ordering: .relaxed).newValue) }
    var numbers = stream.makeAsyncIterator()
    holding { for _ in 0..<1_000 { looks.take(.written) } }
    #expect(await numbers.next() == 1)
    looks.take(.written)
    #expect(await numbers.next() == 2)
    #expect(looks.counts == (1_001, 2))
  }

  @Test("what is being written is looked for again, and then no more (H31)")
  func followedUp() async throws {
    let looks = HintDebouncer(on: queue)
    let (stream, told) = AsyncStream.makeStream(of: Void.self)
    looks.begin { told.yield() }
    var numbers = stream.makeAsyncIterator()
    holding { for _ in 0..<10 { looks.take(.beingWritten) } }
    let all = 1 + HintDebouncer.followUps.count
    for _ in 0..<all { await numbers.next() }
    looks.take(.written)
    await numbers.next()
    #expect(looks.counts == (11, all + 1))
  }

  @Test("a hint that comes during a look has one of its own (H30)")
  func meanwhile() async throws {
    let looks = HintDebouncer(on: queue)
    let (stream, told) = AsyncStream.makeStream(of: Void.self)
    let isFirst = Atomic<Bool>(true)
    looks.begin {
      if isFirst.exchange(false, ordering: .relaxed) { looks.take(.written) }
      told.yield()
    }
    var numbers = stream.makeAsyncIterator()
    looks.take(.written)
    await numbers.next()
    await numbers.next()
    #expect(looks.counts == (2, 2))
  }

  @Test("a store that is removed is watched no more, and nothing of it is left (H31, H34)")
  func removed() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-watched-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for isSQLite in [true, false] {
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: Company().model)
      for number in 0..<3 {
        let place = folder.appending(path: "\(isSQLite)\(number)")
        var description: PersistentStoreDescription =
          isSQLite ? .sqlite(at: place) : .lmdb(at: place)
        try description.setOption(
          .boolean(true), forKey: StoreOption.remoteChangeNotification)
        let store = try coordinator.addPersistentStore(with: description)
        let attached = try #require(coordinator.attachedStore(for: store))
        weak let watch = attached.watch
        #expect(watch != nil)
        #if os(Linux)
        #expect(FolderWatches.current.counts(of: folder.path).watchers == 1)
        #endif
        try coordinator.remove(store)
        #expect(attached.watch == nil)
        #if os(Linux)
        for _ in 0..<2_000 where watch != nil { Thread.sleep(forTimeInterval: 0.005) }
        #expect(watch == nil)
        #expect(FolderWatches.current.counts(of: folder.path).watchers == 0)
        #endif
      }
    }
  }
}

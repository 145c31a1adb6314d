// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

@Suite("Writers in memory that are cancelled") struct CancellationTests {
  @Test("who waits for another writer ends, writes nothing, and holds nobody up (F20)")
  func waiting() throws {
    let tables = MemoryTables()
    let engine = MemoryEngine(tables: tables)
    let isWriting = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? engine.write { _, batch in
        isWriting.signal()
        release.wait()
        batch.setBlob([1], named: "first")
      }
    }
    isWriting.wait()
    let cancellation = RequestCancellation()
    Thread.detachNewThread {
      usleep(10_000)
      cancellation.cancel()
    }
    #expect(throws: PersistenceError(.userCancelled, "")) {
      try engine.write(cancellation) { _, batch in batch.setBlob([2], named: "second") }
    }
    release.signal()
    try engine.write { _, batch in batch.setBlob([3], named: "third") }
    let blobs = try engine.reading { snapshot in
      try ["first", "second", "third"].map { try snapshot.blob(named: $0) }
    }
    #expect(blobs == [[1], nil, [3]])
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostStore
import Synchronization
import Testing

/// Tests that a long-running reader does not pin pages of the file: it copies the rows, and its transaction ends.
@Suite struct LongReaderTests {
  @Test("a file does not grow while others read it without a pause and it is rewritten (hazard 8)")
  func rewriting() throws {
    let depot = try Depot()
    let (store, model) = (depot.store, depot.model)
    let size = 256 << 10
    var row = try depot.insert(["large"], payload: size)[0]
    let before = try length(of: depot)
    let isOver = Mutex(false)
    let wrong = Mutex<[String]>([])
    let readers = DispatchGroup()
    for _ in 0..<4 {
      readers.enter()
      Thread.detachNewThread {
        // The reader keeps the rows while the record is rewritten.
        var held: [Row] = []
        while !isOver.withLock({ $0 }) {
          guard case .rows(let rows)? = try? store.fetch(model.request()).content, rows.count == 1
          else {
            wrong.withLock { $0.append("a fetch") }
            break
          }
          held = held.suffix(3) + rows
          for row in held {
            let payload = row.data(model.slot("payload"))
            let isWhole = payload.count == size && Set(payload).count == 1
            if !isWhole { wrong.withLock { $0.append("version \(row.version)") } }
          }
        }
        readers.leave()
      }
    }
    for number in 0..<200 {
      let next = row.copy(version: row.version + 1)
      next.setData(
        Data(repeating: UInt8(truncatingIfNeeded: number), count: size), at: model.slot("payload"))
      let update = RowUpdate(
        row: next, baseVersion: row.version, changedSlots: [model.slot("payload").index])
      guard case .committed = try store.commit(StoreChangeSet(updated: [update])) else {
        Issue.record("The record was changed by nobody else.")
        break
      }
      row = next
    }
    isOver.withLock { $0 = true }
    readers.wait()
    #expect(wrong.withLock { $0 } == [])
    // 50 MB were written. Each of the four readers may have had an open transaction at any time.
    #expect(try length(of: depot) <= before + 16 * size)
  }

  private func length(of depot: Depot) throws -> Int {
    var status = stat()
    guard stat(depot.path, &status) == 0 else { return 0 }
    // The allocated blocks, because the file is sparse.
    return Int(status.st_blocks) * 512
  }
}

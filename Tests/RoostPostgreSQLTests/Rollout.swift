// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import TestWaiting

/// Programs of two versions that save people while the store is expanded and contracted. The old version calls them by
/// `name`, the new one by `title`.
final class Rollout: Sendable {
  private let description: PersistentStoreDescription
  private let old: TestModel
  private let new: TestModel
  private let state = Mutex(State())

  private struct State {
    var isExpanded = false
    var isOver = false
    var saveCount = 0
    var failures: [String] = []
  }

  init(_ description: PersistentStoreDescription, from old: TestModel, to new: TestModel) {
    self.description = description
    self.old = old
    self.new = new
  }

  /// The number of saved people.
  var saveCount: Int { state.withLock { $0.saveCount } }

  /// Runs two programs of each version, and the release.
  ///
  /// - Returns: The errors.
  func run() -> [String] {
    // Explicit threads, because each waits for others.
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<5 {
      Thread.detachNewThread { [self] in
        do {
          try number == 4 ? release() : save(number, isNew: number % 2 == 1)
        } catch {
          state.withLock { state in
            state.failures.append("\(number): \(error)")
            state.isExpanded = true
            state.isOver = true
          }
        }
        ended.signal()
      }
    }
    for _ in 0..<5 { ended.wait() }
    return state.withLock { $0.failures }
  }

  /// Saves until the store is contracted; a program of the old version ends some time after it was expanded.
  private func save(_ number: Int, isNew: Bool) throws {
    try waitUntil(!isNew || state.withLock { $0.isExpanded })
    let release = try Release(isNew ? new : old, description)
    let key = isNew ? "title" : "name"
    var round = 0
    while state.withLock({ !$0.isOver && (isNew || round < 60 || !$0.isExpanded) }) {
      round += 1
      let name = "\(isNew ? "new" : "old") \(number).\(round)"
      try release.insert("Person", isNew ? [key: name, "age": 1] : [key: name, "code": name])
      try release.change("Person", key, name) {
        try $0.setValue(isNew ? 2 : nil, forKey: "age")
      }
      state.withLock { $0.saveCount += 1 }
    }
    try release.close()
  }

  private func release() throws {
    Thread.sleep(forTimeInterval: 0.05)
    _ = try Release(new, description, .expand)
    state.withLock { $0.isExpanded = true }
    while true {
      do {
        _ = try Release(new, description, .contract)
        return state.withLock { $0.isOver = true }
      } catch let error as PersistenceError where error.code == .storeBusy {
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }
}

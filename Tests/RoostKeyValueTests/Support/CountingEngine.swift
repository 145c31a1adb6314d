// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostStore
import Synchronization

/// An engine that counts the writes of a migration, in front of another engine.
final class CountingEngine: ForwardingEngine {
  let base: any KeyValueEngine
  private let counted = Mutex((records: 0, entries: 0))

  init(_ base: any KeyValueEngine) {
    self.base = base
  }

  var records: Int { counted.withLock { $0.records } }
  var entries: Int { counted.withLock { $0.entries } }

  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    try base.write(cancellation) { snapshot, batch in
      try body(snapshot, &batch)
      counted.withLock { counted in
        counted.records += batch.records.reduce(0) { $0 + $1.changes.count }
        counted.entries += batch.entries.reduce(0) { $0 + $1.changes.count }
      }
    }
  }
}

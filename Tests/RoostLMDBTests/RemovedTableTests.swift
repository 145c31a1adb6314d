// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests of files from which another program has removed tables.
@Suite struct RemovedTableTests {
  @Test("a table that others removed is missed, and named (B14)")
  func removed() throws {
    let depot = try Depot()
    try depot.insert(["a", "b"])
    depot.store.close()
    let whole = try Data(contentsOf: URL(filePath: depot.path))
    let names = RawEnvironment(path: depot.path).names().filter { $0 != "blobs" }
    #expect(names.contains("records.1"))
    #expect(names.contains { $0.hasPrefix("entries.") })
    for name in names {
      try whole.write(to: URL(filePath: depot.path))
      RawEnvironment(path: depot.path).write(name) { transaction, handle in
        precondition(mdb_drop(transaction, handle, 1) == 0)
      }
      for isReadOnly in [false, true] {
        let error = #expect(throws: PersistenceError.self, "\(name)") {
          _ = try depot.second { $0.isReadOnly = isReadOnly }
        }
        #expect(error?.code == .persistentStoreIncompatibleSchema)
        #expect(error?.message.contains(name) == true)
      }
    }
    try whole.write(to: URL(filePath: depot.path))
    try depot.reopen()
    #expect(try depot.names() == ["a", "b"])
  }
}

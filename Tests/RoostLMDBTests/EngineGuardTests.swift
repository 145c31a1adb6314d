// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Testing

@testable import RoostKeyValue
@testable import RoostLMDB

/// Tests of the operations that an engine refuses for every caller, and of the data that it removes.
@Suite struct EngineGuardTests {
  private func engine(_ store: any PersistentStore) throws -> any KeyValueEngine {
    try #require(store as? KeyValueStore).engine
  }

  @Test("an engine that is read-only writes nothing, and says so (B240)")
  func readOnly() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    let engine = try engine(depot.second { $0.isReadOnly = true })
    try engine.write(nil) { _, _ in }
    let code = errorCode {
      try engine.write(nil) { _, batch in batch.setBlob([1], named: "intruder") }
    }
    #expect(code == .readOnlyStore)
  }

  @Test("an engine that is closed is not written, also while another one has the file open (B239)")
  func closed() throws {
    let depot = try Depot()
    let engine = try engine(depot.second())
    engine.close()
    let code = errorCode {
      try engine.write(nil) { _, batch in batch.setBlob([1], named: "intruder") }
    }
    #expect(code == .storeRemoved)
    #expect(errorCode { try engine.read { _ in } } == .storeRemoved)
    try depot.insert(["a"])
    #expect(try depot.names() == ["a"])
  }

  @Test("the entries of an index that the model no longer has are removed (B12)")
  func emptied() throws {
    let depot = try Depot()
    try depot.insert(["a", "b", "c"])
    let store = try #require(depot.store as? KeyValueStore)
    let index = try #require(store.preparedSchema().indexes.first { $0.name.hasSuffix("by-note") })
    func count() throws -> Int {
      var count = 0
      try store.engine.read { snapshot in
        try snapshot.scanKeys(of: index.table, in: .all, descending: false) { part in
          count += part.count
          return true
        }
      }
      return count
    }
    #expect(try count() == 3)
    let smaller = try DepotModel(indexed: ["number"])
    try store.prepare(
      StoreSchema(
        identity: store.identity, model: smaller.model, entities: smaller.model.entities,
        linkTables: smaller.model.linkTables, codes: DepotModel.codes), metadata: store.metadata)
    #expect(try count() == 0)
  }

  @Test("a format that another store of the file has added is not added again (B14)")
  func formats() throws {
    let depot = try Depot()
    // This store is opened before there is any record, and has read no format.
    let second = try depot.second()
    try depot.insert(["a"])
    func formats() throws -> [UInt8]? {
      var bytes: [UInt8]?
      try engine(depot.store).read { bytes = try $0.blob(named: RecordFormats.blobName) }
      return bytes
    }
    let before = try #require(try formats())
    let row = try depot.rows(["b"])[0]
    guard case .committed = try second.commit(StoreChangeSet(inserted: [row])) else {
      Issue.record("The save was refused.")
      return
    }
    #expect(try formats() == before)
    #expect(try depot.names().sorted() == ["a", "b"])
    second.close()
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

extension Walker {
  /// Checks the invariants that hold after every step.
  func checkAlways() throws {
    context.processPendingChanges()
    let inserted = context.insertedObjects
    let deleted = context.deletedObjects
    try expect(inserted.isDisjoint(with: deleted), "no object is inserted and deleted (I6)")
    try expect(
      inserted.isDisjoint(with: context.updatedObjects), "no object is inserted and updated (B61)")
    let below = self.below
    let new = current.records.keys.filter { below.records[$0] == nil }
    try expectEqual(inserted.count, new.count, "the number of inserted objects")
    let gone = below.records.keys.filter { current.records[$0] == nil }
    try expectEqual(deleted.count, gone.count, "the number of deleted objects")
    let isChanged = !current.isSame(as: below)
    if isChanged { try expect(context.hasChanges, "the context has changes") }
    let ids = context.registeredObjects.map(\.objectID)
    try expectEqual(Set(ids).count, ids.count, "the number of registered IDs (I3)")
  }

  /// Compares every object of the context with its expected state (I2, I4).
  func compareGraph() throws {
    try compare(current) { try object($0) }
  }

  private func compare(
    _ state: OracleState, _ find: (Int) throws -> ManagedObject
  ) throws {
    for serial in state.all {
      guard let record = state.records[serial] else { continue }
      let object = try find(serial)
      try expectEqual(object.entity.name, record.entity, "the entity of \(serial) (B301)")
      let keys = GardenModel.keys(of: record.entity) + version.lateKeys(of: record.entity)
      for key in keys + ["serial"] {
        try expectExact(
          try object.get(version.name(of: key)), record.value(key), "\(key) of \(serial) (I2)")
      }
      for (key, _) in OracleState.toOneKeys(of: record.entity) {
        let wanted = state.toOne(key, of: serial)
        // A deleted anchor is not accessed, which would mark it as deleted (B43).
        if key == "anchor", let wanted, state.records[wanted] == nil { continue }
        let found = try object.one(key).map(self.serial)
        try expectEqual(found, wanted, "\(key) of \(serial) (I4)")
      }
      for (key, _) in OracleState.toManyKeys(of: record.entity) {
        let found = try object.many(key).map(self.serial)
        try expectEqual(
          OracleState.isOrdered(key) ? found : found.sorted(), state.toMany(key, of: serial),
          "\(key) of \(serial) (I4)")
      }
    }
  }

  /// Compares the store with its expected content, through a new context (I5, I10, I12).
  func compareStore() throws {
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    var found: [Int: ManagedObject] = [:]
    for entity in ["Node", "Group", "Tag"] {
      for object in try fresh.fetch(FetchRequest<ManagedObject>(entityName: entity)) {
        found[try serial(of: object)] = object
      }
    }
    try expectEqual(found.keys.sorted(), stored.all, "the records in the store (I12)")
    try compare(stored) { try require(found[$0]) }
    let serials = stored.all
    let rows = try stack.coordinator.rows(
      for: try serials.map { try require(ids[$0]) }, stalenessInterval: 0)
    for (serial, row) in zip(serials, rows) {
      let version = try require(row, "the row of \(serial)").version
      if let wanted = versions[serial] {
        try expectEqual(version, wanted, "the version of \(serial) (I10)")
      }
      if let former = versions.takeFormer(serial) {
        try expect(version > former, "\(serial) comes back in a version that it never had (I10)")
      }
      versions[serial] = version
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@Suite("Description of a store")
struct StoreDescriptionTests {
  private struct NoDriver: PersistentStoreDriver {
    private var refusal: PersistenceError { PersistenceError(.persistentStoreOpen, "No.") }

    func open(_: PersistentStoreDescription) throws -> any PersistentStore { throw refusal }
    func metadata(of _: PersistentStoreDescription) throws -> StoreMetadata? { nil }
    func setMetadata(_: StoreMetadata, of _: PersistentStoreDescription) throws { throw refusal }
    func destroy(_: PersistentStoreDescription) throws { throw refusal }
    func replace(_: PersistentStoreDescription, with _: PersistentStoreDescription) throws {
      throw refusal
    }
  }

  private let type = PersistentStoreType(rawValue: "None", driver: NoDriver())

  @Test("the defaults are Core Data's: migrate, infer, synchronous, writable (B331)")
  func defaults() {
    let description = PersistentStoreDescription(type: type)
    #expect(description.shouldMigrateStoreAutomatically)
    #expect(description.shouldInferMappingModelAutomatically)
    #expect(!description.shouldAddStoreAsynchronously)
    #expect(!description.isReadOnly)
    #expect(!description.ignoresModelVersions)
    #expect(description.configuration == nil)
  }

  @Test("an option sets its property, nil takes the default back (B236, B247, B253)")
  func options() throws {
    var description = PersistentStoreDescription(type: type)
    try description.setOption(.boolean(true), forKey: StoreOption.readOnly)
    try description.setOption(.integer(0), forKey: StoreOption.migrateAutomatically)
    try description.setOption(.boolean(false), forKey: StoreOption.inferMappingModel)
    try description.setOption(.integer(1), forKey: StoreOption.ignoreVersioning)
    try description.setOption(.double(1.5), forKey: StoreOption.timeout)
    #expect(description.isReadOnly)
    #expect(!description.shouldMigrateStoreAutomatically)
    #expect(!description.shouldInferMappingModelAutomatically)
    #expect(description.ignoresModelVersions)
    #expect(description.timeout == 1.5)
    #expect(description.options.isEmpty)
    for key in [
      StoreOption.readOnly, StoreOption.migrateAutomatically, StoreOption.inferMappingModel,
      StoreOption.ignoreVersioning, StoreOption.timeout,
    ] {
      try description.setOption(nil, forKey: key)
    }
    #expect(!description.isReadOnly)
    #expect(description.shouldMigrateStoreAutomatically)
    #expect(description.timeout == 30)
  }

  @Test("an option of another type is refused, and nothing changes")
  func wrongTypes() {
    var description = PersistentStoreDescription(type: type)
    let wrong: [(String, MetadataValue)] = [
      (StoreOption.readOnly, .string("yes")), (StoreOption.readOnly, .integer(2)),
      (StoreOption.timeout, .boolean(true)), (StoreOption.timeout, .integer(-1)),
      (StoreOption.timeout, .double(.nan)),
    ]
    for (key, value) in wrong {
      #expect(throws: PersistenceError(.invalidValue, "")) {
        try description.setOption(value, forKey: key)
      }
    }
    #expect(!description.isReadOnly)
    #expect(description.timeout == 30)
  }

  @Test("what no property stands for is kept for the backend")
  func ownOptions() throws {
    var description = PersistentStoreDescription(type: type)
    try description.setOption(.string("a"), forKey: "own")
    #expect(description.options == ["own": .string("a")])
    try description.setOption(nil, forKey: "own")
    #expect(description.options.isEmpty)
  }

  @Test("pragmas are set and taken back one by one")
  func pragmas() {
    var description = PersistentStoreDescription(type: type)
    description.setValue("4000", forPragmaNamed: "cache_size")
    description.setValue("MEMORY", forPragmaNamed: "temp_store")
    #expect(description.sqlitePragmas == ["cache_size": "4000", "temp_store": "MEMORY"])
    description.setValue(nil, forPragmaNamed: "cache_size")
    #expect(description.sqlitePragmas == ["temp_store": "MEMORY"])
    description.setValue(nil, forPragmaNamed: "temp_store")
    #expect(description.options.isEmpty)
  }

  @Test("types with one name are one type (B242)")
  func types() {
    #expect(type == PersistentStoreType(rawValue: "None", driver: NoDriver()))
    #expect(type != PersistentStoreType(rawValue: "Some", driver: NoDriver()))
    #expect(Set([type, type]).count == 1)
  }
}

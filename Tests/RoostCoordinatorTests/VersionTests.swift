// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostCoordinator

@Suite("Versions and entity codes")
struct VersionTests {
  let driver = MinimalDriver()

  private func stack(hashModifier: String? = nil, extra: [String] = []) throws -> Stack {
    try Stack(company: Company(hashModifier: hashModifier, extraEntities: extra), driver: driver)
  }

  private func create() throws {
    let stack = try stack()
    try stack.coordinator.remove(stack.addStore("a"))
  }

  @Test("a store that the same model wrote opens again (B246)")
  func sameModel() throws {
    try create()
    try stack().addStore("a")
  }

  @Test("any difference of an entity's hash is 134100, and the store is untouched (B246)")
  func otherModel() throws {
    try create()
    let before = driver.media.withLock { $0[Stack.url("a").path] }?.content.withLock { $0.metadata }
    do {
      try stack(hashModifier: "2").addStore("a")
      Issue.record("The store was added.")
    } catch let error as PersistenceError {
      #expect(error.code.rawValue == 134100)
      #expect(error.message.contains("Person"))
      #expect(!error.message.contains("Department"))
    }
    let after = driver.media.withLock { $0[Stack.url("a").path] }?.content.withLock { $0.metadata }
    #expect(before == after)
  }

  @Test("an entity more or less is a difference too (B246)")
  func otherEntities() throws {
    try create()
    #expect(
      errorCode { try stack(extra: ["More"]).addStore("a") }
        == .persistentStoreIncompatibleVersionHash)
  }

  @Test("only the entities of the store's configuration are compared (B246, B251)")
  func configurationOnly() throws {
    let first = try stack()
    try first.coordinator.remove(first.addStore("notes", configuration: "NotesOnly"))
    try stack(hashModifier: "2").addStore("notes", configuration: "NotesOnly")
  }

  @Test("the option skips the comparison, and the metadata is updated all the same (B247)")
  func ignoredVersions() throws {
    try create()
    let other = try stack(hashModifier: "2")
    let store = try other.addStore("a", options: [StoreOption.ignoreVersioning: .boolean(true)])
    #expect(
      store.metadata.entityVersionHashes
        == other.company.model.entityVersionHashes(forConfigurationName: nil))
    try other.coordinator.remove(store)
    try stack(hashModifier: "2").addStore("a")
  }

  @Test("version identifiers never matter (B250)")
  func versionIdentifiers() throws {
    try create()
    let company = try Company()
    company.model.versionIdentifiers = ["2.0", "beta"]
    let store = try Stack(company: company, driver: driver).addStore("a")
    #expect(store.metadata.versionIdentifiers == ["2.0", "beta"])
  }

  @Test("metadata has type, UUID, hashes, checksum and codes (B244)")
  func metadataContent() throws {
    let stack = try stack()
    let metadata = try stack.addStore("a", configuration: "Notes").metadata
    #expect(metadata.storeType == "Minimal")
    #expect(UUID(uuidString: metadata.identifier) != nil)
    #expect(Set(metadata.entityVersionHashes.keys) == ["Note", "Tag"])
    #expect(
      metadata.versionChecksum
        == ManagedObjectModel.versionChecksum(of: metadata.entityVersionHashes))
    #expect(metadata.entityCodes == ["Note": 1, "Tag": 2])
  }

  @Test("an entity keeps its code for ever; that of a removed entity stays taken")
  func codesStay() throws {
    let first = try stack(extra: ["Zebra"])
    try first.coordinator.remove(first.addStore("a"))
    let second = try stack(extra: ["Alpha"])
    let store = try second.addStore("a", options: [StoreOption.ignoreVersioning: .boolean(true)])
    let codes = store.metadata.entityCodes
    #expect(codes["Zebra"] == 6)
    #expect(codes["Alpha"] == 7)
    #expect(codes["Note"] == 3)
  }

  @Test("a new entity's code is larger than all that were ever given")
  func codesGrow() throws {
    #expect(try EntityCodes.assign(known: ["A": 2], names: ["A", "B"]) == ["A": 2, "B": 3])
    #expect(
      errorCode { _ = try EntityCodes.assign(known: ["Old": 4095], names: ["B"]) }
        == .limitExceeded)
  }

  @Test("the code of a removed entity stays taken when another one is renamed to its name")
  func codesStayTaken() throws {
    let renamed = try EntityCodes.assign(
      known: ["X": 1, "Y": 5], names: ["Y"], renamed: [(old: "X", new: "Y")])
    #expect(renamed["Y"] == 1)
    let added = try EntityCodes.assign(known: renamed, names: ["Y", "Z"])
    #expect(added["Z"] == 6)
  }

  @Test("more entities than codes are refused")
  func tooManyEntities() throws {
    let names = (1...4095).map { "E\($0)" }
    #expect(try EntityCodes.assign(known: [:], names: names).count == 4095)
    #expect(
      errorCode { _ = try EntityCodes.assign(known: ["Old": 1], names: names) } == .limitExceeded)
  }

  @Test(
    "codes that are impossible make a store corrupt, not a trap",
    arguments: [["A": 0], ["A": -1], ["A": 4096], ["A": Int.max], ["A": 3, "B": 3]])
  func corruptCodes(_ codes: [String: Int]) throws {
    #expect(errorCode { _ = try EntityCodes.assign(known: codes, names: ["C"]) } == .corruptStore)
    let stack = try stack()
    let medium = MinimalMedium(type: "Minimal")
    medium.content.withLock { $0.metadata.entityCodes = codes }
    driver.media.withLock { $0[Stack.url("a").path] = medium }
    #expect(errorCode { try stack.addStore("a") } == .corruptStore)
    #expect(stack.coordinator.persistentStores.isEmpty)
  }
}

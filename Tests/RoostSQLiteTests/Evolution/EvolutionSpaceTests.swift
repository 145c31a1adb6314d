// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestEvolution
import Testing

/// Tests of migrations of a file that is too large for the free disk space.
@Suite("The room for evolutions of SQLite stores") struct EvolutionSpaceTests {
  private static func version(isOptional: Bool) throws -> TestModel {
    try TestModel(
      .init(
        "Person", .attribute("name", .string, isOptional: isOptional, value: isOptional ? nil : "n")
      ))
  }

  /// Extends a file to two thirds of the free disk space: it is sparse, so it uses none of it.
  private func pad(_ file: EvolvingFile) throws {
    _ = try file.bytes()
    let folder = file.url.deletingLastPathComponent().path
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder)
    let free = try #require(attributes[.systemFreeSize] as? NSNumber).uint64Value
    let size = try #require(RawDatabase(file.url).text("PRAGMA page_size").flatMap(UInt64.init))
    let pages = UInt32(clamping: free / size / 3 * 2)
    let handle = try FileHandle(forUpdating: file.url)
    try handle.truncate(atOffset: UInt64(pages) * size)
    // The header has the number of pages.
    try handle.seek(toOffset: 28)
    try handle.write(contentsOf: withUnsafeBytes(of: pages.bigEndian) { Data($0) })
    try handle.close()
  }

  @Test("a value that no record needs asks for no room (M9)")
  func withoutRecords() throws {
    let before = try Self.version(isOptional: true)
    let file = try EvolvingFile(before)
    try pad(file)
    let store = try file.second(before)
    #expect(try store.evolve(to: Self.version(isOptional: false)))
    store.store.close()
  }

  @Test("values that records need are refused where there is no room for them (M9)")
  func withRecords() throws {
    let before = try Self.version(isOptional: true)
    let file = try EvolvingFile(before)
    try file.evolving.insert("Person", 1)
    try pad(file)
    let store = try file.second(before)
    #expect(throws: PersistenceError(.storeFull, "")) {
      try store.evolve(to: Self.version(isOptional: false))
    }
    store.store.close()
  }
}

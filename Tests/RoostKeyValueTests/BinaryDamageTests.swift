// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostInMemory
@testable import RoostKeyValue

/// Tests of damaged binary store files: the result is an error, and never a crash or wrong records.
@Suite struct BinaryDamageTests {
  let file: BinaryFixture
  let bytes: [UInt8]

  init() throws {
    let file = try BinaryFixture()
    self.file = file
    let store = try file.open()
    let tags = (1...20).map { file.tag(Int64($0), "label \($0)") }
    _ = try store.commit(StoreChangeSet(inserted: tags))
    store.close()
    bytes = [UInt8](try Data(contentsOf: file.url))
  }

  private func code(of bytes: [UInt8]) throws -> PersistenceError.Code? {
    try Data(bytes).write(to: file.url)
    do {
      let store = try file.open()
      defer { store.close() }
      _ = try file.labels(store)
      return nil
    } catch let error as PersistenceError {
      return error.code
    }
  }

  @Test("a file that was cut off anywhere is damaged")
  func truncation() throws {
    for count in stride(from: 1, to: bytes.count, by: max(1, bytes.count / 200)) {
      #expect(try code(of: Array(bytes.prefix(count))) == .corruptStore, "\(count) bytes")
    }
    #expect(try code(of: bytes + [0]) == .corruptStore)
    #expect(try code(of: bytes) == nil)
  }

  @Test("a file in which a byte was changed is told as what it is")
  func changedBytes() throws {
    for place in Array(0..<40) + Array(stride(from: 40, to: bytes.count, by: 37)) {
      var damaged = bytes
      damaged[place] ^= 0x41
      let expected: PersistenceError.Code =
        switch place {
        case 0..<16: .persistentStoreTypeMismatch
        case 16..<20: .persistentStoreOpen
        default: .corruptStore
        }
      #expect(try code(of: damaged) == expected, "byte \(place)")
    }
  }

  @Test("a file of a later version is refused and stays as it is")
  func laterVersion() throws {
    var later = bytes
    later[16] = 3
    #expect(try code(of: later) == .persistentStoreOpen)
    #expect(try Data(contentsOf: file.url) == Data(later))
  }

  @Test("damage that has a right checksum is an error too, or other values, and never a crash")
  func forged() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<400 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 40..<damaged.count, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      let sum = damaged[40...].withUnsafeBytes { Checksum.sum($0, seed: 1) }
      withUnsafeBytes(of: sum.littleEndian) { damaged.replaceSubrange(32..<40, with: $0) }
      _ = try code(of: damaged)
    }
  }
}

/// A folder with a binary store.
final class BinaryFixture {
  let company: Company
  let driver = PersistentStoreType.binary.driver
  let folder: URL
  let url: URL
  let location: BinaryLocation
  var description: PersistentStoreDescription { .binary(at: url) }

  init() throws {
    company = try Company()
    folder = FileManager.default.temporaryDirectory.appending(path: "binary-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "store.binary")
    location = try BinaryLocation(url)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func open(_ description: PersistentStoreDescription? = nil) throws -> any PersistentStore {
    let store = try driver.open(description ?? self.description)
    do {
      let schema = StoreSchema(
        identity: store.identity, model: company.model, entities: company.schema.entities,
        linkTables: company.model.linkTables,
        codes: ["Person": 1, "Employee": 2, "Department": 3, "Tag": 4])
      try store.prepare(schema, metadata: store.metadata)
      return store
    } catch {
      store.close()
      throw error
    }
  }

  func tag(_ sequence: Int64, _ label: String) -> Row {
    let row = Row(layout: company.tag.layout, key: company.key(sequence, company.tag), version: 1)
    row.setString(label, at: company.slot("label", of: company.tag))
    return row
  }

  func labels(_ store: any PersistentStore) throws -> [String] {
    guard case .rows(let rows) = try store.fetch(company.fetch(of: company.tag)).content else {
      Issue.record("The answer has another form.")
      return []
    }
    return rows.map { $0.string(company.slot("label", of: company.tag)) }
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@testable import RoostLMDB

/// Tests of files with damaged pages: opening and using them returns rows or a typed error, and never crashes the
/// process, as LMDB alone would. A failing test crashes the whole run.
@Suite struct StructureTests {
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Returns a closed store with several levels of pages, overflow pages and free pages.
  private func makeFile() throws -> (Depot, [UInt8]) {
    let depot = try Depot()
    for round in 0..<6 {
      let rows = try depot.insert((0..<150).map { "thing \(round) \($0)" }, payload: 60)
      try depot.insert((0..<2).map { "long \(round) \($0)" }, payload: 9_000)
      guard round % 2 == 1 else { continue }
      let gone = rows.prefix(100).map { RowVersion(key: $0.key, version: 1) }
      _ = try depot.store.commit(StoreChangeSet(deleted: gone))
    }
    depot.store.close()
    return (depot, Array(try Data(contentsOf: URL(filePath: depot.path))))
  }

  /// Opens a file and makes all kinds of requests; returns the codes of the errors.
  private func use(_ depot: Depot, _ bytes: [UInt8]) throws -> Set<PersistenceError.Code> {
    try Data(bytes).write(to: URL(filePath: depot.path))
    unlink(depot.path + "-lock")
    var codes: Set<PersistenceError.Code> = []
    func attempt(_ body: () throws -> Void) {
      if let code = errorCode(body) { codes.insert(code) }
    }
    attempt {
      let store = try depot.second()
      defer { store.close() }
      attempt { _ = try depot.names(in: store) }
      attempt {
        _ = try depot.rows(depot.model.request("name", .greaterThan, .string("l")), in: store)
      }
      attempt {
        _ = try depot.rows(depot.model.request("number", .lessThan, .integer(400)), in: store)
      }
      for round in 0..<3 {
        attempt {
          let sequences = try store.reserveSequences(40)
          let rows = sequences.map { sequence in
            let row = Row(
              layout: depot.model.thing.layout,
              key: RecordKey.make(sequence: sequence, entityCode: 1), version: 1)
            row.setString("more \(round) \(sequence)", at: depot.model.slot("name"))
            row.setData(Data(count: 5_000), at: depot.model.slot("payload"))
            return row
          }
          _ = try store.commit(StoreChangeSet(inserted: rows))
        }
      }
    }
    return codes
  }

  /// Ways to damage a file.
  enum Damage: String, CaseIterable, Sendable {
    case bit, byte, header, zeroedPage, swappedPages, copiedPage, overwrittenPage, meta

    func apply(_ bytes: inout [UInt8], page: Int, _ random: inout SeededNumbers) {
      let pageCount = bytes.count / page
      func somePage() -> Int { Int.random(in: 2..<pageCount, using: &random) * page }
      let first = somePage()
      let second = somePage()
      switch self {
      case .bit:
        let bit = Int.random(in: 0..<8, using: &random)
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8(bit)
      case .byte:
        for _ in 0..<20 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
            in: 0...255, using: &random)
        }
      case .header:
        let offset = first + Int.random(in: 0..<40, using: &random)
        bytes[offset] = .random(in: 0...255, using: &random)
      case .zeroedPage: for index in first..<first + page { bytes[index] = 0 }
      case .swappedPages: for index in 0..<page { bytes.swapAt(first + index, second + index) }
      case .copiedPage: for index in 0..<page { bytes[first + index] = bytes[second + index] }
      case .overwrittenPage:
        for index in first..<first + page { bytes[index] = .random(in: 0...255, using: &random) }
      case .meta:
        let offset = Int.random(in: 0..<2, using: &random) * page
        bytes[offset + .random(in: 0..<152, using: &random)] = .random(in: 0...255, using: &random)
      }
    }
  }

  @Test(
    "no damaged page ends the process: what is read is right or a typed error (reliability 3.11)",
    arguments: Damage.allCases)
  func damaged(_ damage: Damage) throws {
    let (depot, original) = try makeFile()
    #expect(try use(depot, original) == [])
    // The bytes after the last used page are reserved for later pages.
    let used = original.lastIndex { $0 != 0 }.map { ($0 / Self.page + 1) * Self.page } ?? 0
    var found = 0
    let environment = ProcessInfo.processInfo.environment
    let count = environment["ROOST_DAMAGED_FILES"].flatMap { Int($0) } ?? 40
    for seed in 0..<count {
      var random = SeededNumbers(UInt64(seed) &* 977 &+ UInt64(damage.rawValue.utf8.count))
      var bytes = Array(original.prefix(used))
      damage.apply(&bytes, page: Self.page, &random)
      let codes = try use(depot, bytes)
      if !codes.isEmpty { found += 1 }
      #expect(
        codes.isSubset(of: [
          .corruptStore, .persistentStoreTypeMismatch, .persistentStoreOpen, .storeFull,
          .persistentStoreOperation, .persistentStoreIncompatibleSchema,
        ]), "\(damage) \(seed): \(codes)")
    }
    if [.zeroedPage, .swappedPages, .copiedPage, .overwrittenPage].contains(damage) {
      #expect(found > count / 2, "only \(found) of \(count) were found")
    }
  }

  @Test("only as much is checked as is asked for, and an option that says nothing is refused")
  func budget() throws {
    let (depot, original) = try makeFile()
    depot.description.options[LMDBOption.checkedSize] = .integer(0)
    #expect(try use(depot, original) == [])
    for size in [1, 8_192, 65_536, Int64.max] {
      depot.description.options[LMDBOption.checkedSize] = .integer(size)
      #expect(try use(depot, original) == [], "\(size)")
    }
    for option in [MetadataValue.integer(-1), .string("all")] {
      depot.description.options[LMDBOption.checkedSize] = option
      #expect(try use(depot, original) == [.persistentStoreOpen])
    }
  }

  @Test("a file that cannot be looked at or read now is neither damaged nor missing (F23)")
  func unreadable() throws {
    let folder = open("/", O_RDONLY)
    defer { close(folder) }
    for (descriptor, code) in [(-1, EBADF), (folder, EISDIR)] {
      let error = #expect(throws: LMDBError.self) { try LMDBHeader(of: descriptor, size: 8_192) }
      #expect(error?.code == code)
      let told = error?.persistenceError(store: nil).code
      #expect(told != .corruptStore && told != .persistentStoreTypeMismatch)
    }
    let long = URL(filePath: "/" + String(repeating: "x", count: 5_000))
    #expect(throws: LMDBError.self) { try LMDBLocation(long).status() }
    #expect(try LMDBLocation(URL(filePath: "/there/is/none")).status() == nil)
  }
}

/// A generator of random numbers that are the same for a seed everywhere: SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

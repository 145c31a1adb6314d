// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostQuery
import RoostSQL
import RoostStore
import Synchronization
import Testing

@testable import RoostPostgreSQL

/// An entity with an attribute of each type.
@Entity final class Sample: ManagedObject {
  var number: Int = 0
  var count: Int?
  var size: Double?
  var isFound: Bool?
  var date: Date?
  var name: String?
  var bytes: Data?
  var mark: UUID?
  var price: Decimal?
  var page: URL?
}

@Suite("What is copied out", .enabled(if: Servers.isThere))
struct CopiedFetchTests {
  /// Returns a store with enough records for COPY; every third has values, every third has empty ones, and the rest
  /// has none.
  private static func filled(
    _ count: Int = 5000
  ) throws -> (PersistentStoreCoordinator, any PersistentStore) {
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(Sample.self))
    let store = try coordinator.addPersistentStore(with: Servers.description())
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    for number in 0..<count {
      let sample = Sample(context: context)
      sample.number = number
      guard number % 3 < 2 else { continue }
      let isEmpty = number % 3 == 1
      sample.count = isEmpty ? 0 : -number
      sample.size = isEmpty ? 0 : Double(number) / 7
      sample.isFound = isEmpty ? false : true
      sample.date = Date(timeIntervalSinceReferenceDate: isEmpty ? 0 : Double(number) * 1000.5)
      sample.name = isEmpty ? "" : "Überlänge, die nicht in fünfzehn Bytes passt \(number)"
      sample.bytes = isEmpty ? Data() : Data([0, 255, UInt8(number & 127)])
      sample.mark = UUID()
      sample.price = isEmpty ? 0 : Decimal(number) / 8
      sample.page = URL(string: "https://example.org/\(number)")
    }
    try context.save()
    return (coordinator, store)
  }

  /// Returns the statements sent to the server during a body.
  private func statements(
    of store: any PersistentStore, during body: () throws -> Void
  ) rethrows -> [String] {
    let texts = Mutex<[String]>([])
    store.description.log?.listen { line in texts.withLock { $0.append(line.text) } }
    defer { store.description.log?.listen(nil) }
    try body()
    return texts.withLock { $0 }
  }

  /// Returns a request for all samples, as rows or keys.
  private func request(
    _ store: any PersistentStore, _ result: ResolvedFetch.Result = .rows
  ) throws -> ResolvedFetch {
    let postgres = try #require(store as? PostgreSQLStore)
    let entity = try #require(
      try postgres.prepared().mapping.store.entities.first { $0.name == "Sample" })
    return ResolvedFetch(entity: entity, entities: [entity], result: result)
  }

  private func isCopy(_ text: String) -> Bool { text.hasPrefix("COPY (SELECT") }

  @Test(
    "a request that finds many records copies them out, with the values that they have one by one")
  func values() throws {
    let (coordinator, store) = try Self.filled()
    var content = StoreFetchResult.Content.count(0)
    var sent = try statements(of: store) { content = try store.fetch(request(store)).content }
    #expect(sent.filter(isCopy).isEmpty)
    sent = try statements(of: store) { content = try store.fetch(request(store)).content }
    #expect(sent.count == 1)
    #expect(sent.filter(isCopy).count == 1)
    guard case .rows(let rows) = content else {
      Issue.record("no rows")
      return
    }
    #expect(rows.count == 5000)
    for start in stride(from: 0, to: rows.count, by: 500) {
      let part = rows[start..<(start + 500)]
      let single = try store.rows(forKeys: part.map(\.key))
      let byKey = Dictionary(uniqueKeysWithValues: single.map { ($0.key, $0) })
      for row in part {
        let other = try #require(byKey[row.key])
        #expect(other.version == row.version)
        #expect(row.changedSlots(from: other).isEmpty)
      }
    }
    try coordinator.remove(store)
  }

  @Test(
    "keys of many records are copied out, too, and handed on one by one to whoever asks for that")
  func keys() throws {
    let (coordinator, store) = try Self.filled()
    let request = try request(store, .keys)
    _ = try store.fetch(request)
    var content = StoreFetchResult.Content.count(0)
    let sent = try statements(of: store) { content = try store.fetch(request).content }
    #expect(sent.filter(isCopy).count == 1)
    guard case .keys(let keys) = content else {
      Issue.record("no keys")
      return
    }
    #expect(Set(keys).count == 5000)
    let collector = KeyCollector()
    guard
      case .keys(let rest) = try store.fetch(
        request, in: FetchContext(keyCollector: collector)
      ).content
    else {
      Issue.record("no keys")
      return
    }
    #expect(rest.isEmpty)
    #expect(collector.keys.count == 5000)
    try coordinator.remove(store)
  }

  @Test(
    "a request is copied out as long as it finds many records; with a limit, or few records, it is not"
  )
  func choice() throws {
    let (coordinator, store) = try Self.filled()
    var limited = try request(store)
    limited.limit = 10
    _ = try store.fetch(limited)
    #expect(try !statements(of: store) { _ = try store.fetch(limited) }.contains(where: isCopy))
    let all = try request(store)
    _ = try store.fetch(all)
    #expect(try statements(of: store) { _ = try store.fetch(all) }.contains(where: isCopy))
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    for sample in try context.fetch(Sample.where { $0.number >= 20 }) { context.delete(sample) }
    try context.save()
    // This fetch learns that there are few records.
    _ = try store.fetch(all)
    #expect(try !statements(of: store) { _ = try store.fetch(all) }.contains(where: isCopy))
    guard case .rows(let rows) = try store.fetch(all).content else {
      Issue.record("no rows")
      return
    }
    #expect(rows.count == 20)
    try coordinator.remove(store)
  }

  @Test(
    "a column that has become one of another type is an error, and nothing is read as what it is not"
  )
  func otherType() throws {
    let (coordinator, store) = try Self.filled()
    let all = try request(store)
    // The second fetch uses COPY.
    for _ in 0..<2 { _ = try store.fetch(all) }
    let schema = try #require(store.url?.query()?.split(separator: "=").last)
    let table = "\"\(schema)\".\"Sample\""
    let session = try RawSession(try #require(Servers.uri))
    try session.run(["ALTER TABLE \(table) ALTER COLUMN number TYPE double precision"])
    #expect(throws: PersistenceError(.corruptStore, "")) { _ = try store.fetch(all) }
    try session.run(["ALTER TABLE \(table) ALTER COLUMN number TYPE bigint"])
    guard case .rows(let rows) = try store.fetch(all).content else {
      Issue.record("no rows")
      return
    }
    #expect(rows.count == 5000)
    try coordinator.remove(store)
  }

  /// Runs a body after a number of records.
  private struct Interruption: RecordTaker {
    let body: () throws -> Void
    var count = 0

    init(_ body: @escaping () throws -> Void) { self.body = body }

    mutating func take(_ fields: some RecordFields) throws {
      count += 1
      if count == 10 { try body() }
    }
  }

  @Test("nobody changes a table while its records are copied out, and afterwards anybody does")
  func lock() throws {
    let (coordinator, store) = try Self.filled()
    let postgres = try #require(store as? PostgreSQLStore)
    let session = try RawSession(try #require(Servers.uri))
    let schema = try #require(store.url?.query()?.split(separator: "=").last)
    let table = "\"\(schema)\".\"Sample\""
    let change = "ALTER TABLE \(table) ALTER COLUMN number TYPE double precision"
    try session.run(["SET lock_timeout = '100ms'"])
    try postgres.withConnection { connection in
      var interruption = Interruption {
        #expect(throws: RawSession.RawError.self) { try session.run([change]) }
      }
      let query = "SELECT number FROM \(table)"
      try connection.copyRecords(
        of: query, like: PostgreSQLCommand(query), types: [.integer], shown: query,
        into: &interruption)
      #expect(interruption.count == 5000)
      #expect(!connection.isInTransaction)
      // A refusal leaves no open transaction either.
      #expect(throws: PersistenceError(.corruptStore, "")) {
        try connection.copyRecords(
          of: query, like: PostgreSQLCommand(query), types: [.text], shown: query,
          into: &interruption)
      }
      #expect(!connection.isInTransaction)
    }
    try session.run([change, "ALTER TABLE \(table) ALTER COLUMN number TYPE bigint"])
    try coordinator.remove(store)
  }

  @Test("a connection that is lost amid a copy is an error, and not the end of the records")
  func lost() throws {
    let (coordinator, store) = try Self.filled()
    let postgres = try #require(store as? PostgreSQLStore)
    let session = try RawSession(try #require(Servers.uri))
    try postgres.withConnection { connection in
      let process = try connection.run(.once("SELECT pg_backend_pid()::bigint")).integer()
      var killer = Interruption {
        try session.run(["SELECT pg_terminate_backend(\(process), 10000)"])
      }
      // More data than the connection's buffers can hold.
      let query = "SELECT repeat('x', 1000) FROM generate_series(1, 100000)"
      #expect(throws: PostgreSQLError.self) {
        try connection.copyRecords(
          of: query, like: PostgreSQLCommand(query), types: [.text], shown: query, into: &killer)
      }
      #expect(connection.isBroken)
    }
    guard case .rows(let rows) = try store.fetch(request(store)).content else {
      Issue.record("no rows")
      return
    }
    #expect(rows.count == 5000)
    try coordinator.remove(store)
  }
}

@Suite("The format of copies")
struct CopiedRecordsTests {
  private func read(_ message: [UInt8], _ records: inout CopiedRecords) throws -> [[UInt8]?]? {
    try message.withUnsafeBytes { bytes in
      try records.fields(in: bytes).map { fields in
        [0, 1].map { fields.bytes($0).map(Array.init) }
      }
    }
  }

  private let record: [UInt8] = [0, 2, 0, 0, 0, 1, 7, 0, 0, 0, 0]
  private let end: [UInt8] = [0xFF, 0xFF]

  @Test("the beginning comes with the first record or alone; fields may be null or empty")
  func fields() throws {
    for isAlone in [false, true] {
      var records = CopiedRecords(columns: 2)
      if isAlone {
        #expect(try read(CopiedRecords.beginning, &records) == nil)
        #expect(try read(record, &records) == [[7], []])
      } else {
        #expect(try read(CopiedRecords.beginning + record, &records) == [[7], []])
      }
      #expect(
        try read([0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 8, 9], &records) == [nil, [8, 9]])
      var hasEnded = records.hasEnded
      #expect(!hasEnded)
      #expect(try read(end, &records) == nil)
      hasEnded = records.hasEnded
      #expect(hasEnded)
      #expect(throws: PersistenceError(.corruptStore, "")) { _ = try read(record, &records) }
    }
  }

  @Test(
    "what is no record of so many fields is an error",
    arguments: [
      [], [0], [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0], [0, 2, 0, 0, 0],
      [0, 2, 0, 0, 0, 9, 1, 2], [0, 2, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 0],
      [0, 2, 0x7F, 0xFF, 0xFF, 0xFF, 1], [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 5],
    ] as [[UInt8]])
  func damaged(_ message: [UInt8]) throws {
    var records = CopiedRecords(columns: 2)
    _ = try read(CopiedRecords.beginning, &records)
    #expect(throws: PersistenceError(.corruptStore, "")) { _ = try read(message, &records) }
    var other = CopiedRecords(columns: 2)
    #expect(throws: PersistenceError(.corruptStore, "")) { _ = try read(record, &other) }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostPostgreSQL

/// Saves of a store with derived attributes take turns.
@Suite("Turns of saves", .enabled(if: Servers.isThere))
struct TurnTests {
  @Test("a lock that a connection cannot give up goes with the connection")
  func lostUnlock() throws {
    let pool = ConnectionPool(
      try PostgreSQLURI.settings(try #require(Servers.uri)), timeout: 30, limit: 1,
      isReadOnly: false)
    let name = UUID().uuidString
    let lock = "SELECT pg_advisory_lock(hashtextextended('\(name)', 0))"
    try pool.withConnection { connection in
      try connection.run(.once(lock))
      // A transaction that has failed refuses every statement.
      _ = try connection.run([.begin, .once("SELECT 1 / 0")])
      DerivationTurn.unlock(name, connection)
    }
    let other = try RawSession(try #require(Servers.uri))
    try other.run(["SET statement_timeout = '60s'", lock])
    pool.close()
  }

  @Test(
    "a save that is cut off while it waits for its turn is done once (B308)",
    .enabled(if: Servers.canBeStarted))
  func cutOff() throws {
    let server = try #require(Servers.network)
    let wire = try Wire(to: server.port)
    let upper = DerivedAttributeDescription(name: "upper", type: .string)
    upper.derivationExpression = UnparsedExpression("uppercase:(name)")
    let entity = EntityDescription(name: "Word")
    entity.declaredProperties = [AttributeDescription(name: "name", type: .string), upper]
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(entities: [entity]))
    let store = try coordinator.addPersistentStore(
      with: Servers.networkDescription(port: wire.port, password: server.password))
    let cuts = Mutex(0)
    wire.setJudge { bytes in
      guard bytes.has("pg_advisory_lock(hashtextextended") else { return .forward }
      return cuts.withLock { count in
        count += 1
        return count == 1 ? .cut : .forward
      }
    }
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    try ManagedObject(entity: entity, insertInto: context).setValue("one", forKey: "name")
    try context.save()
    #expect(cuts.withLock { $0 } == 2)
    context.reset()
    let words = try context.fetch(FetchRequest<ManagedObject>(entityName: "Word"))
    #expect(try words.map { try $0.value(forKey: "upper") as? String } == ["ONE"])
    try coordinator.remove(store)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import Testing

@testable import RoostPostgreSQL

/// Tests of saves of a store with derived attributes, which are serialized.
@Suite("Turns of saves", .enabled(if: Servers.isThere))
struct TurnTests {
  @Test("the turn of a save ends with its transaction, also one that failed (B366)")
  func end() throws {
    let pool = ConnectionPool(
      try PostgreSQLURI.settings(try #require(Servers.uri)), timeout: 30, limit: 1,
      isReadOnly: false)
    let name = UUID().uuidString
    try pool.withConnection { connection in
      _ = try connection.run([.begin, DerivationTurn.lock(name), .once("SELECT 1 / 0")])
      #expect(connection.isInTransaction)
    }
    let other = try RawSession(try #require(Servers.uri))
    let attempt = "SELECT pg_try_advisory_lock(hashtextextended('\(name)', 0))"
    #expect(try other.rows(attempt) == ["t"])
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
      guard bytes.has("hashtextextended($1, 0)") else { return .forward }
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

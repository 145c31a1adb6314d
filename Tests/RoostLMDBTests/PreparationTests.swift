// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostLMDB

/// Tests of two-phase commit in LMDB stores.
@Suite struct PreparationTests {
  @Test(
    "a file gets another format with its first part, so that older code refuses it (X7, X11)",
    arguments: [LMDBDurability.powerLoss, .processDeathButMayLoseLastSaveOnPowerLoss])
  func format(durability: LMDBDurability) throws {
    let depot = try Depot { description in
      guard let url = description.url else { return }
      description = .lmdb(at: url, durability: durability)
    }
    func format() throws -> StoreFormat? {
      depot.store.close()
      var format: StoreFormat?
      RawEnvironment(path: depot.path).write(TableDirectory.blobsName) { transaction, table in
        let bytes = try? BlobTable.read(StoreFormat.blobName, from: table, transaction)
        format = bytes.flatMap { try? StoreFormat($0) }
      }
      try depot.reopen()
      return format
    }
    try depot.insert(["one"])
    #expect(try format() == .current)
    let ticket = SaveTicket(
      coordinator: UUID(), decider: .init(identifier: "D", name: "db"),
      participants: [depot.store.identity.identifier], startedAt: 1)
    let rows = try depot.rows(["two"])
    _ = try #require(depot.store.preparation)
      .prepare(StoreChangeSet(inserted: rows), for: ticket)
    #expect(try format() == .newest)
    #expect(try depot.store.preparation?.pending().map(\.ticket) == [ticket])
    _ = try depot.store.preparation?.finish(ticket.id, committing: true)
    #expect(try format() == .newest)
    #expect(try Set(depot.names()) == ["one", "two"])
  }
}

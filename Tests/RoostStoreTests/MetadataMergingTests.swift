// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostStore

@Suite("Metadata that several programs write") struct MetadataMergingTests {
  private static func move(_ identifier: String) -> StoreSuccession {
    StoreSuccession(identifier: identifier, codes: [:], offset: 0, largest: nil)
  }

  private let known: StoreMetadata = {
    var metadata = StoreMetadata(storeType: "SQLite")
    metadata.versionIdentifiers = ["1"]
    metadata.predecessors = [Self.move("a"), Self.move("b")]
    return metadata
  }()

  @Test("moves and identifiers that another program has written stay (B244, M34)")
  func others() {
    var stored = known
    stored.versionIdentifiers = ["1", "2"]
    stored.predecessors = [Self.move("b"), Self.move("c")]
    stored.successor = Self.move("next")
    let merged = known.keepingOthers(in: stored, since: known)
    #expect(merged == stored)
  }

  @Test("what a program changes is changed in what another one has written (B244, M34)")
  func own() {
    var stored = known
    stored.versionIdentifiers = ["1", "2"]
    stored.predecessors = [Self.move("a"), Self.move("b"), Self.move("c")]
    stored.successor = Self.move("other")
    var wanted = known
    wanted.versionIdentifiers = ["3"]
    wanted.predecessors = [Self.move("b"), Self.move("d")]
    wanted.successor = Self.move("next")
    let merged = wanted.keepingOthers(in: stored, since: known)
    #expect(merged.versionIdentifiers == ["2", "3"])
    #expect(merged.predecessors == [Self.move("b"), Self.move("c"), Self.move("d")])
    #expect(merged.successor == Self.move("next"))
  }

  @Test("the end of a move is written although another program has moved nothing (M34)")
  func ended() {
    var moving = known
    moving.successor = Self.move("next")
    let merged = known.keepingOthers(in: moving, since: moving)
    #expect(merged.successor == nil)
  }

  @Test("saves that several programs have ended by hand are all recorded, the last 64 of them (X6)")
  func endedByHand() throws {
    func save(_ number: Int, isCommitted: Bool = true) -> SaveEndedByHand {
      let id = SaveID(UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
      let ticket = SaveTicket(
        id: id, coordinator: UUID(), decider: .init(identifier: "D", name: "decider"),
        participants: [], startedAt: 5)
      return SaveEndedByHand(
        of: PreparedPart(ticket: ticket, keys: [1, 2]), isCommitted: isCommitted,
        endedAt: Date(timeIntervalSinceReferenceDate: 7))
    }
    var (stored, wanted) = (known, known)
    stored.note(save(1))
    wanted.note(save(2))
    #expect(wanted.keepingOthers(in: stored, since: known).savesEndedByHand == [save(1), save(2)])
    #expect(known.keepingOthers(in: stored, since: known).savesEndedByHand == [save(1)])
    #expect(try StoreMetadata(json: stored.json()) == stored)
    #expect(stored.isSame(as: known) && known.savesEndedByHand.isEmpty)
    for number in 2...66 { stored.note(save(number)) }
    stored.note(save(66, isCommitted: false))
    #expect(stored.savesEndedByHand.map(\.id) == (3...66).map { save($0).id })
    #expect(stored.savesEndedByHand.last == save(66, isCommitted: false))
  }
}

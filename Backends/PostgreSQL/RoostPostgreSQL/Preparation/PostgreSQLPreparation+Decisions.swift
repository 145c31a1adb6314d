// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Decisions of a store, and the coordinators that may decide.
extension PostgreSQLPreparation {
  package func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome {
    switch try decide(changes, with: [], for: save, forgetting: acknowledged) {
    case .committed(let receipts): .committed(receipts[0])
    case .conflicted(_, let conflicts): .conflicted(conflicts)
    case .refused: .refused
    }
  }

  package func decide(
    _ changes: StoreChangeSet, with companions: [JointPart], for save: SaveTicket,
    forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> JointOutcome {
    let others = try companions.map { part in
      guard let preparation = part.preparation as? PostgreSQLPreparation else {
        throw PersistenceError(
          .invalidRequest,
          "A part of another kind of store is not written by a server's transaction.")
      }
      return preparation.store
    }
    return try translating {
      let decision = RememberedDecision(ticket: save, unacknowledged: save.participants)
      let ending = SaveEnding(
        beginning: [try namespace.beginningToDecide(save)],
        decision: [try namespace.deciding(decision)] + (try namespace.forgetting(acknowledged)))
      let parts = try zip(others, companions).map { try CompanionSave($1.changes, to: $0) }
      do {
        return try noticingPreparedParts(changes, parts[...]) {
          switch try SaveWriter(changes, to: store, ending: ending, companions: parts).run() {
          case .conflicted(let part, let conflicts): return .conflicted(part: part, conflicts)
          case .written(let recomputed):
            store.noteCommit(of: changes)
            for part in parts { part.store.noteCommit(of: part.changes) }
            let rows = recomputed.isEmpty ? [[]] : recomputed
            return .committed(rows.map { CommitReceipt(recomputed: $0) })
          }
        }
      } catch is DecisionRefused {
        return .refused
      }
    }
  }

  /// Runs a save over several stores; in any of them, prepared parts may have blocked it.
  private func noticingPreparedParts<Result>(
    _ changes: StoreChangeSet, _ companions: ArraySlice<CompanionSave>, _ body: () throws -> Result
  ) throws -> Result {
    guard let next = companions.first else {
      return try store.noticingPreparedParts(changes, body)
    }
    return try noticingPreparedParts(changes, companions.dropFirst()) {
      try next.store.noticingPreparedParts(next.changes, body)
    }
  }

  /// Identifies stores that one transaction can write, being of the same server, database and user: system identifier,
  /// database OID, user, and the server's start time, since a server may be a copy of another one. A session of its
  /// own is queried once: it stays with its server.
  package func transactionDomain() throws -> String? {
    try translating {
      try store.withReading { connection in
        if let known = connection.transactionDomain { return known }
        let domain = try connection.run(
          .once(
            """
            SELECT CAST((SELECT system_identifier FROM pg_catalog.pg_control_system()) AS text) \
            || '/' || (SELECT oid FROM pg_catalog.pg_database \
            WHERE datname = pg_catalog.current_database()) || '/' || current_user \
            || '/' || pg_catalog.date_part('epoch', pg_catalog.pg_postmaster_start_time())
            """)
        ).text()
        if connection.keepsStatements { connection.transactionDomain = domain }
        return domain
      }
    }
  }

  package func decision(
    on save: SaveTicket, for participant: String, aborting: Bool
  ) throws -> Decision {
    try translating {
      try unlessMissing(.forgotten) {
        let known = try decision(on: save, participant)
        guard known == .none || known == .forgotten, aborting, !store.isReadOnly else {
          return known
        }
        let (hasEnded, isDecided) = try end(save)
        guard !isDecided else { return .committed }
        let ended = try decision(on: save, participant)
        // The coordinator could have decided until now, and had not: that is known even of a save without
        // participants, which leaves no record.
        return known == .none && hasEnded && ended == .forgotten ? .aborted : ended
      }
    }
  }

  /// Removes the registration of a save's coordinator, and reads the decision before it may be forgotten: a save that
  /// is being decided locks the coordinator's row, so this waits for it.
  ///
  /// - Returns: Whether the coordinator was registered until now, and whether it has decided.
  private func end(_ save: SaveTicket) throws -> (hasEnded: Bool, isDecided: Bool) {
    let results = try store.withConnection {
      try $0.runWriting(try namespace.ending(save.coordinator, readingDecisionOn: save.id))
    }
    return (results[0].affected > 0, results[1].count > 0)
  }

  private func decision(on save: SaveTicket, _ participant: String) throws -> Decision {
    try store.withReading { connection in
      let results = try connection.runOnSnapshot([
        try namespace.readingDecision(save.id),
        try namespace.readingCoordinator(of: save, participant: participant),
      ])
      if results[0].count > 0 { return .committed }
      let known = results[1]
      return save.decision(
        acknowledged: known.isTrue(0, 1) ? known.double(0, 2) : nil,
        isRegistered: known.isTrue(0, 0))
    }
  }

  package func decisions() throws -> [RememberedDecision] {
    try translating {
      try unlessMissing([]) {
        let result = try store.withReading { try $0.run(namespace.readingDecisions) }
        var decisions: [RememberedDecision] = []
        for row in 0..<result.count {
          let decision = try RememberedDecision(bytes: result.data(row, 0))
          if decisions.last?.ticket != decision.ticket {
            decisions.append(RememberedDecision(ticket: decision.ticket, unacknowledged: []))
          }
          guard let participant = result.text(row, 1) else { continue }
          decisions[decisions.count - 1].unacknowledged.append(participant)
        }
        return decisions
      }
    }
  }

  package func forget(_ acknowledged: [SaveAcknowledgement]) throws {
    guard !acknowledged.isEmpty else { return }
    try translating {
      try unlessMissing(()) {
        _ = try store.withConnection { try $0.runWriting(try namespace.forgetting(acknowledged)) }
      }
    }
  }

  // MARK: - Coordinators

  package func register(_ coordinator: UUID) throws {
    try translating {
      try makeTables()
      _ = try store.withConnection { try $0.runWriting(try namespace.registering(coordinator)) }
    }
  }

  package func unregister(_ coordinator: UUID) throws {
    try translating {
      try unlessMissing(()) {
        _ = try store.withConnection {
          try $0.runWriting(try namespace.unregistering(coordinator))
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Moments of a walk, and what the store held then: what the history tells since one of them must lead to what the
/// store holds now (H8).
struct WalkMoments {
  private struct Moment {
    var token: PersistentHistoryToken
    var stored: OracleState
    /// The records by their IDs as URIs, which outlive a coordinator.
    var serials: [URL: Int]
  }

  /// How many moments are kept.
  private static let limit = 12

  private var moments: [Moment] = []

  /// Remembers what the store holds.
  mutating func remember(
    _ token: PersistentHistoryToken, _ stored: OracleState, _ ids: [Int: ObjectID]
  ) {
    if moments.last?.token == token { return }
    if moments.count == Self.limit { moments.remove(at: 1) }
    moments.append(
      Moment(token: token, stored: stored, serials: Self.serials(of: stored, ids)))
  }

  mutating func removeAll() {
    moments = []
  }

  private static func serials(of stored: OracleState, _ ids: [Int: ObjectID]) -> [URL: Int] {
    var result: [URL: Int] = [:]
    for serial in stored.all {
      if let id = ids[serial] { result[id.uriRepresentation()] = serial }
    }
    return result
  }

  /// Reads the history since one of the moments, and takes its changes in their order.
  ///
  /// - Parameter choice: Chooses the moment.
  func check(_ choice: Int, stored: OracleState, ids: [Int: ObjectID], in stack: ConformanceStack)
    throws
  {
    guard !moments.isEmpty else { return }
    let moment = moments[choice % moments.count]
    let request = PersistentHistoryChangeRequest.fetchHistory(after: moment.token)
    let result = try stack.context.execute(request).result
    var alive = Set(moment.serials.keys)
    var touched: Set<URL> = []
    for transaction in result as? [PersistentHistoryTransaction] ?? [] {
      for change in transaction.changes ?? [] {
        let uri = change.changedObjectID.uriRepresentation()
        switch change.changeType {
        case .insert: try expect(alive.insert(uri).inserted, "\(uri) is not inserted twice (H3)")
        case .delete: try expect(alive.remove(uri) != nil, "\(uri) is there to be deleted (H3)")
        case .update: try expect(alive.contains(uri), "\(uri) is there to be changed (H3)")
        }
        touched.insert(uri)
      }
    }
    let now = Self.serials(of: stored, ids)
    try expectEqual(
      alive.map(\.absoluteString).sorted(), now.keys.map(\.absoluteString).sorted(),
      "the records that the history leads to (H8)")
    for (uri, serial) in now where moment.stored.records[serial] != stored.records[serial] {
      try expect(touched.contains(uri), "the change of \(serial) is in the history (H2)")
    }
  }
}

extension Walker {
  /// Compares what the history tells with what the walk has done.
  func checkHistory(after step: WalkStep) throws {
    guard keepsHistory else { return }
    // Names of properties and entities are others in another version.
    if step.kind == .migrate { moments.removeAll() }
    guard frames.isEmpty else { return }
    let coordinator = stack.coordinator
    let token = try require(
      try coordinator.currentPersistentHistoryToken(fromStores: nil), "the current token")
    if stepCount % 5 == 0 {
      try moments.check(step.first &+ stepCount, stored: stored, ids: ids, in: stack)
    }
    moments.remember(token, stored, ids)
  }
}

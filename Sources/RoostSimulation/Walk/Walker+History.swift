// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// States of a walk with their history tokens: the history after a token must lead from its state to the current
/// content of the store, and be what the steps since then were seen to have added (H8).
struct WalkMoments {
  private struct Moment {
    var token: PersistentHistoryToken
    var stored: OracleState
    /// The records by the URIs of their IDs, which outlive a coordinator.
    var serials: [URL: Int]
    /// The length of the log.
    var logged: Int
  }

  /// The most states that are kept.
  private static let limit = 16

  private var moments: [Moment] = []
  /// The changes that each step has made, compared with those of the walk when it was taken: the walk's own log.
  private var log: [LoggedChange] = []

  /// Records the content of the store with its token.
  ///
  /// - Parameter choice: Chooses the state that is forgotten when there are too many: never the first.
  mutating func remember(
    _ token: PersistentHistoryToken, _ stored: OracleState, _ ids: [Int: ObjectID], _ choice: Int
  ) {
    if moments.last?.token == token { return }
    if moments.count == Self.limit { moments.remove(at: 1 + choice % (Self.limit - 1)) }
    moments.append(
      Moment(
        token: token, stored: stored, serials: Self.serials(of: stored, ids), logged: log.count))
  }

  mutating func removeAll() {
    (moments, log) = ([], [])
  }

  private static func serials(of stored: OracleState, _ ids: [Int: ObjectID]) -> [URL: Int] {
    var result: [URL: Int] = [:]
    for serial in stored.all {
      if let id = ids[serial] { result[id.uriRepresentation()] = serial }
    }
    return result
  }

  /// Compares the history since the last token, which is that before a step, with the changes of the step: the same
  /// records were inserted, deleted and updated, and the same properties of the updated ones.
  ///
  /// - Parameter step: The changes of the step to the store.
  /// - Returns: Whether the history has grown.
  mutating func check(
    _ step: StepLog, ids: [Int: ObjectID], in stack: ConformanceStack
  ) throws -> Bool {
    guard let moment = moments.last else { return false }
    let transactions = try stack.transactions(after: moment.token)
    var told: [URL: ToldChange] = [:]
    for change in transactions.flatMap({ $0.changes ?? [] }) {
      told[change.changedObjectID.uriRepresentation(), default: ToldChange()].add(change)
    }
    let (old, new) = (moment.stored, step.stored)
    let now = Self.serials(of: new, ids)
    func expect(_ kind: PersistentHistoryChangeType, _ wanted: [URL: Int], _ what: String) throws {
      try expectEqual(
        told.filter { $0.value.kind == kind }.keys.map(\.absoluteString).sorted(),
        wanted.keys.map(\.absoluteString).sorted(), "what the history says was \(what) (H2)")
    }
    try expect(.insert, now.filter { moment.serials[$0.key] == nil }, "inserted")
    try expect(.delete, moment.serials.filter { now[$0.key] == nil }, "deleted")
    for (uri, serial) in now where moment.serials[uri] != nil {
      let change = told[uri] ?? ToldChange()
      // It went and came back, as another one.
      guard !change.isReborn else { continue }
      let attributes = new.changedAttributes(of: serial, since: old).map(step.version.name)
      // A save that writes only one store is not in the history of the store at the other end of a relationship.
      let relationships =
        step.isAcrossStores ? [] : new.changedRelationships(of: serial, since: old)
      let missing = relationships.union(attributes).subtracting(change.properties)
      try RoostConformanceKit.expect(
        missing.isEmpty, "\(missing) of \(serial) is named as changed (H2)")
      guard transactions.count == 1, step.isExact else { continue }
      let named = change.properties.filter {
        stack.isAttribute($0, of: new.records[serial]?.entity)
      }
      try expectEqual(
        named.sorted(), attributes.sorted(), "the attributes of \(serial) that were changed (H2)")
    }
    log += LoggedChange.all(in: transactions)
    return !transactions.isEmpty
  }

  /// Reads the history since one of the states, compares it with the log, and applies its changes in order.
  ///
  /// - Parameter choice: Chooses the state.
  func check(_ choice: Int, stored: OracleState, ids: [Int: ObjectID], in stack: ConformanceStack)
    throws
  {
    guard !moments.isEmpty else { return }
    let moment = moments[choice % moments.count]
    let transactions = try stack.transactions(after: moment.token)
    try expectEqual(
      LoggedChange.all(in: transactions), Array(log[moment.logged...]),
      "the changes since an earlier token (H8)")
    var alive = Set(moment.serials.keys)
    var touched: Set<URL> = []
    for transaction in transactions {
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

/// The effect of a step on the store.
struct StepLog {
  /// The content of the store after the step.
  var stored: OracleState
  /// The version of the model.
  var version: GardenVersion
  /// Whether it writes only values that differ.
  var isExact: Bool
  /// Whether records lie in two stores.
  var isAcrossStores: Bool
}

/// A change as it is compared with the log.
private struct LoggedChange: Equatable {
  let store: String
  let author: String?
  let kind: PersistentHistoryChangeType
  let object: URL
  let properties: [String]
  let tombstone: [String: Value]?

  static func all(in transactions: [PersistentHistoryTransaction]) -> [LoggedChange] {
    transactions.flatMap { transaction in
      (transaction.changes ?? []).map { change in
        LoggedChange(
          store: transaction.storeID, author: transaction.author, kind: change.changeType,
          object: change.changedObjectID.uriRepresentation(),
          properties: (change.updatedProperties ?? []).map(\.name).sorted(),
          tombstone: change.tombstone)
      }
    }
  }
}

/// The combined change of a record by several transactions.
private struct ToldChange {
  var kind: PersistentHistoryChangeType?
  var properties: Set<String> = []
  var isReborn = false

  mutating func add(_ change: PersistentHistoryChange) {
    properties.formUnion((change.updatedProperties ?? []).map(\.name))
    switch (kind, change.changeType) {
    case (.insert, .update): break
    case (.insert, .delete): kind = nil
    case (.delete, .insert): (kind, isReborn) = (.update, true)
    case (_, let next): kind = next
    }
  }
}

extension OracleState {
  /// The attributes of a record that have other values than they had.
  fileprivate func changedAttributes(of serial: Int, since old: OracleState) -> [String] {
    let (mine, theirs) = (records[serial]?.values ?? [:], old.records[serial]?.values ?? [:])
    return Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }
  }

  /// The relationships of a record that lead elsewhere among the records that were there before and are there now.
  fileprivate func changedRelationships(of serial: Int, since old: OracleState) -> Set<String> {
    guard let entity = records[serial]?.entity else { return [] }
    func stays(_ serial: Int) -> Bool { records[serial] != nil && old.records[serial] != nil }
    var names: Set<String> = []
    for (key, _) in OracleState.toOneKeys(of: entity) {
      let (mine, theirs) = (toOne(key, of: serial), old.toOne(key, of: serial))
      if mine != theirs, (mine.map(stays) ?? true) && (theirs.map(stays) ?? true) {
        names.insert(key)
      }
    }
    for (key, _) in OracleState.toManyKeys(of: entity) {
      let (mine, theirs) = (toMany(key, of: serial), old.toMany(key, of: serial))
      if mine.filter(stays) != theirs.filter(stays) { names.insert(key) }
    }
    return names
  }
}

extension ConformanceStack {
  fileprivate func transactions(
    after token: PersistentHistoryToken
  ) throws -> [PersistentHistoryTransaction] {
    let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
    return try context.execute(request).result as? [PersistentHistoryTransaction] ?? []
  }

  /// Whether a property is an attribute.
  fileprivate func isAttribute(_ name: String, of entity: String?) -> Bool {
    model.entitiesByName[entity ?? ""]?.attributesByName[name] != nil
  }
}

extension Walker {
  /// Compares the history with the changes of the walk.
  func checkHistory(after step: WalkStep) throws {
    guard keepsHistory else { return }
    // Another version has other names of properties and entities.
    if step.kind == .migrate { moments.removeAll() }
    guard frames.isEmpty else { return }
    let coordinator = stack.coordinator
    let token = try require(
      try coordinator.currentPersistentHistoryToken(fromStores: nil), "the current token")
    let isExact = ![.updateInBatch, .policySave, .interfere].contains(step.kind)
    let hasGrown = try moments.check(
      StepLog(
        stored: stored, version: version, isExact: isExact, isAcrossStores: layout.isAcrossStores),
      ids: ids, in: stack)
    // From the numbers of the step, so that a walk can be repeated.
    let choices = [step.first &+ stepCount, step.second &+ stepCount &* 7, step.third]
    if hasGrown || stepCount % 5 == 0 {
      for choice in choices.prefix(hasGrown ? 3 : 1) {
        try moments.check(choice, stored: stored, ids: ids, in: stack)
      }
    }
    moments.remember(token, stored, ids, step.second &+ stepCount)
  }
}

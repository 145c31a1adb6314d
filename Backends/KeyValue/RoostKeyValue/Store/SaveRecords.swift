// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The records of saves across stores (two-phase commit) in one store. Each list is a blob that exists only when it
/// is not empty: the store's own prepared parts, its decisions for other stores, the coordinators that may decide
/// here, and the time up to which each participant has acknowledged decisions (X11).
package struct SaveRecords: Equatable {
  var parts: [PreparedPart] = []
  var decisions: [RememberedDecision] = []
  /// The registration time of each coordinator; a negative number is the time of its deregistration.
  var coordinators: [UUID: Double] = [:]
  var acknowledged: [String: Double] = [:]

  /// The lifetime of a registration that is not removed, in seconds; a coordinator that is still active registers
  /// again.
  private static let longestRegistration = 86_400.0
  private static let version: UInt8 = 1

  private enum Name {
    static let parts = "prepared"
    static let decisions = "decisions"
    static let coordinators = "coordinators"
    static let acknowledged = "acknowledged"
  }

  init(in snapshot: any KeyValueSnapshot) throws {
    parts = try Self.parts(in: snapshot)
    decisions = try Self.list(Name.decisions, in: snapshot).map {
      try RememberedDecision(bytes: $0)
    }
    for entry in try Self.list(Name.coordinators, in: snapshot) {
      guard let (id, time) = Self.uuidAndTime(entry) else { throw Self.damage }
      coordinators[id] = time
    }
    for entry in try Self.list(Name.acknowledged, in: snapshot) {
      guard let (bytes, time) = Self.bytesAndTime(entry),
        let participant = String(validating: bytes, as: UTF8.self)
      else { throw Self.damage }
      acknowledged[participant] = time
    }
  }

  /// Returns the parts, the oldest first; without parts it costs one lookup of a missing blob.
  static func parts(in snapshot: any KeyValueSnapshot) throws -> [PreparedPart] {
    try list(Name.parts, in: snapshot).map { try PreparedPart(bytes: $0) }
  }

  /// The names of the blobs that other stores rely on. The first one is there as long as there are parts.
  package static let partsName = Name.parts
  static let decisionsName = Name.decisions

  /// Where the bytes are that a part writes.
  static func changesName(of save: SaveID) -> String { "prepared.\(save)" }

  /// Adds the changed lists to a write batch.
  func write(over before: SaveRecords, to batch: inout WriteBatch) {
    if parts != before.parts { set(parts.map(\.bytes), Name.parts, &batch) }
    if decisions != before.decisions { set(decisions.map(\.bytes), Name.decisions, &batch) }
    if coordinators != before.coordinators {
      set(
        coordinators.map { entry in
          withUnsafeBytes(of: entry.key.uuid) { Array($0) } + Self.bytes(of: entry.value)
        }, Name.coordinators, &batch)
    }
    if acknowledged != before.acknowledged {
      set(
        acknowledged.map { Array($0.key.utf8) + Self.bytes(of: $0.value) }, Name.acknowledged,
        &batch)
    }
  }

  private func set(_ list: [[UInt8]], _ name: String, _ batch: inout WriteBatch) {
    let bytes = list.isEmpty ? nil : HistoryPacking.pack(version: Self.version, list)
    batch.setBlob(bytes, named: name)
  }

  private static func list(
    _ name: String, in snapshot: any KeyValueSnapshot
  ) throws -> [[UInt8]] {
    guard let bytes = try snapshot.blob(named: name) else { return [] }
    guard let list = HistoryPacking.unpack(bytes, version: version) else { throw damage }
    return list
  }

  private static var damage: PersistenceError {
    PersistenceError(
      .corruptStore, "The store's records of saves over several stores cannot be read.")
  }

  // MARK: - Entries

  private static func bytes(of time: Double) -> [UInt8] {
    withUnsafeBytes(of: time.bitPattern.littleEndian) { Array($0) }
  }

  private static func bytesAndTime(_ entry: [UInt8]) -> (ArraySlice<UInt8>, Double)? {
    guard entry.count >= 8 else { return nil }
    let pattern = entry.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (entry.dropLast(8), Double(bitPattern: pattern))
  }

  private static func uuidAndTime(_ entry: [UInt8]) -> (UUID, Double)? {
    guard let (bytes, time) = bytesAndTime(entry), bytes.count == 16 else { return nil }
    let id = Array(bytes).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    return (id, time)
  }
}

extension WriteBatch {
  /// Whether other stores are about to rely on the batch. It must then survive a power failure, whatever durability
  /// the store's other saves have.
  package var isReliedOn: Bool {
    blobs[SaveRecords.partsName] != nil || blobs[SaveRecords.decisionsName] != nil
  }
}

// MARK: - Decisions

extension SaveRecords {
  /// Returns the outcome of a save, as far as it is known here.
  func decision(on save: SaveTicket, for participant: String) -> Decision {
    if decisions.contains(where: { $0.ticket.id == save.id }) { return .committed }
    let isKnown = coordinators[save.coordinator] != nil
    let name = isKnown ? save.acknowledgementName(of: participant) : participant
    return save.decision(
      acknowledged: acknowledged[name], isRegistered: isRegistered(save.coordinator))
  }

  func isRegistered(_ coordinator: UUID) -> Bool { coordinators[coordinator] ?? -1 >= 0 }

  /// Records acknowledgements of participants; a decision that all of them have acknowledged is removed.
  mutating func forget(_ acknowledgements: [SaveAcknowledgement]) {
    for acknowledgement in acknowledgements {
      guard let place = decisions.firstIndex(where: { $0.ticket.id == acknowledgement.save })
      else { continue }
      let (ticket, participant) = (decisions[place].ticket, acknowledgement.participant)
      if ticket.participants.contains(participant) {
        for name in [participant, ticket.acknowledgementName(of: participant)] {
          acknowledged[name] = max(acknowledged[name] ?? 0, ticket.startedAt)
        }
      }
      decisions[place].unacknowledged.removeAll { $0 == participant }
      if decisions[place].unacknowledged.isEmpty { decisions.remove(at: place) }
    }
  }

  mutating func register(_ coordinator: UUID) {
    let now = Date.now.timeIntervalSinceReferenceDate
    for (old, time) in coordinators where abs(time) < now - Self.longestRegistration {
      remove(old)
    }
    coordinators[coordinator] = now
    forgetForeignDecisions()
  }

  mutating func unregister(_ coordinator: UUID) {
    remove(coordinator)
    forgetForeignDecisions()
  }

  /// Takes the registration of a coordinator away that may have left parts.
  mutating func end(_ coordinator: UUID) {
    guard isRegistered(coordinator) else { return }
    coordinators[coordinator] = -Date.now.timeIntervalSinceReferenceDate
    forgetForeignDecisions()
  }

  private mutating func remove(_ coordinator: UUID) {
    coordinators[coordinator] = nil
    let end = "/\(coordinator.uuidString)"
    acknowledged = acknowledged.filter { !$0.key.hasSuffix(end) }
  }

  /// Removes the decisions that only their coordinators would query, when these are deregistered.
  private mutating func forgetForeignDecisions() {
    decisions.removeAll {
      $0.unacknowledged.isEmpty && coordinators[$0.ticket.coordinator] ?? -1 < 0
    }
  }
}

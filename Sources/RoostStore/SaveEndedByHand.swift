// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A save over several stores whose outcome an operator has set by hand, as the metadata of a store record it.
///
/// ```swift
/// for save in try coordinator.metadata(for: store).savesEndedByHand {
///   print(save.id, save.isCommitted ? "kept" : "discarded", "on", save.endedAt)
/// }
/// ```
public struct SaveEndedByHand: Sendable, Hashable, Codable, Identifiable {
  /// The number of the save, which its transactions in the histories of other stores carry.
  public let id: UUID
  /// Whether the store has the save; otherwise its part was discarded.
  public let isCommitted: Bool
  /// The UUID of the store that was to decide.
  public let decider: String
  /// The name of that store.
  public let deciderName: String
  /// When the save began, according to the clock of the saving machine.
  public let since: Date
  /// When its outcome was set.
  public let endedAt: Date
  /// The number of records that the part writes, locks or links.
  public let recordCount: Int

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - part: The part that is ended.
  ///   - isCommitted: Whether the store has the save.
  ///   - endedAt: When the outcome was set.
  package init(of part: PreparedPart, isCommitted: Bool, endedAt: Date) {
    id = part.ticket.id.uuid
    self.isCommitted = isCommitted
    decider = part.ticket.decider.identifier
    deciderName = part.ticket.decider.name
    since = Date(timeIntervalSinceReferenceDate: part.ticket.startedAt)
    self.endedAt = endedAt
    recordCount = part.keys.count
  }
}

extension StoreMetadata {
  /// The maximum number of records; the oldest ones are removed first.
  private static let mostEndedSaves = 64

  /// The saves over several stores whose outcome was set by hand in this store, the oldest first. The last 64 are kept.
  public var savesEndedByHand: [SaveEndedByHand] { endedSaves ?? [] }

  /// Records that the outcome of a save was set by hand.
  package mutating func note(_ save: SaveEndedByHand) {
    let others = savesEndedByHand.filter { $0.id != save.id }
    endedSaves = Array((others + [save]).suffix(Self.mostEndedSaves))
  }
}

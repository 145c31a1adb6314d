// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The identifier of a save over several stores, shared by its prepared parts, its decision and its history
/// transactions. Each attempt at a save has a new one.
///
/// ```swift
/// for part in try store.preparation?.pending() ?? [] { print(part.ticket.id) }
/// ```
public struct SaveID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The UUID.
  public let uuid: UUID

  /// Makes an identifier from a UUID; a random one unless given.
  ///
  /// - Parameter uuid: The UUID.
  public init(_ uuid: UUID = UUID()) {
    self.uuid = uuid
  }

  /// The UUID as text.
  public var description: String { uuid.uuidString }

  /// An arbitrary order, the same in all processes.
  public static func < (left: SaveID, right: SaveID) -> Bool {
    left.uuid.uuidString < right.uuid.uuidString
  }
}

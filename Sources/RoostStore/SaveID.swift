// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Which save it is: one number for all that a save over several stores leaves in them, its prepared parts, the
/// decision on it and the transactions of their histories. No two attempts at a save have the same one.
///
/// ```swift
/// for part in try store.preparation?.pending() ?? [] { print(part.ticket.id) }
/// ```
public struct SaveID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number.
  public let uuid: UUID

  /// Draws a number, or takes one that was drawn.
  ///
  /// - Parameter uuid: The number.
  public init(_ uuid: UUID = UUID()) {
    self.uuid = uuid
  }

  /// The number as text.
  public var description: String { uuid.uuidString }

  /// An order without a meaning, the same in all processes.
  public static func < (left: SaveID, right: SaveID) -> Bool {
    left.uuid.uuidString < right.uuid.uuidString
  }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The recovery record that is kept with a prepared part: enough for any process to look up the decision, also when
/// the other stores are missing.
///
/// ```swift
/// let ticket = SaveTicket(
///   coordinator: coordinator, decider: .init(identifier: server.identifier, name: "db.example.org/app"),
///   participants: [file.identifier], startedAt: Date.now.timeIntervalSinceReferenceDate)
/// ```
public struct SaveTicket: Sendable, Hashable {
  /// The save.
  public let id: SaveID
  /// The registration of the saving coordinator. The decider refuses to decide for an unregistered one.
  public let coordinator: UUID
  /// The store whose commit is the commit of the save.
  public let decider: Place
  /// The identifiers of the stores with durable prepared parts: all except the decider and in-memory stores. The
  /// decision is remembered until each of them has acknowledged it.
  public let participants: [String]
  /// When the save began, in seconds since 2001-01-01 00:00 UTC.
  public let startedAt: Double

  /// Makes a ticket.
  ///
  /// - Parameters:
  ///   - id: The save.
  ///   - coordinator: The registration of the coordinator.
  ///   - decider: The store that decides.
  ///   - participants: The identifiers of the stores with durable prepared parts.
  ///   - startedAt: When the save began.
  public init(
    id: SaveID = SaveID(), coordinator: UUID, decider: Place, participants: [String],
    startedAt: Double
  ) {
    self.id = id
    self.coordinator = coordinator
    self.decider = decider
    self.participants = participants
    self.startedAt = startedAt
  }

  /// A store, and its human-readable name.
  ///
  /// ```swift
  /// print("waits for \(ticket.decider.name)")
  /// ```
  public struct Place: Sendable, Hashable {
    /// The UUID of the store.
    public let identifier: String
    /// Its location, without folders, users and passwords.
    public let name: String

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the store.
    ///   - name: Its location, without folders, users and passwords.
    public init(identifier: String, name: String) {
      self.identifier = identifier
      self.name = name
    }
  }
}

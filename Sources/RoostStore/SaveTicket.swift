// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The recovery record that is kept with a prepared part: enough for any process to find out how the save ended, also
/// when the other stores are gone.
///
/// ```swift
/// let ticket = SaveTicket(
///   coordinator: coordinator, decider: .init(identifier: server.identifier, name: "db.example.org/app"),
///   participants: [file.identifier], startedAt: Date.now.timeIntervalSinceReferenceDate)
/// ```
public struct SaveTicket: Sendable, Hashable {
  /// The save.
  public let id: SaveID
  /// The registration of the coordinator that saves. The decider refuses to decide for one that it does not know.
  public let coordinator: UUID
  /// The store whose commit is the commit of the save.
  public let decider: Place
  /// The identifiers of the stores that prepare and keep what they have prepared: all but the decider, and but those
  /// that live in memory only. The decision is remembered until each of them has taken note of it.
  public let participants: [String]
  /// When the save began, in seconds since 2001-01-01 00:00 UTC.
  public let startedAt: Double

  /// Makes a ticket.
  ///
  /// - Parameters:
  ///   - id: The save.
  ///   - coordinator: The registration of the coordinator.
  ///   - decider: The store that decides.
  ///   - participants: The identifiers of the stores that keep what they have prepared.
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

  /// A store, and how a person finds it.
  ///
  /// ```swift
  /// print("waits for \(ticket.decider.name)")
  /// ```
  public struct Place: Sendable, Hashable {
    /// The UUID of the store.
    public let identifier: String
    /// Where it is: without folders, users and passwords.
    public let name: String

    /// Names a store.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the store.
    ///   - name: Where it is.
    public init(identifier: String, name: String) {
      self.identifier = identifier
      self.name = name
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

// The model of the writer: each transaction saves a parcel with its pieces and tags, and a counter with its number.
// So a transaction touches records of several entities, both kinds of relationship, indexes and unique values.

@Entity final class Counter: ManagedObject {
  @Attribute(.unique) var name: String
  var last: Int64 = 0
}

@Entity final class Parcel: ManagedObject {
  @Attribute(.unique) var number: Int64 = 0
  var pieceCount: Int64 = 0
  @Relationship(deleteRule: .cascade, inverse: \.parcel) var pieces: [Piece]
}

@Entity final class Piece: ManagedObject {
  @Attribute(.unique) var code: String
  @Attribute(.indexed) var size: Int64 = 0
  var content: Data = Data()
  @Relationship(inverse: \Parcel.pieces) var parcel: Parcel?
  @Relationship(inverse: \.pieces) var tags: Set<Tag>
}

@Entity final class Tag: ManagedObject {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \.tags) var pieces: Set<Piece>
}

/// The content of transaction number *n*: the same for the writer and for the check.
struct ParcelPlan {
  let number: Int64
  let sizes: [Int]

  /// The number of parcels to keep; an older one is deleted when a new one is saved.
  static let kept: Int64 = 30
  static let tagNames = ["fragile", "heavy", "urgent"]

  init(_ number: Int64) {
    self.number = number
    var random = SplitMix64(seed: UInt64(number))
    sizes = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      Int.random(in: 0...9, using: &random) == 0 ? 20_000 : Int.random(in: 0...600, using: &random)
    }
  }

  func code(_ position: Int) -> String { "\(number)-\(position)" }

  func content(_ position: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number &+ Int64(position)), count: sizes[position])
  }

  func tagName(_ position: Int) -> String {
    Self.tagNames[(Int(number) + position) % Self.tagNames.count]
  }
}

/// A kind of store, which the programs of this folder find by its name.
struct StoreKind: Sendable {
  var name: String
  /// Whether the stores record their transactions, with previous values.
  private(set) var keepsHistory = false
  /// Whether several processes may have the store open.
  var isShared = true
  /// Whether the stores tell with which others one transaction can write them.
  var sharesTransactions = true
  private(set) var describe: @Sendable (URL) throws -> PersistentStoreDescription
  /// Checks the file without opening the store; returns a description of the damage.
  var findDamage: @Sendable (URL) -> String? = { _ in nil }
  /// Waits until the store has no open sessions: a statement of a killed process may run on in a server for a while.
  var waitUntilLeft: @Sendable (URL) throws -> Void = { _ in }
  /// Returns a description of what saves over several stores have left outside of a store's own view, which is open
  /// under an identifier; nil for nothing.
  var findLeftovers: @Sendable (URL, _ identifier: String) throws -> String? = { _, _ in nil }
  /// Removes data that is not in the folder.
  var remove: @Sendable (URL) throws -> Void = { _ in }

  /// The same stores with a history.
  var keepingHistory: StoreKind {
    var kind = self
    kind.name += StoreKind.historySuffix
    kind.keepsHistory = true
    kind.describe = { url in
      var description = try describe(url)
      description.options[StoreOption.historyTracking] = .boolean(true)
      description.options[StoreOption.historyLevel] = .string("values")
      return description
    }
    return kind
  }

  /// The suffix of the names of kinds whose stores keep a history.
  static let historySuffix = "+history"

  /// Opens the container of a store at a URL.
  func open(at url: URL) throws -> PersistentContainer {
    try open(describe(url))
  }

  /// Opens the container of a store.
  func open(
    _ description: PersistentStoreDescription, model: ManagedObjectModel? = nil
  ) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Ledger", model: model ?? Self.model.get(), stores: [description])
    try container.loadPersistentStores()
    return container
  }

  /// Returns the model of the ledger.
  static func ledgerModel() throws -> ManagedObjectModel { try model.get() }

  // One model for all containers of a process; it is made on first use, and frozen.
  private static let model = Result {
    try ManagedObjectModel(Counter.self, Parcel.self, Piece.self, Tag.self)
  }
}

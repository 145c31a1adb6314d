// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostStore

/// A position in the history of the stores. A program keeps it to ask later for newer transactions.
///
/// It is a value, `Codable` as one short string, and stays valid after a restart. When the history of a store no
/// longer goes back to it, requests throw `persistentHistoryTokenExpired`.
///
/// ```swift
/// let data = try JSONEncoder().encode(token)
/// // ... at the next start
/// let token = try JSONDecoder().decode(PersistentHistoryToken.self, from: data)
/// ```
public struct PersistentHistoryToken: Sendable, Hashable {
  private let positions: [String: StorePosition]

  /// The positions by the UUIDs of the stores.
  @_disfavoredOverload
  public var stores: [String: StorePosition] { positions }

  /// Makes a token.
  ///
  /// - Parameter stores: The positions by the UUIDs of the stores.
  public init(stores: [String: StorePosition]) {
    positions = stores
  }

  /// Whether this token is at or after another one in every store.
  ///
  /// - Parameter other: The other token.
  public func covers(_ other: PersistentHistoryToken) -> Bool {
    other.stores.allSatisfy { store, position in stores[store]?.covers(position) ?? false }
  }

  /// Returns the token with the later position of the two in every store.
  ///
  /// - Parameter other: The other token.
  public func merging(_ other: PersistentHistoryToken) -> PersistentHistoryToken {
    PersistentHistoryToken(stores: stores.merging(other.stores) { $0.merging($1) })
  }
}

extension PersistentHistoryToken? {
  /// Returns the token with the later position of the two in every store; the other one if one of them is nil.
  package func merging(_ other: PersistentHistoryToken?) -> PersistentHistoryToken? {
    guard let self, let other else { return self ?? other }
    return self.merging(other)
  }

  /// Returns the token of a reader that moved from this token to a later one. Positions are replaced, not compared: a
  /// store may have been restored from a backup, with another history.
  package func replaced(by later: PersistentHistoryToken?) -> PersistentHistoryToken? {
    guard let self, let later else { return self ?? later }
    return PersistentHistoryToken(stores: self.stores.merging(later.stores) { $1 })
  }
}

extension PersistentHistoryToken: Codable {
  private static let version: UInt8 = 1

  /// Writes the token as one string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Data(bytes).base64EncodedString())
  }

  /// Reads a token.
  ///
  /// - Throws: `PersistenceError` with code `persistentHistoryTokenExpired` when it is damaged, so that programs
  ///   handle it like a token that is too old.
  public init(from decoder: any Decoder) throws {
    let text = try? decoder.singleValueContainer().decode(String.self)
    // Base64 has several texts for the same bytes; only the canonical one is accepted.
    guard let data = text.flatMap({ Data(base64Encoded: $0) }), data.base64EncodedString() == text,
      let token = PersistentHistoryToken(bytes: Array(data))
    else {
      throw PersistenceError(
        .persistentHistoryTokenExpired, "The token of a history is damaged and cannot be read.")
    }
    self = token
  }

  private var bytes: [UInt8] {
    HistoryPacking.pack(
      version: Self.version,
      stores.sorted { $0.key < $1.key }.flatMap { [Array($0.key.utf8), $0.value.bytes] })
  }

  private init?(bytes: [UInt8]) {
    guard let parts = HistoryPacking.unpack(bytes, version: Self.version), parts.count % 2 == 0
    else { return nil }
    var stores: [String: StorePosition] = [:]
    for index in stride(from: 0, to: parts.count, by: 2) {
      guard let name = String(validating: parts[index], as: UTF8.self),
        let position = StorePosition(bytes: parts[index + 1])
      else { return nil }
      stores[name] = position
    }
    self.init(stores: stores)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostStore

/// How far a program has come in the history of its stores: what it keeps, in order to ask later for what is new.
///
/// It is a value, `Codable` as one short string, and means the same after a restart. For a store whose history does not
/// go back to it any more, requests throw `persistentHistoryTokenExpired`.
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

  /// Whether everything that another token has behind it is behind this one too.
  ///
  /// - Parameter other: The other token.
  public func covers(_ other: PersistentHistoryToken) -> Bool {
    other.stores.allSatisfy { store, position in stores[store]?.covers(position) ?? false }
  }

  /// The token that has behind it what this one or another one has.
  ///
  /// - Parameter other: The other token.
  public func merging(_ other: PersistentHistoryToken) -> PersistentHistoryToken {
    PersistentHistoryToken(stores: stores.merging(other.stores) { $0.merging($1) })
  }
}

extension PersistentHistoryToken? {
  /// The token that has behind it what this one or another one has, as far as there are any.
  package func merging(_ other: PersistentHistoryToken?) -> PersistentHistoryToken? {
    guard let self, let other else { return self ?? other }
    return self.merging(other)
  }

  /// The token of a reader that was at this one and then at a later one: also where a store was put back from a copy,
  /// and its history is another one.
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
  /// - Throws: `PersistenceError` with code `persistentHistoryTokenExpired` when it is damaged: the program goes on as
  ///   with one that is too old.
  public init(from decoder: any Decoder) throws {
    let text = try? decoder.singleValueContainer().decode(String.self)
    // Base64 has several texts for the same bytes; a token has one.
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

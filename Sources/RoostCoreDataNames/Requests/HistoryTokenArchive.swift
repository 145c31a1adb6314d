// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel

// Archiving of tokens as in programs for Core Data. The bytes are those of the `Codable` form and not a keyed
// archive, because untrusted keyed archives cannot be decoded safely.
extension NSKeyedArchiver {
  /// Archives a history token, as programs for Core Data do.
  ///
  /// ```swift
  /// let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
  /// ```
  /// - Parameters:
  ///   - token: The token.
  ///   - requiresSecureCoding: Whether the data must support secure decoding, which they always do.
  /// - Throws: `NSError` when the token cannot be encoded.
  public static func archivedData(
    withRootObject token: NSPersistentHistoryToken, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data {
    try asFoundation { try JSONEncoder().encode([token]) }
  }
}

extension NSKeyedUnarchiver {
  /// Unarchives a history token.
  ///
  /// ```swift
  /// token = try NSKeyedUnarchiver.unarchivedObject(
  ///   ofClass: NSPersistentHistoryToken.self, from: data)
  /// ```
  /// - Parameters:
  ///   - type: The type of tokens.
  ///   - data: The archive.
  /// - Returns: The token; never nil.
  /// - Throws: `NSError` with code `NSPersistentHistoryTokenExpiredError` when the data are damaged or hold no token,
  ///   so that programs handle it like a token that is too old.
  public static func unarchivedObject(
    ofClass type: NSPersistentHistoryToken.Type, from data: Data
  ) throws -> NSPersistentHistoryToken? {
    try asFoundation {
      let tokens = try? JSONDecoder().decode([PersistentHistoryToken].self, from: data)
      guard let tokens, tokens.count == 1 else {
        throw PersistenceError(
          .persistentHistoryTokenExpired, "The token of a history is damaged and cannot be read.")
      }
      return tokens[0]
    }
  }
}

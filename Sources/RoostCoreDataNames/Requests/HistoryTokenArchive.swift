// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel

// How Core Data's programs keep a token. The bytes are those of its `Codable` form and not of a keyed archive, which no
// reader can be given that may come from anywhere.
extension NSKeyedArchiver {
  /// Writes a token of the history, as Core Data's programs keep one.
  ///
  /// ```swift
  /// let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
  /// ```
  /// - Parameters:
  ///   - token: The token.
  ///   - requiresSecureCoding: Whether the data can be read securely, which they can in any case.
  /// - Throws: `NSError` when the token cannot be encoded.
  public static func archivedData(
    withRootObject token: NSPersistentHistoryToken, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data {
    try asFoundation { try JSONEncoder().encode([token]) }
  }
}

extension NSKeyedUnarchiver {
  /// Reads a token of the history that was archived.
  ///
  /// ```swift
  /// token = try NSKeyedUnarchiver.unarchivedObject(
  ///   ofClass: NSPersistentHistoryToken.self, from: data)
  /// ```
  /// - Parameters:
  ///   - type: The type of tokens.
  ///   - data: The archive.
  /// - Returns: The token; never nil.
  /// - Throws: `NSError` with code `NSPersistentHistoryTokenExpiredError` when the data are damaged or hold no token:
  ///   the program goes on as with one that is too old.
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The name of the file of a fixture: the label of the release and the type of the store, as `2.3.sqlite`.
enum FixtureName {
  /// The characters that are not escaped in a name; other bytes of a label are percent-encoded, such as `%2F`, so
  /// that every label is a valid file name on every system.
  private static let plain = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")

  static func make(_ label: String, _ type: PersistentStoreType) -> String {
    "\(encoded(label)).\(pathExtension(of: type))"
  }

  /// The name of a type in lower case, without characters that have a meaning in paths.
  static func pathExtension(of type: PersistentStoreType) -> String {
    String(type.rawValue.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }

  private static func encoded(_ label: String) -> String {
    let name = label.addingPercentEncoding(withAllowedCharacters: plain) ?? label
    // Names that begin with a dot are hidden.
    return name.hasPrefix(".") ? "%2E" + name.dropFirst() : name
  }
}

extension PersistentStoreType {
  /// Throws for a type whose stores are not files.
  func requireFiles() throws(PersistenceError) {
    guard driver is any StagingLocationDriver || FixtureName.pathExtension(of: self).isEmpty else {
      return
    }
    throw PersistenceError(
      .persistentStoreInvalidType,
      "Stores of type \(rawValue) are no files, and cannot be kept in a folder: name types whose "
        + "stores are files, such as SQLite.")
  }
}

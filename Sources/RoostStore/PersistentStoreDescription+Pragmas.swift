// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension PersistentStoreDescription {
  /// The SQLite pragmas that are set when the store is opened, by name.
  public var sqlitePragmas: [String: String] {
    guard case .dictionary(let pragmas) = options[StoreOption.sqlitePragmas] else { return [:] }
    return pragmas.compactMapValues { value in
      switch value {
      case .string(let text): return text
      case .integer(let number): return "\(number)"
      case .boolean(let truth): return truth ? "1" : "0"
      default: return nil
      }
    }
  }

  /// Sets a SQLite pragma for when the store is opened.
  ///
  /// ```swift
  /// description.setValue("4000", forPragmaNamed: "cache_size")
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value; nil leaves the pragma as Roost sets it.
  ///   - name: The pragma. Those that durability and safety rest on are refused when the store is opened.
  public mutating func setValue(_ value: String?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas.mapValues { MetadataValue.string($0) }
    pragmas[name] = value.map { .string($0) }
    options[StoreOption.sqlitePragmas] = pragmas.isEmpty ? nil : .dictionary(pragmas)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A kind of store: its name and how to open one.
///
/// Each backend has one, as `.sqlite` and `.inMemory`; a store of your own adds another.
///
/// ```swift
/// extension PersistentStoreType {
///   static let journal = PersistentStoreType(rawValue: "Journal", driver: JournalDriver())
/// }
/// ```
public struct PersistentStoreType: Sendable, Hashable {
  /// The name, as it stands in metadata: `SQLite`.
  public let rawValue: String
  /// How to do without a coordinator what concerns a whole store.
  public let driver: any PersistentStoreDriver

  /// Makes a type.
  ///
  /// - Parameters:
  ///   - rawValue: The name; it stands in the metadata of every store of the type.
  ///   - driver: What opens, reads and removes stores of the type.
  public init(rawValue: String, driver: any PersistentStoreDriver) {
    self.rawValue = rawValue
    self.driver = driver
  }

  /// Whether two types have the same name.
  public static func == (left: PersistentStoreType, right: PersistentStoreType) -> Bool {
    left.rawValue == right.rawValue
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawValue)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A kind of store: its name and how to open one.
///
/// Each backend has one, such as `.sqlite` and `.inMemory`; a custom store adds another.
///
/// ```swift
/// extension PersistentStoreType {
///   static let journal = PersistentStoreType(rawValue: "Journal", driver: JournalDriver())
/// }
/// ```
public struct PersistentStoreType: Sendable, Hashable {
  /// The name, as in the metadata: `SQLite`.
  public let rawValue: String
  /// The operations on whole stores that need no coordinator.
  public let driver: any PersistentStoreDriver

  /// Makes a type.
  ///
  /// - Parameters:
  ///   - rawValue: The name; it is written to the metadata of every store of the type.
  ///   - driver: Opens, inspects and destroys stores of the type.
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

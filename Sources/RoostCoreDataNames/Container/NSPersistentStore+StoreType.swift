// SPDX-License-Identifier: Apache-2.0

extension NSPersistentStore {
  /// The type of a store.
  ///
  /// ```swift
  /// try coordinator.addPersistentStore(type: .sqlite, at: url)
  /// ```
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The name, as ``NSSQLiteStoreType``.
    public let rawValue: String

    /// Makes a type with a name: one of Core Data's, or a registered one.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// A store in memory.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// A file that each save rewrites completely.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// An XML file, which Core Data supports on macOS only: a store of this type is refused.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }
}

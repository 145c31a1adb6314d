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

    /// Names a type: one of Core Data's, or one that was registered.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// A store in memory.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// A file that is written whole with each save.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// An XML file, of macOS alone: a store of this type is refused.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }
}

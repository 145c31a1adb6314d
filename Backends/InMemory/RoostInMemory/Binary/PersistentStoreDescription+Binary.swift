// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostStore

extension PersistentStoreType {
  /// Stores that are kept in memory and written to a file as a whole by each save: Core Data's binary store.
  ///
  /// A save costs the whole file, so this is for small data that are read often. The new file replaces the old one
  /// atomically, flushed to the disk; a checksum detects damage. While a process has the store open to write, no
  /// other process can open it. The file format is Roost's own: Core Data's binary stores cannot be read.
  ///
  /// ```swift
  /// try coordinator.addPersistentStore(type: .binary, at: url)
  /// ```
  public static let binary = PersistentStoreType(
    rawValue: BinaryStoreDriver.typeName, driver: BinaryStoreDriver())
}

extension PersistentStoreDescription {
  /// Describes a binary store.
  ///
  /// ```swift
  /// let settings = PersistentStoreDescription.binary(at: url, configuration: "Settings")
  /// ```
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  public static func binary(
    at url: URL, configuration: String? = nil
  ) -> PersistentStoreDescription {
    PersistentStoreDescription(type: .binary, url: url, configuration: configuration)
  }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostStore

extension PersistentStoreType {
  /// Stores that are kept in memory and written to a file as a whole by each save: Core Data's binary store.
  ///
  /// A save costs the whole file, so this is for small data that are read often. The new file takes the place of the
  /// old one at once, flushed to the disk; a checksum tells damage. While a process has the store open to write, no
  /// other process opens it. The file is Roost's own: Core Data's binary stores cannot be read.
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

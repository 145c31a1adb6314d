// SPDX-License-Identifier: Apache-2.0

/// Opens the stores of another driver behind a store of the program's own, as a ``ForwardingStore``.
///
/// ```swift
/// let type = PersistentStoreType(
///   rawValue: "CountedSQLite",
///   driver: ForwardingDriver(PersistentStoreType.sqlite.driver) { CountingStore($0) })
/// ```
public struct ForwardingDriver: MetadataChangingDriver, ReplacementDriver {
  /// The driver that does the work.
  public let base: any PersistentStoreDriver
  private let wrap: @Sendable (any PersistentStore) throws -> any PersistentStore

  /// Makes a driver.
  ///
  /// - Parameters:
  ///   - base: The driver that does the work.
  ///   - wrap: Makes what stands in front of a store that was opened. What it throws is thrown by the opening.
  public init(
    _ base: any PersistentStoreDriver,
    wrap: @escaping @Sendable (any PersistentStore) throws -> any PersistentStore
  ) {
    self.base = base
    self.wrap = wrap
  }

  /// The options of the base.
  public var optionNames: Set<String>? { base.optionNames }

  /// Opens a store of the base, and returns what stands in front of it.
  public func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    let store = try base.open(description)
    do {
      return try wrap(store)
    } catch {
      store.close()
      throw error
    }
  }

  /// The metadata of a store of the base.
  public func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try base.metadata(of: description)
  }

  /// Sets the metadata of a store of the base.
  public func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try base.setMetadata(metadata, of: description)
  }

  package func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    var description = description
    description.type = PersistentStoreType(rawValue: description.type.rawValue, driver: base)
    try description.changeMetadata(change)
  }

  /// Destroys a store of the base.
  public func destroy(_ description: PersistentStoreDescription) throws {
    try base.destroy(description)
  }

  /// Replaces a store of the base.
  public func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try base.replace(destination, with: source)
  }

  package func beginReplacement(
    of description: PersistentStoreDescription
  ) throws -> (any StoreReplacement)? {
    try (base as? any ReplacementDriver)?.beginReplacement(of: description)
  }
}

extension PersistentStoreDescription {
  /// Returns a description of the same store behind one of the program's own.
  ///
  /// ```swift
  /// let description = PersistentStoreDescription.sqlite(at: path).forwarded { CountingStore($0) }
  /// ```
  /// - Parameter wrap: Makes what stands in front of the store when it is opened.
  public func forwarded(
    by wrap: @escaping @Sendable (any PersistentStore) throws -> any PersistentStore
  ) -> PersistentStoreDescription {
    var result = self
    result.type = PersistentStoreType(
      rawValue: type.rawValue, driver: ForwardingDriver(type.driver, wrap: wrap))
    return result
  }
}

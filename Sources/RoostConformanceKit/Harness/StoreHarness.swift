// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// A harness for stores that are described in one line and removed by their driver.
///
/// ```swift
/// let harness = StoreHarness("Journal") {
///   PersistentStoreDescription(type: .journal, url: folder.appending(path: UUID().uuidString))
/// }
/// ```
public struct StoreHarness: ConformanceHarness {
  public let storeName: String
  public let isReopenable: Bool
  public let allowsSecondHandle: Bool
  private let make: @Sendable () throws -> PersistentStoreDescription

  /// Makes a harness.
  ///
  /// - Parameters:
  ///   - storeName: The name of the store in reports.
  ///   - isReopenable: Whether a store can be opened again after its last coordinator has closed it.
  ///   - allowsSecondHandle: Whether two coordinators can use one store at the same time.
  ///   - make: Describes a store without other users.
  public init(
    _ storeName: String, isReopenable: Bool = true, allowsSecondHandle: Bool = true,
    make: @escaping @Sendable () throws -> PersistentStoreDescription
  ) {
    self.storeName = storeName
    self.isReopenable = isReopenable
    self.allowsSecondHandle = allowsSecondHandle
    self.make = make
  }

  public func makeEmptyStore() throws -> PersistentStoreDescription {
    try make()
  }

  public func drop(_ store: PersistentStoreDescription) throws {
    try store.type.driver.destroy(store)
  }
}

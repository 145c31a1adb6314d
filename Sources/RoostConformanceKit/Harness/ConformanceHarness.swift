// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// The adapter between a store and the conformance kit: it makes and removes stores of one type. Most stores need no
/// more than a ``StoreHarness``.
///
/// ```swift
/// let harness = StoreHarness("Journal") { .journal(at: folder.appending(path: UUID().uuidString)) }
/// print(ConformanceRun(harness).report().text)
/// ```
public protocol ConformanceHarness: Sendable {
  /// The name of the store in reports.
  var storeName: String { get }

  /// Whether a store keeps its data after its last coordinator has closed it, so that it can be opened again with the
  /// same description (``ConformanceFacet/reopening``).
  var isReopenable: Bool { get }

  /// Whether two coordinators can use one store at the same time (``ConformanceFacet/secondHandle``).
  var allowsSecondHandle: Bool { get }

  /// Describes a store that is empty, or does not exist yet, and has no other users.
  func makeEmptyStore() throws -> PersistentStoreDescription

  /// Removes the store of a case.
  ///
  /// - Parameter store: The result of ``makeEmptyStore()``; no coordinator uses it any more.
  func drop(_ store: PersistentStoreDescription) throws
}

// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// What a store hands to the kit: how to make, use and remove stores of its type. Most stores need no more than a
/// ``StoreHarness``.
///
/// ```swift
/// let harness = StoreHarness("Journal") { .journal(at: folder.appending(path: UUID().uuidString)) }
/// print(ConformanceRun(harness).report().text)
/// ```
public protocol ConformanceHarness: Sendable {
  /// The name of the store in reports.
  var storeName: String { get }

  /// Whether a store keeps its data when its last coordinator is gone, so that it can be opened again with the same
  /// description (``ConformanceFacet/reopening``).
  var isReopenable: Bool { get }

  /// Whether two coordinators can use one store at the same time (``ConformanceFacet/secondHandle``).
  var allowsSecondHandle: Bool { get }

  /// Describes a store that is empty, or not there yet, and that nobody else uses.
  func makeEmptyStore() throws -> PersistentStoreDescription

  /// Removes what a case left behind.
  ///
  /// - Parameter store: What ``makeEmptyStore()`` returned; no coordinator uses it any more.
  func drop(_ store: PersistentStoreDescription) throws
}

// SPDX-License-Identifier: Apache-2.0

public import RoostConformanceKit
public import RoostStore

extension ConformanceStage {
  /// Describes an empty reference store, as company for the store under test.
  ///
  /// - Throws: What the reference store throws.
  public func makeReferenceStore() throws -> PersistentStoreDescription {
    try makeStore(of: StoreHarness.reference)
  }
}

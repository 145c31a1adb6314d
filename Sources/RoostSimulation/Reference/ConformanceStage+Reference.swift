// SPDX-License-Identifier: Apache-2.0

public import RoostConformanceKit
public import RoostStore

extension ConformanceStage {
  /// Describes an empty reference store beside the store under test.
  ///
  /// - Throws: The errors of the reference store.
  public func makeReferenceStore() throws -> PersistentStoreDescription {
    try makeStore(of: StoreHarness.reference)
  }
}

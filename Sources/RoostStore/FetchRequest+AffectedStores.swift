// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostQuery

extension FetchRequest {
  /// Limits the search to some stores.
  ///
  /// ```swift
  /// let drafts = try context.fetch(Note.fetchRequest().affecting(draftStore))
  /// ```
  ///
  /// - Parameter stores: Attached stores; those that do not hold the entity have no results.
  /// - Returns: The request.
  @discardableResult
  public func affecting(_ stores: any PersistentStore...) -> FetchRequest {
    affectedStoreIdentities = stores.map(\.identity)
    return self
  }
}

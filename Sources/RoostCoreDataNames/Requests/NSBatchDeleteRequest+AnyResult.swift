// SPDX-License-Identifier: Apache-2.0

public import RoostObjects
public import RoostQuery

extension BatchDeleteRequest {
  /// Makes a request for what a fetch request would find.
  ///
  /// - Parameter fetchRequest: The fetch request; `NSFetchRequest(entityName:)` is one for any kind of results.
  public convenience init(fetchRequest: NSFetchRequest<any NSFetchRequestResult>) {
    self.init(fetchRequest: FetchRequest<ManagedObject>(fetchRequest.criteria))
  }
}

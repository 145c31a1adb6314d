// SPDX-License-Identifier: Apache-2.0

public import RoostObjects
public import RoostQuery

extension BatchDeleteRequest {
  /// Makes a request to delete the matches of a fetch request.
  ///
  /// - Parameter fetchRequest: The fetch request; `NSFetchRequest(entityName:)` makes one with any result type.
  public convenience init(fetchRequest: NSFetchRequest<any NSFetchRequestResult>) {
    self.init(fetchRequest: FetchRequest<ManagedObject>(fetchRequest.criteria))
  }
}

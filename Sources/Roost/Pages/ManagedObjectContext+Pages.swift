// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
public import RoostObjects
public import RoostQuery

extension ManagedObjectContext {
  /// Returns a page of a request's results: those after the last object of the previous page, found by the sort
  /// values of that object, and by its ID among objects with equal values (keyset pagination). Even if many objects
  /// are equal, each is on exactly one page; and concurrent insertions and deletions move no other object from page
  /// to page, as they would with an offset.
  ///
  /// ```swift
  /// let newest = Issue.where { $0.state == .open }.sorted(by: \.created, ascending: false)
  /// let page = try context.page(newest, size: 20)
  /// let following = try context.page(newest, after: page.next, size: 20)
  /// ```
  /// An object whose sort values change between two pages can be on both or on none: read in one snapshot (`read(_:)`
  /// of a container) where that matters. Unsaved changes are included as in `fetch`, and objects that were never
  /// saved come last among those with equal values. Registered objects on the page get the values that the store has,
  /// unless they have unsaved changes, as with `shouldRefreshRefetchedObjects`.
  ///
  /// - Parameters:
  ///   - request: The request, without limit and offset. It is not changed. Its condition may differ from page to
  ///     page, its entity and order may not.
  ///   - cursor: The ``FetchPage/next`` of the previous page; nil for the first page.
  ///   - size: The maximum number of objects on the page.
  /// - Throws: As `fetch`. ``PersistenceError`` with code `invalidRequest` for a cursor of a request with another
  ///   entity or order, for a limit or an offset, for a size below 1, for an order by search relevance, and for a
  ///   cursor in a locale-dependent order, which no store can reproduce; `storeRemoved` when the store of the
  ///   cursor's object is not attached.
  /// - Complexity: One query for each affected store that reads one object more than the page has; one more if the
  ///   first sort descriptor is descending and the page reaches objects without a value, and another for an order
  ///   along relationships. With an index that begins with the first sort key, SQL stores begin to read at the
  ///   cursor.
  public func page<T: ManagedObject>(
    _ request: FetchRequest<T>, after cursor: FetchCursor? = nil, size: Int
  ) throws -> FetchPage<T> {
    func invalid(_ message: String, _ remedy: String) -> PersistenceError {
      PersistenceError(.invalidRequest, message, entityName: request.entityName)
        .remedied(by: remedy)
    }
    guard size > 0 else {
      throw invalid("A page has at least one object.", "Ask for a size above 0.")
    }
    guard request.fetchLimit == 0, request.fetchOffset == 0 else {
      throw invalid(
        "The size of a page is its limit, and the cursor its offset.",
        "Set neither limit nor offset of the request.")
    }
    let order = request.sortDescriptors ?? []
    guard order.allSatisfy({ $0.search == nil }) else {
      throw invalid(
        "Pages cannot be made in the order of a search: scores are in no store.",
        "Fetch with a limit and an offset, or sort by something else.")
    }
    let entityName = request.entityName ?? ""
    var position: PagePosition?
    if let cursor {
      guard cursor.entityName == entityName, cursor.order == FetchCursor.texts(of: order) else {
        throw invalid(
          "The cursor is of a request with another entity or order.",
          "Begin with the first page.")
      }
      position = PagePosition(values: cursor.values, id: try identity(of: cursor))
    }
    let page = try makePage(of: request, after: position, size: size)
    return FetchPage(
      objects: page.objects,
      next: page.end.map { FetchCursor($0, entityName: entityName, order: order) })
  }

  private func identity(of cursor: FetchCursor) throws -> ObjectID {
    switch cursor.id {
    case .known(let id): return id
    case .text(let text):
      guard let id = persistentStoreCoordinator?.managedObjectID(for: text) else {
        throw PersistenceError(
          .storeRemoved,
          "The cursor names an object of a store that is not attached. Begin with the first page.",
          entityName: cursor.entityName)
      }
      return id
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
public import RoostObjects
public import RoostQuery

extension ManagedObjectContext {
  /// Returns a page of a request's results: those that come after the last object of the page before, found by what
  /// that object was sorted by, and by its ID among those that are equal in it. However many objects are equal, each is
  /// on one page; and what others insert and delete meanwhile moves no other object from page to page, as an offset
  /// would.
  ///
  /// ```swift
  /// let newest = Issue.where { $0.state == .open }.sorted(by: \.created, ascending: false)
  /// let page = try context.page(newest, size: 20)
  /// let following = try context.page(newest, after: page.next, size: 20)
  /// ```
  /// An object whose sorted values change between two pages can be on both or on none: read in one snapshot
  /// (`read(_:)` of a container) where that matters. Unsaved changes count as in `fetch`, and
  /// objects that were never saved come last among those that are equal to them. Objects of the page that the context
  /// knows already take the values that the store has, unless they were changed, as with
  /// `shouldRefreshRefetchedObjects`.
  ///
  /// - Parameters:
  ///   - request: What is asked, without limit and offset. It is left as it is. Its condition may differ from page to
  ///     page, its entity and order may not.
  ///   - cursor: Where the page before ended: its ``FetchPage/next``; nil for the first page.
  ///   - size: How many objects the page has at the most.
  /// - Throws: As `fetch`. ``PersistenceError`` with code `invalidRequest` for a cursor of a request with another
  ///   entity or order, for a limit or an offset, for a size below 1, for an order of a search, and for a cursor in
  ///   the order of a locale, which no store can find again; `storeRemoved` when the store of the cursor's object is
  ///   not attached.
  /// - Complexity: One query for each affected store that reads an object more than the page has; one more where the
  ///   first step of the order is descending and the page reaches the objects without a value, and another for an
  ///   order along relationships. With an index that begins with the first step, SQL stores begin to read at the
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

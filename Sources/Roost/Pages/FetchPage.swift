// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

/// A page of a request's results, and the cursor of the next one.
///
/// ```swift
/// var cursor: FetchCursor?
/// repeat {
///   let page = try context.page(request, after: cursor, size: 100)
///   for person in page.objects { print(person.name) }
///   cursor = page.next
/// } while cursor != nil
/// ```
public struct FetchPage<Object: ManagedObject> {
  /// The objects, in the order of the request.
  public let objects: [Object]
  /// The cursor of the next page; nil when there is none.
  public let next: FetchCursor?
}

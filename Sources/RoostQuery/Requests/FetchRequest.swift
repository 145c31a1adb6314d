// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import Synchronization

/// A fetch request: an entity, a condition, a sort order, and the form of the results.
///
/// A request is independent of contexts and can be reused. Setting a property changes the request. Each method
/// returns a changed copy, so methods can be chained, and several requests can be derived from one.
///
/// ```swift
/// let request = FetchRequest<Person>(entityName: "Person")
/// request.predicate = try FetchPredicate("age >= %d", 18)
/// request.sortDescriptors = [SortOrdering("name")]
/// request.fetchLimit = 10
/// ```
///
/// `ResultType` is a ``FetchRequestResult``, or `any FetchRequestResult` for a request whose ``resultType`` is chosen
/// later.
public final class FetchRequest<ResultType>: Sendable {
  private let state: Mutex<FetchCriteria>
  /// Objects of another API from which parts of the request were set, to return them unchanged.
  private let givenObjects = Mutex<[GivenPart: GivenObject]>([:])

  /// Makes a request whose entity must be set before it is executed.
  public convenience init() {
    self.init(owning: FetchCriteria(resultType: Self.resultType))
  }

  /// Makes a request for an entity that is looked up by its name when the request is executed.
  ///
  /// - Parameter entityName: The name of the entity.
  public convenience init(entityName: String) {
    self.init(owning: FetchCriteria(entityName: entityName, resultType: Self.resultType))
  }

  /// Makes a request for an entity.
  ///
  /// - Parameter entity: The entity.
  @_disfavoredOverload
  package convenience init(entity: EntityDescription) {
    self.init(owning: FetchCriteria(entity: entity, resultType: Self.resultType))
  }

  /// The result type for `ResultType`; objects by default.
  private static var resultType: FetchRequestResultType {
    (ResultType.self as? any FetchRequestResult.Type)?.fetchRequestResultType
      ?? .managedObjectResultType
  }

  /// Makes a request from criteria.
  public init(_ criteria: FetchCriteria) {
    state = Mutex(criteria)
  }

  /// Makes a request from criteria by moving them, because a copy retains a dozen references.
  private init(owning criteria: consuming FetchCriteria) {
    state = Mutex(criteria)
  }

  /// Returns an independent copy of the request.
  public func copy() -> FetchRequest {
    let copy = FetchRequest(owning: criteria)
    let given = givenObjects.withLock { $0 }
    if !given.isEmpty { copy.givenObjects.withLock { $0 = given } }
    return copy
  }

  /// Returns a changed copy.
  package func changed(_ body: (inout FetchCriteria) -> Void) -> FetchRequest {
    let copy = copy()
    copy.update(body)
    return copy
  }

  /// Stores the object from which a part of the request was made.
  package func given(_ part: GivenPart, _ object: AnyObject?) {
    let object = object.map { GivenObject(object: $0) }
    givenObjects.withLock { $0[part] = object }
  }

  /// Returns the object from which a part of the request was made, if it was set.
  package func givenObject(_ part: GivenPart) -> AnyObject? {
    givenObjects.withLock { $0[part] }?.object
  }

  /// The contents of the request, as a value.
  public var criteria: FetchCriteria {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Reads a part of the criteria. They are borrowed in place, because a copy retains a dozen references.
  func read<Part: Sendable>(_ body: (borrowing FetchCriteria) -> Part) -> Part {
    state.withLock { body($0) }
  }

  /// Changes the criteria atomically.
  package func update(_ body: (inout FetchCriteria) -> Void) {
    state.withLock { body(&$0) }
  }
}

/// A part of a request whose original object is kept, too.
package enum GivenPart: Sendable, Hashable {
  /// The condition.
  case condition
  /// The condition on groups (HAVING).
  case having
}

/// The object from which a part of a request was made.
private struct GivenObject: @unchecked Sendable {
  // Sendable: it is only returned to the program that set it, and not used here.
  let object: AnyObject
}

extension FetchRequest: ModelFetchRequest {
  /// The name of the entity.
  public var templateEntityName: String? { criteria.templateEntityName }
  /// The format of the condition.
  public var templatePredicateFormat: String? { criteria.templatePredicateFormat }
  /// A snapshot of the request.
  public var templateSnapshot: any ModelFetchRequest { criteria.templateSnapshot }
}

extension FetchRequest: CustomStringConvertible {
  /// The entity, the condition and the sort order.
  public var description: String {
    let criteria = criteria
    var text = "fetch \(criteria.templateEntityName ?? "no entity")"
    if let predicate = criteria.predicate { text += " where \(predicate.predicateFormat)" }
    if let sort = criteria.sortDescriptors, !sort.isEmpty {
      text += " by " + sort.map { $0.key + ($0.ascending ? "" : " down") }.joined(separator: ", ")
    }
    if criteria.fetchOffset > 0 { text += " offset \(criteria.fetchOffset)" }
    if criteria.fetchLimit > 0 { text += " limit \(criteria.fetchLimit)" }
    return text
  }
}

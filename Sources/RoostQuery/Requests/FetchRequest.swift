// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import Synchronization

/// A description of what to fetch: an entity, a condition, an order, and the form of the results.
///
/// A request belongs to no context and may be used any number of times. Setting a property changes the request. Each
/// method returns a changed copy, so methods can be chained, and several requests can be made from one.
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
  /// Values of another API that were set for parts of the request, and are returned as they were set.
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

  /// What `ResultType` asks for; objects when it does not say.
  private static var resultType: FetchRequestResultType {
    (ResultType.self as? any FetchRequestResult.Type)?.fetchRequestResultType
      ?? .managedObjectResultType
  }

  /// Makes a request of everything that one says.
  public init(_ criteria: FetchCriteria) {
    state = Mutex(criteria)
  }

  /// Makes a request of criteria that nobody else needs: copying them counts a dozen references.
  private init(owning criteria: consuming FetchCriteria) {
    state = Mutex(criteria)
  }

  /// Returns a request that says the same and is changed separately.
  public func copy() -> FetchRequest {
    let copy = FetchRequest(owning: criteria)
    let given = givenObjects.withLock { $0 }
    if !given.isEmpty { copy.givenObjects.withLock { $0 = given } }
    return copy
  }

  /// Returns a copy that was changed.
  package func changed(_ body: (inout FetchCriteria) -> Void) -> FetchRequest {
    let copy = copy()
    copy.update(body)
    return copy
  }

  /// Keeps the object that a part of the request was made of.
  package func given(_ part: GivenPart, _ object: AnyObject?) {
    let object = object.map { GivenObject(object: $0) }
    givenObjects.withLock { $0[part] = object }
  }

  /// The object that a part of the request was made of, as far as it was told.
  package func givenObject(_ part: GivenPart) -> AnyObject? {
    givenObjects.withLock { $0[part] }?.object
  }

  /// Everything that the request says, as a value.
  public var criteria: FetchCriteria {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Reads a part of what the request says. The criteria are handed over in place, since copying them counts a dozen
  /// references.
  func read<Part: Sendable>(_ body: (borrowing FetchCriteria) -> Part) -> Part {
    state.withLock { body($0) }
  }

  /// Changes what the request says, as one step.
  package func update(_ body: (inout FetchCriteria) -> Void) {
    state.withLock { body(&$0) }
  }
}

/// A part of a request that is kept in the form in which it was set, too.
package enum GivenPart: Sendable, Hashable {
  /// The condition.
  case condition
  /// The condition on groups.
  case having
}

/// An object that a part of a request was made of.
private struct GivenObject: @unchecked Sendable {
  // Sendable: it is handed back to the program that set it, and not used here.
  let object: AnyObject
}

extension FetchRequest: ModelFetchRequest {
  /// The name of the entity.
  public var templateEntityName: String? { criteria.templateEntityName }
  /// The condition, printed.
  public var templatePredicateFormat: String? { criteria.templatePredicateFormat }
  /// What the request says now.
  public var templateSnapshot: any ModelFetchRequest { criteria.templateSnapshot }
}

extension FetchRequest: CustomStringConvertible {
  /// The entity, the condition and the order.
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

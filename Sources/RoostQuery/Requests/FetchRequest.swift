// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import Synchronization

/// A description of what to fetch: an entity, a condition, an order and how the results are to come.
///
/// A request belongs to no context and may be used again and again. Its methods change it and return it, so that they
/// can be chained.
///
/// ```swift
/// let request = FetchRequest<Person>(entityName: "Person")
/// request.predicate = try FetchPredicate("age >= %d", 18)
/// request.sortDescriptors = [SortOrdering("name")]
/// request.fetchLimit = 10
/// ```
///
/// `Result` is a ``FetchRequestResult``, or `any FetchRequestResult` for a request whose ``resultType`` is chosen
/// later.
public final class FetchRequest<Result>: Sendable {
  private let state: Mutex<FetchCriteria>

  /// Makes a request whose entity must be set before it is executed.
  public convenience init() {
    self.init(FetchCriteria(resultType: Self.resultType))
  }

  /// Makes a request for an entity that is looked up by its name when the request is executed.
  ///
  /// - Parameter entityName: The name of the entity.
  public convenience init(entityName: String) {
    self.init(FetchCriteria(entityName: entityName, resultType: Self.resultType))
  }

  /// Makes a request for an entity.
  ///
  /// - Parameter entity: The entity.
  public convenience init(entity: EntityDescription) {
    self.init(FetchCriteria(entity: entity, resultType: Self.resultType))
  }

  /// What `Result` asks for; objects when it does not say.
  private static var resultType: FetchRequestResultType {
    (Result.self as? any FetchRequestResult.Type)?.fetchRequestResultType
      ?? .managedObjectResultType
  }

  /// Makes a request of everything that one says.
  public init(_ criteria: FetchCriteria) {
    state = Mutex(criteria)
  }

  /// Returns a request that says the same and is changed separately.
  public func copy() -> FetchRequest {
    FetchRequest(criteria)
  }

  /// Everything that the request says, as a value.
  public var criteria: FetchCriteria {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func update(_ body: (inout FetchCriteria) -> Void) {
    state.withLock { body(&$0) }
  }
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

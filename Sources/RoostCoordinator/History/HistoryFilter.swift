// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
package import RoostQuery

/// The filter of a fetch request on history transactions or changes.
///
/// Conditions on the transaction alone are evaluated before its changes are decoded, bounds on times and numbers
/// limit what the stores read, and transactions that changed none of the objects asked for are not decoded.
package struct HistoryFilter {
  /// Whether the request is for changes; otherwise it is for transactions.
  package let listsChanges: Bool
  /// The maximum number of results; nil for all.
  let limit: Int?
  /// The number of results to skip.
  let offset: Int
  /// The stores to search; nil for all.
  package let stores: [String]?
  /// An exclusive lower bound for the time of matching transactions.
  private(set) var afterTime: Double?
  /// An exclusive lower bound for the number of matching transactions.
  private(set) var afterNumber: Int64?
  /// The objects of which one must have been changed; nil for any.
  private(set) var objects: Set<ObjectID>?

  private let source = HistorySource()
  private let transactions: [PredicateEvaluator<HistorySource>]
  private let rest: PredicateEvaluator<HistorySource>?

  /// Resolves a request.
  ///
  /// - Throws: `unknownEntity` for another entity, `unknownKey` for a key that transactions and changes do not have,
  ///   `invalidRequest` for an order, groups, columns or another result type, or the error that refuses a condition.
  package init(_ criteria: FetchCriteria) throws {
    let criteria = try Self.checked(criteria)
    let resolved = try Self.resolved(criteria)
    listsChanges = resolved.entity === HistoryModel.change
    (limit, offset, stores) = (resolved.limit, resolved.offset, criteria.affectedStoreIdentifiers)
    let predicate = resolved.predicate ?? .constant(true)
    var (first, second): ([ResolvedPredicate], [ResolvedPredicate]) = ([], [])
    for operand in Self.operands(of: predicate) {
      if let header = Self.aboutTransaction(operand, of: resolved.entity) {
        first.append(header)
      } else {
        second.append(operand)
      }
    }
    let source = source
    transactions = try first.map { try PredicateEvaluator($0, source: source) }
    rest = second.isEmpty ? nil : try PredicateEvaluator(.and(second), source: source)
    for case .comparison(let comparison) in first { narrow(comparison) }
    for case .comparison(let comparison) in second { narrowObjects(comparison) }
  }

  /// Returns whether a transaction, or one of its changes, may match, without looking at its changes.
  func mayWant(_ transaction: PersistentHistoryTransaction) throws -> Bool {
    guard !transactions.isEmpty else { return true }
    let item = HistoryItem(.transaction(transaction))
    source.begin(item)
    return try transactions.allSatisfy { try $0.matches(item) }
  }

  /// Whether the changes are needed in addition to ``mayWant(_:)``.
  var looksAtChanges: Bool { listsChanges || rest != nil }

  /// Returns the matching part of a transaction for which ``mayWant(_:)`` is true: all of it, or some of its changes;
  /// nil when nothing matches.
  func wanted(
    of transaction: PersistentHistoryTransaction
  ) throws -> PersistentHistoryTransaction? {
    let item = HistoryItem(.transaction(transaction))
    guard listsChanges else {
      source.begin(item)
      return try rest?.matches(item) ?? true ? transaction : nil
    }
    var result = transaction
    result.changes = try transaction.changes?.filter { change in
      guard let rest else { return true }
      let item = HistoryItem(.change(change, of: item))
      source.begin(item)
      return try rest.matches(item)
    }
    return result.changes?.isEmpty ?? true ? nil : result
  }

  /// The part of the matches that offset and limit select.
  var window: HistoryWindow {
    HistoryWindow(countsChanges: listsChanges, skipped: offset, left: limit ?? .max)
  }

  /// Returns the UUIDs of the stores to ask when a request also names stores; nil for all.
  func stores(among identifiers: [String]?) -> [String]? {
    guard let stores else { return identifiers }
    return identifiers?.filter(stores.contains) ?? stores
  }
}

// MARK: - Resolving

extension HistoryFilter {
  private static func checked(_ criteria: FetchCriteria) throws -> FetchCriteria {
    func refuse(_ what: String, _ remedy: String) -> PersistenceError {
      PersistenceError(
        .invalidRequest, "A fetch request on the history cannot have \(what).",
        entityName: criteria.templateEntityName
      ).remedied(by: remedy)
    }
    guard criteria.sortDescriptors?.isEmpty ?? true else {
      throw refuse(
        "sort descriptors", "Leave them out: the answer is in the order of the history.")
    }
    let known: [FetchRequestResultType] = [.managedObjectResultType, .managedObjectIDResultType]
    guard known.contains(criteria.resultType) else {
      throw refuse(
        "a result type of its own", "Set the result type of the request for the history.")
    }
    guard criteria.propertiesToFetch?.isEmpty ?? true,
      criteria.propertiesToGroupBy?.isEmpty ?? true, criteria.havingPredicate == nil,
      criteria.relationshipKeyPathsForPrefetching?.isEmpty ?? true
    else {
      throw refuse(
        "columns, groups or key paths to prefetch", "Leave them out: transactions come whole.")
    }
    return criteria
  }

  private static func resolved(_ criteria: FetchCriteria) throws -> ResolvedFetch {
    var criteria = criteria
    criteria.resultType = .managedObjectResultType
    do {
      criteria.predicate = try criteria.predicate?.replacingKeyPaths(keyPath)
      let resolved = try RequestResolver(model: HistoryModel.model).resolve(criteria)
      guard [HistoryModel.transaction, HistoryModel.change].contains(resolved.entity) else {
        throw PersistenceError(
          .unknownEntity, "“\(resolved.entity.name ?? "")” is not fetched from a history.",
          entityName: resolved.entity.name)
      }
      return resolved
    } catch let error as PersistenceError where error.code == .unknownEntity {
      throw error.remedied(
        by: "Make the request with the `fetchRequest` of PersistentHistoryTransaction or "
          + "PersistentHistoryChange.")
    } catch let error as PersistenceError where error.code == .unknownKey {
      throw error.remedied(
        by: "Use a key of \(keys(of: HistoryModel.transaction)), or of "
          + "\(keys(of: HistoryModel.change)).")
    }
  }

  private static func keys(of entity: EntityDescription) -> String {
    "\(entity.name ?? ""): " + entity.properties.map(\.name).sorted().joined(separator: ", ")
  }

  /// Maps a set of properties to their names, and an entity to its name.
  private static func keyPath(_ steps: [String]) -> [String] {
    if steps.last == HistoryModel.Key.updatedProperties { return steps + [HistoryModel.Key.name] }
    if steps.suffix(2) == [HistoryModel.Key.changedEntity, HistoryModel.Key.name] {
      return steps.dropLast()
    }
    return steps
  }

  private static func operands(of predicate: ResolvedPredicate) -> [ResolvedPredicate] {
    if case .and(let operands) = predicate { operands } else { [predicate] }
  }

  /// Returns the condition as one on the transaction, if it uses only attributes of the transaction; otherwise nil.
  /// The recursion depth is that of the tree, which was checked.
  private static func aboutTransaction(
    _ predicate: ResolvedPredicate, of entity: EntityDescription
  ) -> ResolvedPredicate? {
    func all(_ operands: [ResolvedPredicate]) -> [ResolvedPredicate]? {
      let found = operands.compactMap { aboutTransaction($0, of: entity) }
      return found.count == operands.count ? found : nil
    }
    switch predicate {
    case .constant: return predicate
    case .and(let operands): return all(operands).map { .and($0) }
    case .or(let operands): return all(operands).map { .or($0) }
    case .not(let operand): return aboutTransaction(operand, of: entity).map { .not($0) }
    case .comparison(var comparison):
      guard case .path(var path) = comparison.left, path.root == .object,
        case .attribute = path.end
      else { return nil }
      switch comparison.right {
      case .constant, .list: break
      default: return nil
      }
      if entity === HistoryModel.change {
        guard path.relationships.map(\.name) == [HistoryModel.Key.transaction] else { return nil }
        path.relationships = []
        path.rootEntity = HistoryModel.transaction
      }
      guard path.relationships.isEmpty else { return nil }
      comparison.left = .path(path)
      return .comparison(comparison)
    }
  }

  /// Derives a bound from a comparison of an attribute of the transaction.
  private mutating func narrow(_ comparison: ResolvedComparison) {
    guard case .path(let path) = comparison.left, case .attribute(let attribute, _) = path.end
    else { return }
    let bound: Value? =
      switch (comparison.comparison, comparison.right) {
      case (.greaterThan, .constant(let value)), (.greaterThanOrEqualTo, .constant(let value)),
        (.equalTo, .constant(let value)):
        value
      case (.between, .list(let bounds)): bounds.first
      default: nil
      }
    let isExclusive = comparison.comparison == .greaterThan
    switch (attribute.name, bound) {
    case (HistoryModel.Key.timestamp, .date(let date)):
      let time = date.timeIntervalSinceReferenceDate
      let earlier = isExclusive ? time : time.nextDown
      afterTime = max(afterTime ?? earlier, earlier)
    case (HistoryModel.Key.transactionNumber, .integer(let number)):
      let smaller = isExclusive || number == .min ? number : number - 1
      afterNumber = max(afterNumber ?? smaller, smaller)
    default: break
    }
  }

  /// Derives the changed objects from a comparison of their IDs.
  private mutating func narrowObjects(_ comparison: ResolvedComparison) {
    guard case .path(let path) = comparison.left, path.root == .object, case .object = path.end
    else { return }
    let names = path.relationships.map(\.name)
    let isAboutObjects =
      listsChanges
      ? names == [HistoryModel.Key.changedObjectID] && comparison.modifier == .direct
      : names == [HistoryModel.Key.changes, HistoryModel.Key.changedObjectID]
        && comparison.modifier == .any
    guard isAboutObjects else { return }
    var ids: Set<ObjectID> = []
    switch (comparison.comparison, comparison.right) {
    case (.equalTo, .constant(.objectID(let id))): ids = [id.current]
    case (.in, .list(let values)):
      for case .objectID(let id) in values { ids.insert(id.current) }
    default: return
    }
    objects = objects?.intersection(ids) ?? ids
  }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostObjects
public import RoostQuery

// In a file that imports Core Data's names, requests use Foundation's types. A predicate that a store cannot evaluate
// stops the program, as in Core Data.
extension FetchRequest {
  /// The condition; nil for all objects.
  public var predicate: NSPredicate? {
    get { givenPredicate(.condition, for: criteria.predicate) }
    set {
      criteria.predicate = newValue.map(condition(of:))
      given(.condition, newValue)
    }
  }

  /// The condition on groups.
  public var havingPredicate: NSPredicate? {
    get { givenPredicate(.having, for: criteria.havingPredicate) }
    set {
      criteria.havingPredicate = newValue.map(condition(of:))
      given(.having, newValue)
    }
  }

  /// Returns the predicate object that was set last, if it still is the condition, as in Core Data (B352).
  private func givenPredicate(_ part: GivenPart, for condition: FetchPredicate?) -> NSPredicate? {
    guard let condition else { return nil }
    if let known = givenObject(part) as? NSPredicate,
      (try? FetchConditions.condition(of: known)) == condition
    {
      return known
    }
    let predicate = FetchConditions.predicate(of: condition)
    given(part, predicate)
    return predicate
  }

  /// The sort descriptors, the most significant first.
  public var sortDescriptors: [NSSortDescriptor]? {
    get { criteria.sortDescriptors?.map(\.foundationSortDescriptor) }
    set {
      criteria.sortDescriptors = newValue?.map { descriptor in
        do {
          return try SortOrdering(descriptor)
        } catch {
          preconditionFailure("\(error)")
        }
      }
    }
  }

  /// The columns of a dictionary fetch: property names or descriptions.
  public var propertiesToFetch: [Any]? {
    get { criteria.propertiesToFetch }
    set { criteria.propertiesToFetch = newValue.map(columns(of:)) }
  }

  /// The grouping columns of a dictionary fetch: property names or descriptions.
  public var propertiesToGroupBy: [Any]? {
    get { criteria.propertiesToGroupBy }
    set { criteria.propertiesToGroupBy = newValue.map(columns(of:)) }
  }
}

extension BatchUpdateRequest {
  /// The new values by attribute name or description; an expression is computed for each record.
  public var propertiesToUpdate: [AnyHashable: Any]? {
    get {
      ownProperties?.mapValues { value in
        (value as? RoostQuery.FetchExpression).map { FetchConditions.expression(of: $0) } ?? value
      }
    }
    set {
      ownProperties = newValue?.mapValues { value in
        (value as? NSExpression).map { FetchConditions.expression(of: $0) } ?? value
      }
    }
  }

  /// The condition of the records to update; nil for all.
  public var predicate: NSPredicate? {
    get { condition.map(FetchConditions.predicate(of:)) }
    set { condition = newValue.map(RoostCoreDataNames.condition(of:)) }
  }
}

private func condition(of predicate: NSPredicate) -> FetchPredicate {
  do {
    return try FetchConditions.condition(of: predicate)
  } catch {
    preconditionFailure("\(error)")
  }
}

private func columns(of columns: [Any]) -> [any FetchableProperty] {
  columns.map { column in
    guard let property = column as? any FetchableProperty else {
      preconditionFailure("A column is a name or a description, not a \(type(of: column)).")
    }
    return property
  }
}

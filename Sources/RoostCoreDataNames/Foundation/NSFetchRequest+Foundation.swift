// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostObjects
public import RoostQuery

// A request speaks Foundation's types in a file that imports the names of Core Data. What cannot be a condition of a
// store ends the program, as in Core Data.
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

  /// The predicate that was set last, if it still is the condition: the very object, as in Core Data (B352).
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

  /// The order, the most significant step first.
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

  /// The columns of a dictionary fetch: names and descriptions of properties.
  public var propertiesToFetch: [Any]? {
    get { criteria.propertiesToFetch }
    set { criteria.propertiesToFetch = newValue.map(columns(of:)) }
  }

  /// What makes a group of a dictionary fetch: names and descriptions of properties.
  public var propertiesToGroupBy: [Any]? {
    get { criteria.propertiesToGroupBy }
    set { criteria.propertiesToGroupBy = newValue.map(columns(of:)) }
  }
}

extension BatchUpdateRequest {
  /// The new values by the names or descriptions of attributes; an expression is computed for each record.
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

  /// Which records are changed; nil for all.
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

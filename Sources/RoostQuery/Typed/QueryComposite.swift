// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A composite attribute in a typed query: its members are the elements.
///
/// ```swift
/// Customer.where { $0.address.city == "London" && $0.billing != nil }
/// ```
/// An optional composite needs no optional chaining: if it is nil, so are its elements.
@dynamicMemberLookup
public struct QueryComposite<Composite: CompositeNaming> {
  /// The object that has the composite.
  private let object: FetchExpression
  /// The names from the object to the composite.
  private let steps: Result<[String], RefusedKeyPath>

  init(_ object: FetchExpression, _ steps: Result<[String], RefusedKeyPath>) {
    self.object = object
    self.steps = steps
  }

  private func path(to keyPath: AnyKeyPath) -> Result<[String], RefusedKeyPath> {
    steps.flatMap { steps in
      do throws(RefusedKeyPath) {
        return .success(steps + (try Composite._elementPath(for: keyPath)))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Returns the expression for a key path of the composite, in columns as in conditions.
  package func expression(of keyPath: AnyKeyPath) -> FetchExpression {
    switch path(to: keyPath) {
    case .success(let path): object.appending(path).expression
    case .failure(let error): .refused(error)
    }
  }

  /// An element.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> QueryField<Value> {
    QueryField(expression(of: keyPath))
  }

  /// An element of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> QueryChoice<Value> where Value.RawValue: AttributeValue {
    QueryChoice(expression(of: keyPath))
  }

  /// An optional element of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value?>
  ) -> QueryChoice<Value> where Value.RawValue: AttributeValue {
    QueryChoice(expression(of: keyPath))
  }

  /// A composite within the composite.
  public subscript<Inner: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Composite, Inner>
  ) -> QueryComposite<Inner> {
    QueryComposite<Inner>(object, path(to: keyPath))
  }

  /// An optional composite within the composite.
  public subscript<Inner: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Composite, Inner?>
  ) -> QueryComposite<Inner> {
    QueryComposite<Inner>(object, path(to: keyPath))
  }
}

extension QueryObject {
  /// A composite attribute.
  public subscript<Composite: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Root, Composite>
  ) -> QueryComposite<Composite> {
    QueryComposite<Composite>(expression, path(to: keyPath))
  }

  /// An optional composite attribute.
  public subscript<Composite: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Root, Composite?>
  ) -> QueryComposite<Composite> {
    QueryComposite<Composite>(expression, path(to: keyPath))
  }

  private func path(to keyPath: AnyKeyPath) -> Result<[String], RefusedKeyPath> {
    do throws(RefusedKeyPath) {
      return .success(try Root.storedPath(for: keyPath))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the composite at a key path, whose elements are columns.
  package static func composite<Composite: CompositeNaming>(
    at keyPath: AnyKeyPath, of type: Composite.Type,
    from object: FetchExpression = .evaluatedObject
  ) -> QueryComposite<Composite> {
    let root = QueryObject(object)
    return QueryComposite<Composite>(object, root.path(to: keyPath))
  }
}

// MARK: - Comparisons

extension QueryComposite {
  /// Whether all elements are equal to those of a value; nil tests whether all of them are nil.
  public static func == (left: QueryComposite, right: Composite?) -> FetchPredicate {
    let values = right?._elementValues
    let parts = Composite._elementPaths.indices.map { index in
      left.element(Composite._elementPaths[index], equals: values?[index] ?? .null)
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  /// Whether an element differs from that of a value; nil tests whether an element has a value.
  public static func != (left: QueryComposite, right: Composite?) -> FetchPredicate {
    !(left == right)
  }

  private func element(_ path: [String], equals value: Value) -> FetchPredicate {
    let element: FetchExpression =
      switch steps {
      case .success(let steps): object.appending(steps + path).expression
      case .failure(let error): .refused(error)
      }
    return .comparison(
      ComparisonPredicate(
        element, .equalTo, PredicateArgument.canonical(value) ?? .constant(value)))
  }
}

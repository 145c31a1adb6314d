// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Convenience initializers of descriptions. They are in this module and not in the descriptions' own: Core Data has
// none of them, and a program that uses its names may have its own.
//
// An initializer does not call the observers of the properties that it assigns. Where a description depends on one, a
// method assigns the property.

extension EntityDescription {
  /// Makes an entity that belongs to no model yet.
  ///
  /// - Parameter name: The name, unique in the model.
  public convenience init(name: String?) {
    self.init()
    self.name = name
  }
}

extension AttributeDescription {
  /// Makes an attribute that belongs to no entity yet.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - type: The type of the values.
  public convenience init(name: String = "", type: AttributeType) {
    self.init()
    self.name = name
    self.type = type
  }

  /// Makes an attribute without a type that belongs to no entity yet.
  ///
  /// - Parameter name: The name.
  public convenience init(name: String) {
    self.init()
    self.name = name
  }
}

extension CompositeAttributeDescription {
  /// Makes a composite attribute.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - elements: Attributes, or other composites.
  public convenience init(name: String = "", elements: [PropertyDescription]) {
    self.init()
    self.name = name
    take(elements)
  }

  private func take(_ elements: [PropertyDescription]) { self.elements = elements }
}

extension RelationshipDescription {
  /// Makes a relationship that belongs to no entity yet.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - destination: The entity of the destinations.
  ///   - maxCount: 1 for a to-one relationship, 0 for any number.
  public convenience init(
    name: String, destination: EntityDescription? = nil, maxCount: Int = 0
  ) {
    self.init()
    self.name = name
    destinationEntity = destination
    self.maxCount = maxCount
  }
}

extension ExpressionDescription {
  /// Makes a column.
  ///
  /// - Parameters:
  ///   - name: The column's name.
  ///   - expression: The expression to compute.
  ///   - resultType: The type of the result.
  public convenience init(
    name: String, expression: (any ModelExpression)? = nil, resultType: AttributeType = .undefined
  ) {
    self.init()
    self.name = name
    self.expression = expression
    self.resultType = resultType
  }
}

extension FetchedPropertyDescription {
  /// Makes a fetched property that belongs to no entity yet.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - fetchRequest: The request.
  public convenience init(name: String, fetchRequest: (any ModelFetchRequest)? = nil) {
    self.init()
    self.name = name
    take(fetchRequest)
  }

  private func take(_ request: (any ModelFetchRequest)?) { fetchRequest = request }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

// Short functions to make resolved requests.
extension Company {
  func path(_ name: String, of entity: EntityDescription? = nil) -> ResolvedPath {
    let entity = entity ?? person
    if let attribute = entity.attributesByName[name] {
      return ResolvedPath(
        root: .object, relationships: [], end: .attribute(attribute, slot(name, of: entity)))
    }
    return ResolvedPath(
      root: .object, relationships: [entity.relationshipsByName[name]!], end: .object)
  }

  /// Returns the path to an attribute through a to-one relationship of a person.
  func path(_ relationship: String, _ name: String) -> ResolvedPath {
    ResolvedPath(
      root: .object, relationships: [person.relationshipsByName[relationship]!],
      end: .attribute(department.attributesByName[name]!, slot(name, of: department)))
  }

  func compare(
    _ path: ResolvedPath, _ comparison: ComparisonPredicate.Comparison, _ right: Value
  ) -> ResolvedPredicate {
    .comparison(
      ResolvedComparison(left: .path(path), comparison: comparison, right: .constant(right)))
  }

  var selfPath: ResolvedPath {
    ResolvedPath(root: .object, relationships: [], end: .object)
  }

  func compare(
    _ name: String, _ comparison: ComparisonPredicate.Comparison, _ right: Value,
    of entity: EntityDescription? = nil, options: ComparisonPredicate.Options = []
  ) -> ResolvedPredicate {
    let isList = comparison == .in || comparison == .between
    var operand = ResolvedExpression.constant(right)
    if isList, case .list(let values) = right { operand = .list(values) }
    return .comparison(
      ResolvedComparison(
        left: .path(path(name, of: entity)), comparison: comparison, right: operand,
        options: options))
  }

  func sort(_ name: String, ascending: Bool = true, of entity: EntityDescription? = nil)
    -> ResolvedSort
  {
    ResolvedSort(path: path(name, of: entity), ascending: ascending, comparator: .binary)
  }

  func fetch(
    _ predicate: ResolvedPredicate? = nil, sort: [ResolvedSort] = [], limit: Int? = nil,
    offset: Int = 0, of entity: EntityDescription? = nil, result: ResolvedFetch.Result = .rows
  ) -> ResolvedFetch {
    let entity = entity ?? person
    return ResolvedFetch(
      entity: entity, entities: entity.concreteEntities, predicate: predicate, sort: sort,
      limit: limit, offset: offset, result: result)
  }

  func id(_ key: Int64) -> Value {
    .objectID(schema.objectID(forKey: key)!)
  }
}

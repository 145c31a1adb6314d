// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// Conditions and orders made at random, of every shape that a request can have.
extension RandomOffice {
  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func chance(_ oneIn: Int) -> Bool {
    number(0..<oneIn) == 0
  }

  /// Returns a condition on the objects of an entity.
  mutating func predicate(_ entity: EntityDescription, depth: Int = 3) -> ResolvedPredicate {
    switch depth > 0 ? number(0..<10) : 9 {
    case 0: .not(predicate(entity, depth: depth - 1))
    case 1: .and((0..<number(0..<4)).map { _ in predicate(entity, depth: depth - 1) })
    case 2: .or((0..<number(0..<4)).map { _ in predicate(entity, depth: depth - 1) })
    case 3: .comparison(quantified(entity))
    case 4: .comparison(collection(entity, depth: depth))
    case 5: .comparison(identity(entity))
    case 6: .comparison(computed(entity))
    default: .comparison(simple(entity, root: .object))
    }
  }

  // MARK: - Paths

  private mutating func attribute(_ entity: EntityDescription) -> AttributeDescription {
    pick(entity.attributesInOrder.filter { $0.slot != nil })
  }

  /// Returns the path to an attribute of an object or of the destinations of its to-one relationships.
  private mutating func path(
    _ entity: EntityDescription, root: ResolvedPath.Root,
    after steps: [RelationshipDescription] = [], type: AttributeType? = nil
  ) -> (path: ResolvedPath, type: AttributeType) {
    var entity = entity
    var steps = steps
    while chance(3) {
      let next = entity.relationshipsInOrder.filter { !$0.isToMany }
      guard !next.isEmpty, steps.count < 4 else { break }
      let step = pick(next)
      steps.append(step)
      entity = step.destinationEntity ?? entity
    }
    let attributes = entity.attributesInOrder.filter {
      $0.slot != nil && (type == nil || $0.type == type)
    }
    let attribute = attributes.isEmpty ? attribute(entity) : pick(attributes)
    guard let slot = attribute.slot else { preconditionFailure("A stored attribute has a slot.") }
    return (
      ResolvedPath(root: root, relationships: steps, end: .attribute(attribute, slot)),
      attribute.type
    )
  }

  // MARK: - Comparisons

  private mutating func comparison(_ type: AttributeType) -> ComparisonPredicate.Comparison {
    let ordered: [ComparisonPredicate.Comparison] = [
      .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo,
      .in,
      .between,
    ]
    switch type {
    case .transformable: return chance(2) ? .equalTo : .notEqualTo
    case .string: return pick(ordered + [.contains, .beginsWith, .endsWith, .like])
    default: return pick(ordered)
    }
  }

  private mutating func options(_ type: AttributeType) -> ComparisonPredicate.Options {
    guard type == .string, chance(2) else { return [] }
    return pick([
      .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ])
  }

  private mutating func operand(
    _ comparison: ComparisonPredicate.Comparison, _ type: AttributeType
  ) -> ResolvedExpression {
    switch comparison {
    case .in: .list((0..<pick([0, 1, 2, 5, 12])).map { _ in value(type) })
    case .between: .list([value(type), value(type)])
    default: .constant(value(chance(12) ? pick([.string, .double, .integer64, .decimal]) : type))
    }
  }

  private mutating func simple(
    _ entity: EntityDescription, root: ResolvedPath.Root,
    after steps: [RelationshipDescription] = []
  ) -> ResolvedComparison {
    let (path, type) = path(entity, root: root, after: steps)
    let comparison = comparison(type)
    if comparison != .in, comparison != .between, comparison != .like, chance(5) {
      let (other, _) = self.path(entity, root: root, type: type)
      return ResolvedComparison(
        left: .path(path), comparison: comparison, right: .path(other), options: options(type))
    }
    let right = operand(comparison, type)
    if case .constant = right, comparison.isSymmetric, chance(6) {
      return ResolvedComparison(left: right, comparison: comparison, right: .path(path))
    }
    return ResolvedComparison(
      left: .path(path), comparison: comparison, right: right, options: options(type))
  }

  private mutating func toMany(
    _ entity: EntityDescription
  ) -> (steps: [RelationshipDescription], end: EntityDescription)? {
    var steps: [RelationshipDescription] = []
    var entity = entity
    repeat {
      let next = entity.relationshipsInOrder.filter { $0.isToMany || chance(2) }
      guard !next.isEmpty, steps.count < 3 else { break }
      let step = pick(next)
      steps.append(step)
      entity = step.destinationEntity ?? entity
    } while !(steps.last?.isToMany ?? false) || chance(4)
    return steps.contains(where: \.isToMany) ? (steps, entity) : nil
  }

  /// Returns a comparison with ANY or ALL.
  private mutating func quantified(_ entity: EntityDescription) -> ResolvedComparison {
    guard let (steps, end) = toMany(entity) else { return simple(entity, root: .object) }
    var result = simple(end, root: .object, after: steps)
    while case .path = result.right { result = simple(end, root: .object, after: steps) }
    if case .constant = result.left { swap(&result.left, &result.right) }
    result.modifier = chance(2) ? .any : .all
    return result
  }

  /// Returns a comparison with a collection operator or a subquery.
  private mutating func collection(_ entity: EntityDescription, depth: Int) -> ResolvedComparison {
    guard let (steps, end) = toMany(entity) else { return simple(entity, root: .object) }
    let comparison = pick([
      ComparisonPredicate.Comparison.equalTo, .greaterThan, .lessThanOrEqualTo, .notEqualTo,
    ])
    let count = ResolvedExpression.constant(.integer(Int64(number(0..<4))))
    let objects = ResolvedPath(root: .object, relationships: steps, end: .object)
    if chance(3) {
      let left = ResolvedExpression.aggregate(.count, objects)
      return ResolvedComparison(left: left, comparison: comparison, right: count)
    }
    if chance(2), steps.last?.isToMany == true {
      let member = simple(end, root: .variable(0))
      let condition: ResolvedPredicate =
        chance(2)
        ? .comparison(member)
        : .or([.comparison(member), .not(.comparison(simple(entity, root: .object)))])
      return ResolvedComparison(
        left: .subqueryCount(objects, variable: 0, condition), comparison: comparison, right: count)
    }
    let function = pick([FetchFunction.sum, .minimum, .maximum, .average])
    // A sum of decimals is rounded to 38 digits, so it depends on the order of its terms.
    let types: [AttributeType] = [.integer32, .integer64, .date, .string]
    let isSum = function == .sum || function == .average
    let (path, type) = path(
      end, root: .object, after: steps, type: pick(isSum ? types : types + [.decimal]))
    if isSum, type == .decimal { return simple(entity, root: .object) }
    return ResolvedComparison(
      left: .aggregate(function, path), comparison: comparison, right: .constant(value(type)))
  }

  /// Returns a comparison of objects or entities.
  private mutating func identity(_ entity: EntityDescription) -> ResolvedComparison {
    if chance(4) {
      let left = ResolvedExpression.path(
        ResolvedPath(root: .object, relationships: [], end: .entity))
      let entities = [office.names.person, office.names.employee, office.names.manager]
      if chance(2) {
        return ResolvedComparison(left: left, comparison: .in, right: .entities([pick(entities)]))
      }
      return ResolvedComparison(
        left: left, comparison: chance(2) ? .equalTo : .notEqualTo, right: .entity(pick(entities)))
    }
    let steps = entity.relationshipsInOrder.filter { !$0.isToMany }
    let step = chance(4) || steps.isEmpty ? [] : [pick(steps)]
    let path = ResolvedPath(root: .object, relationships: step, end: .object)
    let end = step.first?.destinationEntity ?? entity
    let ids = source.rows(end).compactMap { source.objectID(for: $0.key) }
    var values = (0..<number(1..<4)).map { _ in
      chance(5) || ids.isEmpty ? Value.null : .objectID(pick(ids))
    }
    if chance(8) { values.append(.objectID(IDScope.makeTemporaryID(for: end))) }
    if chance(2) {
      return ResolvedComparison(left: .path(path), comparison: .in, right: .list(values))
    }
    return ResolvedComparison(
      left: .path(path), comparison: chance(2) ? .equalTo : .notEqualTo, right: .constant(values[0])
    )
  }

  /// Returns a comparison of computed values.
  private mutating func computed(_ entity: EntityDescription) -> ResolvedComparison {
    let numeric: [AttributeType] = [.integer32, .integer64, .double, .decimal]
    let function = pick([
      FetchFunction.add, .subtract, .multiply, .divide, .modulus, .absolute, .negate, .floor,
      .ceiling, .length, .uppercase, .lowercase, .canonical, .bitwiseAnd, .leftShift,
    ])
    let comparison = pick([
      ComparisonPredicate.Comparison.equalTo, .notEqualTo, .lessThan, .greaterThanOrEqualTo,
    ])
    switch function {
    case .length, .uppercase, .lowercase, .canonical:
      let (path, _) = path(entity, root: .object, type: .string)
      let type: AttributeType = function == .length ? .integer64 : .string
      return ResolvedComparison(
        left: .function(function, [.path(path)]), comparison: comparison,
        right: .constant(value(type)))
    case .absolute, .negate, .floor, .ceiling:
      let (path, type) = path(entity, root: .object, type: pick(numeric))
      return ResolvedComparison(
        left: .function(function, [.path(path)]), comparison: comparison,
        right: .constant(value(type)))
    default:
      let (left, type) = path(entity, root: .object, type: pick(numeric))
      let right: ResolvedExpression =
        chance(2)
        ? .constant(value(pick(numeric)))
        : .path(path(entity, root: .object, type: pick(numeric)).path)
      return ResolvedComparison(
        left: .function(function, [.path(left), right]), comparison: comparison,
        right: .constant(value(type)))
    }
  }

  // MARK: - Columns

  /// Returns columns of every kind.
  mutating func columns(_ entity: EntityDescription) -> ResolvedColumns {
    let kind = number(0..<3)
    let keys = (0..<number(kind == 2 ? 1..<3 : 1..<4)).map { _ in column(entity) }
    switch kind {
    case 0: return ResolvedColumns(columns: keys, distinct: chance(2))
    case 1:
      return ResolvedColumns(columns: (0..<number(1..<4)).map { _ in aggregate(entity) })
    default:
      let aggregates = (0..<number(0..<3)).map { _ in aggregate(entity) }
      let having = aggregates.first.map { column in
        ResolvedComparison(
          left: column.expression, comparison: pick([.greaterThan, .notEqualTo, .equalTo]),
          right: .constant(value(column.type)))
      }
      return ResolvedColumns(
        columns: keys + aggregates, groupBy: keys.map(\.expression),
        having: chance(2) ? having.map(ResolvedPredicate.comparison) : nil, distinct: chance(4))
    }
  }

  private mutating func column(_ entity: EntityDescription) -> ResolvedColumns.Column {
    if chance(4), let toOne = entity.relationshipsInOrder.first(where: { !$0.isToMany }) {
      let path = ResolvedPath(root: .object, relationships: [toOne], end: .object)
      return ResolvedColumns.Column(
        name: toOne.name, expression: .path(path), isAggregate: false, type: .objectID)
    }
    let (path, type) = path(entity, root: .object, type: pick([.string, .integer32, .boolean]))
    return ResolvedColumns.Column(
      name: "key", expression: .path(path), isAggregate: false, type: type)
  }

  private mutating func aggregate(_ entity: EntityDescription) -> ResolvedColumns.Column {
    var function = pick([FetchFunction.count, .sum, .average, .minimum, .maximum])
    let type = pick([AttributeType.integer32, .integer64, .string, .date])
    let isSum = function == .sum || function == .average
    let (path, found) = path(entity, root: .object, type: isSum ? .integer32 : type)
    if isSum, found != .integer32 { function = .count }
    let objects = ResolvedPath(root: .object, relationships: [], end: .object)
    let argument = ResolvedExpression.path(function == .count && chance(2) ? objects : path)
    return ResolvedColumns.Column(
      name: "value", expression: .function(function, [argument]), isAggregate: true,
      type: function == .count ? .integer64 : function == .average ? .double : found)
  }

  // MARK: - Orders

  /// Returns sort orders for the objects of an entity.
  mutating func order(_ entity: EntityDescription) -> [ResolvedSort] {
    (0..<number(0..<4)).map { _ in
      let (path, _) = path(entity, root: .object)
      return ResolvedSort(
        path: path, ascending: chance(2), comparator: chance(3) ? .caseInsensitive : .binary)
    }
  }
}

extension ComparisonPredicate.Comparison {
  fileprivate var isSymmetric: Bool {
    switch self {
    case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      true
    default: false
    }
  }
}

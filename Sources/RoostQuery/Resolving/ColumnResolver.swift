// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Resolves the columns, groups and the condition on groups of a dictionary fetch (B131 to B135).
struct ColumnResolver {
  let resolver: RequestResolver
  let entity: EntityDescription
  let criteria: FetchCriteria

  /// A column before it is resolved.
  private struct Draft {
    var name: String
    var expression: FetchExpression
    var type: AttributeType?
  }

  /// Returns the columns, and the sort order as far as it applies to them.
  func resolve(_ sort: [ResolvedSort]) throws -> (ResolvedColumns, [ResolvedSort]) {
    let drafts = try columnDrafts()
    let groups = try (criteria.propertiesToGroupBy ?? []).flatMap { try self.drafts($0) }
    let columns = try drafts.map { try column($0) }
    var resolved = ResolvedColumns(
      columns: columns, groupBy: try groups.map { try groupKey($0) },
      having: try having(drafts), distinct: criteria.returnsDistinctResults)
    guard resolved.isAggregated else { return (resolved, sort) }
    let grouped = Set(groups.map(\.expression))
    try checkGroups(drafts, grouped)
    if grouped.isEmpty { return (resolved, []) }
    for step in criteria.sortDescriptors ?? []
    where !grouped.contains(FetchExpression(forKeyPath: step.key)) {
      throw invalid("“\(step.key)” is not grouped, so groups cannot be sorted by it")
    }
    // Groups are distinct by their keys; columns that omit the keys may have duplicates.
    resolved.distinct = resolved.distinct && !drafts.isEmpty
    return (resolved, sort)
  }

  /// Checks the property names of an object fetch, and refuses expressions (B132).
  func checkPartialFaults() throws {
    for property in criteria.propertiesToFetch ?? [] {
      guard !(property is ExpressionDescription) else {
        throw invalid("expressions are fetched into dictionaries only")
      }
      for draft in try drafts(property) { _ = try column(draft) }
    }
  }

  // MARK: Columns

  private func columnDrafts() throws -> [Draft] {
    if let properties = criteria.propertiesToFetch {
      guard !properties.isEmpty else { throw invalid("a dictionary has at least one property") }
      return try properties.flatMap { try drafts($0) }
    }
    return entity.attributesInOrder.filter(\.isStored).flatMap { drafts($0) }
  }

  private func drafts(_ property: any FetchableProperty) throws -> [Draft] {
    switch property {
    case let column as ExpressionDescription: return [try draft(column)]
    case let attribute as AttributeDescription:
      try checkOwner(attribute)
      return drafts(attribute)
    case let property as PropertyDescription:
      try checkOwner(property)
      return [Draft(name: property.name, expression: .keyPath([property.name]))]
    default:
      let name = property.fetchedName
      if let composite = entity.attributesByName[name] as? CompositeAttributeDescription {
        return drafts(composite)
      }
      return [Draft(name: name, expression: FetchExpression(forKeyPath: name))]
    }
  }

  private func draft(_ column: ExpressionDescription) throws -> Draft {
    guard let expression = column.expression else {
      // As in Core Data, a column without an expression is the property with its name.
      guard entity.propertiesByName[column.name] != nil else {
        throw invalid("the column “\(column.name)” has no expression")
      }
      return Draft(name: column.name, expression: .keyPath([column.name]))
    }
    return Draft(
      name: column.name, expression: try FetchExpression(expression),
      type: column.resultType == .undefined ? nil : column.resultType)
  }

  /// Returns the attribute, or the elements of a composite under their dotted names.
  private func drafts(_ attribute: AttributeDescription) -> [Draft] {
    var result: [Draft] = []
    var open: [(path: [String], attribute: AttributeDescription)] = [([attribute.name], attribute)]
    while let (path, attribute) = open.popLast() {
      if let composite = attribute as? CompositeAttributeDescription {
        for case let element as AttributeDescription in composite.elements.reversed() {
          open.append((path + [element.name], element))
        }
      } else {
        result.append(Draft(name: path.joined(separator: "."), expression: .keyPath(path)))
      }
    }
    return result
  }

  private func checkOwner(_ property: PropertyDescription) throws {
    guard entity.property(named: property.name) === property else {
      throw PersistenceError(
        .unknownKey,
        "“\(entity.name ?? "")” does not have the property “\(property.name)” that was "
          + "given as a description.", entityName: entity.name, key: property.name)
    }
  }

  private func column(_ draft: Draft) throws -> ResolvedColumns.Column {
    let typed = try typed(draft.expression)
    return ResolvedColumns.Column(
      name: draft.name, expression: typed.expression,
      isAggregate: typed.expression.aggregatesRows,
      type: draft.type ?? attributeType(of: typed))
  }

  private func attributeType(of typed: PredicateResolver.Typed) -> AttributeType {
    if let path = typed.path, case .attribute(let attribute, _) = path.end { return attribute.type }
    return typed.type.attributeType
  }

  private func typed(_ expression: FetchExpression) throws -> PredicateResolver.Typed {
    try resolver.checkShape(QueryShape(of: expression), entity)
    var resolver = resolver.resolver(for: entity)
    resolver.aggregatesGroups = true
    let typed = try resolver.expression(expression)
    guard !typed.isToMany else {
      throw invalid("“\(typed.key ?? "")” has many values and cannot be a column")
    }
    return typed
  }

  // MARK: Groups

  private func groupKey(_ draft: Draft) throws -> ResolvedExpression {
    let typed = try typed(draft.expression)
    guard !typed.expression.aggregatesRows else {
      throw invalid("“\(draft.name)” aggregates rows, so it cannot make groups")
    }
    return typed.expression
  }

  private func having(_ drafts: [Draft]) throws -> ResolvedPredicate? {
    guard let predicate = criteria.havingPredicate else { return nil }
    try resolver.checkShape(QueryShape(of: predicate), entity)
    var resolver = resolver.resolver(for: entity)
    resolver.aggregatesGroups = true
    resolver.columns = Dictionary(
      drafts.map { ($0.name, $0.expression) }, uniquingKeysWith: { first, _ in first })
    return try resolver.predicate(predicate)
  }

  /// Checks that columns and the HAVING condition only use grouped properties, aggregates and constants (B134).
  private func checkGroups(_ drafts: [Draft], _ grouped: Set<FetchExpression>) throws {
    var values = GroupValues(grouped: grouped) { expression in
      try typed(expression).expression.isGroupAggregate
    }
    for draft in drafts where !(try values.include(draft.expression)) {
      throw invalid("“\(draft.name)” is neither grouped nor an aggregate")
    }
    for draft in drafts where entity.property(named: draft.name) == nil {
      values.grouped.insert(.keyPath([draft.name]))
      values.grouped.insert(.variable(draft.name))
    }
    guard let having = criteria.havingPredicate, !(try values.include(having)) else { return }
    throw invalid("the condition on groups has a part that is neither grouped nor an aggregate")
  }

  private func invalid(_ message: String) -> PersistenceError {
    resolver.invalid(message, criteria)
  }
}

extension ResolvedExpression {
  /// Whether it aggregates the rows of a group, rather than the members of one row's relationship.
  fileprivate var isGroupAggregate: Bool {
    if case .function(let function, _) = self { return function.isAggregate }
    return false
  }

  /// Whether a function in the expression aggregates the rows of a group. It recurses to the depth of the tree, which
  /// was checked.
  var aggregatesRows: Bool {
    switch self {
    case .function(let function, let arguments):
      function.isAggregate || arguments.contains(where: \.aggregatesRows)
    case .conditional(_, let first, let second): first.aggregatesRows || second.aggregatesRows
    default: false
    }
  }
}

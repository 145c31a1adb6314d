// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// Relationships that move to another place, become ordered, or lead to removed records.
extension SQLEvolution {
  func relations() -> [SQLEvolutionTask] {
    change.moves.flatMap { move -> [SQLEvolutionTask?] in
      switch move.to {
      case .links(let links):
        guard let table = destination.linkTable(links) else { return [] }
        guard !move.isShared else { return [filling(move, table), lastOrdering(move, in: table)] }
        return [
          move.keepsTable && kept.table(of: links) != nil
            ? ordering(move, in: table) : filling(move, table)
        ]
      case .slot(let relationship):
        let task = move.staysInSlot ? nil : filling(move, relationship)
        guard move.isShared else { return [task ?? ordering(move, relationship)] }
        return [
          move.shareIndex == 0 ? check(move, relationship) : nil, task,
          isLast(move) ? ordering(move, relationship) : nil,
        ]
      }
    }.compactMap { $0 }
  }

  /// Returns whether a move is the last one to its place.
  private func isLast(_ move: RelationMove) -> Bool {
    move.shareIndex == change.moves(sharing: move).count - 1
  }

  /// Assigns positions to the pairs of several moves to one table, after the last move.
  private func lastOrdering(
    _ move: RelationMove, in table: SQLLinkTable
  ) -> SQLEvolutionTask? {
    isLast(move) ? ordering(move, in: table) : nil
  }

  /// Returns a task that refuses records to which several moves bring different destinations.
  private func check(
    _ move: RelationMove, _ relationship: RelationshipDescription
  ) -> SQLEvolutionTask? {
    let queries = change.moves(sharing: move).compactMap { pairs($0, inRanges: false)?.text }
    let all = queries.map { "SELECT f, s FROM (\($0)) AS pairs" }.joined(separator: " UNION ")
    let claims =
      "SELECT f FROM (\(all)) AS claimed GROUP BY f"
      + " HAVING \(dialect.functionNames.count)(*) > 1 ORDER BY f"
    let entity = relationship.entity?.name ?? ""
    return SQLEvolutionTask(
      "check \(entity).\(relationship.name)", kind: .move,
      actions: [.refuseClaims(query: claims, entity: entity, key: relationship.name)])
  }

  // MARK: - Pairs

  /// A query for the pairs of a move, in the form of their new place: `f`, `s`, and their positions `pf` among the
  /// firsts of one second and `ps` among the seconds of one first.
  private struct Pairs {
    var text: String
    /// The table from which they come, which can be read in key ranges.
    let place: Place
    let column: String
    /// The extent of the pairs in the old place.
    let extent: SQLEvolutionTask.Extent
  }

  private func pairs(_ move: RelationMove, inRanges: Bool) -> Pairs? {
    var columns: (first: String, second: String, firsts: String, seconds: String)
    let null = "CAST(NULL AS \(dialect.columnType(.position)))"
    var conditions: [String] = []
    let result: Pairs
    switch move.from {
    case .slot(let relationship):
      guard let entity = relationship.entity.flatMap(source.entity), let slot = relationship.slot,
        let column = entity.column(slot)
      else { return nil }
      let place = place(ofSource: entity.table)
      let position = move.from.positionSlot.flatMap(entity.column)
      columns = (
        key, dialect.quoted(column.name), position.map { dialect.quoted($0.name) } ?? null, null
      )
      conditions.append("\(columns.second) IS NOT NULL")
      let codes = sourceCodes(relationship.entity).sorted()
      if let condition = condition(codes, in: place) { conditions.append(condition) }
      result = Pairs(
        text: "", place: place, column: key,
        extent: .values(table: place.reference, codes: codes, column: column.name))
    case .links(let links):
      guard let table = source.linkTable(links) else { return nil }
      let place = place(ofSource: table)
      columns = (
        dialect.quoted(SQLLinkTable.source), dialect.quoted(SQLLinkTable.destination),
        dialect.quoted(SQLLinkTable.inversePosition), dialect.quoted(SQLLinkTable.position)
      )
      result = Pairs(
        text: "", place: place, column: columns.first, extent: .links(table: place.reference))
    }
    if inRanges { conditions.append(inRange(columns.first)) }
    if move.isReversed {
      columns = (columns.second, columns.first, columns.seconds, columns.firsts)
    }
    conditions += allowed(move, first: columns.first, second: columns.second)
    let end = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    var pairs = result
    pairs.text =
      "SELECT \(columns.first) AS f, \(columns.second) AS s, \(columns.firsts) AS pf, "
      + "\(columns.seconds) AS ps FROM \(result.place.reference)" + end
    return pairs
  }

  private func place(ofSource table: SQLLinkTable) -> Place {
    Place(reference: table.reference, alias: dialect.quoted(table.name), codes: [])
  }

  /// Returns conditions that leave out pairs of records that can no longer be related.
  private func allowed(_ move: RelationMove, first: String, second: String) -> [String] {
    let new = move.to.relationship
    let old = move.from.relationship
    let ends = (sourceCodes(old.entity), sourceCodes(old.destinationEntity))
    let (firsts, seconds) = move.isReversed ? (ends.1, ends.0) : ends
    var conditions: [String] = []
    let allowedFirsts = destinationCodes(new.entity)
    let allowedSeconds = destinationCodes(new.destinationEntity)
    if !allowedFirsts.isSuperset(of: firsts) {
      conditions.append(condition(first, names: firsts.intersection(allowedFirsts), others: true))
    }
    if !allowedSeconds.isSuperset(of: seconds) {
      conditions.append(
        condition(second, names: seconds.intersection(allowedSeconds), others: true))
    }
    return conditions
  }

  /// Returns the positions of a new order: by key, with the same gaps as in saves.
  private func rank(by group: String, _ member: String, after position: String? = nil) -> String {
    // Rows without a position come last.
    let before = position.map { "\($0) IS NULL, \($0), " } ?? ""
    return
      "\(PositionSpacing.first) + \(PositionSpacing.spacing) * (\(dialect.functionNames.rowNumber)()"
      + " OVER (PARTITION BY \(group) ORDER BY \(before)\(member)) - 1)"
  }

  // MARK: - Moves to a link table

  private func filling(_ move: RelationMove, _ table: SQLLinkTable) -> SQLEvolutionTask? {
    let links = table.links
    let wasSymmetric =
      if case .links(let old) = move.from { old.isSymmetric } else { false }
    let doubles = links.isSymmetric && !wasSymmetric
    // One direction of new pairs has no positions. The pairs of several moves are ordered together, after the last
    // move.
    let ranks = !move.isShared
    let ranksSeconds = ranks && links.sourceIsOrdered && (doubles || !move.carriesSeconds)
    let ranksFirsts = ranks && links.destinationIsOrdered && (doubles || !move.carriesFirsts)
    // An order by the end whose keys are iterated needs all its pairs in one range.
    let isWhole = doubles || (move.isReversed ? ranksSeconds : ranksFirsts)
    guard let pairs = pairs(move, inRanges: !isWhole) else { return nil }
    var query = pairs.text
    if doubles {
      let minimum = dialect.functionNames.minimum
      query =
        "SELECT f, s, \(minimum)(pf) AS pf, \(minimum)(ps) AS ps FROM (SELECT f, s, pf, ps FROM (\(query))"
        + " AS one UNION ALL SELECT s, f, ps, pf FROM (\(query)) AS other) AS doubled GROUP BY f, s"
    }
    let position = ranksSeconds ? rank(by: "f", "s") : links.sourceIsOrdered ? "ps" : "NULL"
    let inverse = ranksFirsts ? rank(by: "s", "f") : links.destinationIsOrdered ? "pf" : "NULL"
    let columns = SQLLinkTable.columns.map(dialect.quoted).joined(separator: ", ")
    let text =
      "INSERT INTO \(table.reference) (\(columns)) SELECT f, s, \(position), \(inverse)"
      + " FROM (\(query)) AS pairs" + (move.isShared ? absent(from: table) : "")
    return SQLEvolutionTask(
      "move \(links.name)", kind: .move, extent: pairs.extent,
      actions: [isWhole ? .writeAll(text) : ranged(text, over: pairs.place, by: pairs.column)],
      isHidden: kept.table(of: links) == nil)
  }

  /// Returns a condition that leaves out pairs that another move has brought.
  private func absent(from table: SQLLinkTable) -> String {
    let place = place(of: table)
    return " WHERE NOT EXISTS (SELECT 1 FROM \(place.reference)"
      + " WHERE \(place.alias).\(dialect.quoted(SQLLinkTable.source)) = pairs.f"
      + " AND \(place.alias).\(dialect.quoted(SQLLinkTable.destination)) = pairs.s)"
  }

  private func ordering(_ move: RelationMove, in table: SQLLinkTable) -> SQLEvolutionTask? {
    let place = place(of: table)
    let source = dialect.quoted(SQLLinkTable.source)
    let destination = dialect.quoted(SQLLinkTable.destination)
    func text(
      _ column: String, _ group: String, _ member: String, _ condition: String = ""
    ) -> String {
      "UPDATE \(place.reference) SET \(dialect.quoted(column)) = r.p FROM (SELECT \(source) AS f,"
        + " \(destination) AS s,"
        + " \(rank(by: group, member, after: move.isShared ? dialect.quoted(column) : nil)) AS p"
        + " FROM \(place.reference)\(condition)) AS r"
        + " WHERE \(place.alias).\(source) = r.f AND \(place.alias).\(destination) = r.s"
    }
    var actions: [SQLEvolutionTask.Action] = []
    if table.links.sourceIsOrdered, move.isShared || !move.carriesSeconds {
      // The table is ordered by source, so all links of one source are in one range.
      actions.append(
        ranged(
          text(SQLLinkTable.position, source, destination, " WHERE \(inRange(source))"),
          over: place, by: source))
    }
    if table.links.destinationIsOrdered, move.isShared || !move.carriesFirsts {
      actions.append(.writeAll(text(SQLLinkTable.inversePosition, destination, source)))
    }
    guard !actions.isEmpty else { return nil }
    return SQLEvolutionTask(
      "order \(table.links.name)", kind: .move, extent: .links(table: place.reference),
      actions: actions, isHidden: kept.table(of: table.links) == nil)
  }

  // MARK: - Moves to a slot

  private func filling(
    _ move: RelationMove, _ relationship: RelationshipDescription
  ) -> SQLEvolutionTask? {
    guard let entity = relationship.entity.flatMap(destination.entity),
      let slot = relationship.slot, let column = entity.column(slot)
    else { return nil }
    let position = move.to.positionSlot.flatMap(entity.column)
    let ranks = position != nil && !move.carriesFirsts && !move.isShared
    guard let pairs = pairs(move, inRanges: !ranks), let all = self.pairs(move, inRanges: false)
    else { return nil }
    let place = place(of: entity.table)
    let name = relationship.name
    var query = pairs.text
    if ranks { query = "SELECT f, s, \(rank(by: "s", "f")) AS pf FROM (\(query)) AS all_pairs" }
    var assignments = ["\(dialect.quoted(column.name)) = r.s"]
    if let position {
      let name = dialect.quoted(position.name)
      assignments.append(
        "\(name) = \(move.isShared ? "coalesce(r.pf, \(place.alias).\(name))" : "r.pf")")
    }
    let text =
      "UPDATE \(place.reference) SET \(assignments.joined(separator: ", ")) FROM (\(query)) AS r"
      + " WHERE \(place.alias).\(key) = r.f"
    let claims =
      "SELECT f FROM (\(all.text)) AS pairs GROUP BY f"
      + " HAVING \(dialect.functionNames.count)(*) > 1 ORDER BY f"
    return SQLEvolutionTask(
      "move \(relationship.entity?.name ?? "").\(name)", kind: .move, extent: pairs.extent,
      actions: [
        .refuseClaims(query: claims, entity: relationship.entity?.name ?? "", key: name),
        ranks ? .writeAll(text) : ranged(text, over: pairs.place, by: pairs.column),
      ],
      isHidden: isNew(column, in: entity.table)
        && position.map { isNew($0, in: entity.table) } ?? true)
  }

  /// Returns queries for records that have no destination in a new column, although a move was to bring one.
  func missedMoves() -> [String] {
    change.moves.compactMap { move in
      guard case .slot(let relationship) = move.to, !move.staysInSlot,
        let entity = relationship.entity.flatMap(destination.entity),
        let column = relationship.slot.flatMap(entity.column), isNew(column, in: entity.table),
        let pairs = pairs(move, inRanges: false)
      else { return nil }
      let place = place(of: entity.table)
      return "SELECT pairs.f FROM (\(pairs.text)) AS pairs JOIN \(place.reference)"
        + " ON \(place.alias).\(key) = pairs.f"
        + " WHERE \(place.alias).\(dialect.quoted(column.name)) IS NULL LIMIT 1"
    }
  }

  private func ordering(
    _ move: RelationMove, _ relationship: RelationshipDescription
  ) -> SQLEvolutionTask? {
    guard let entity = relationship.entity.flatMap(destination.entity),
      let slot = relationship.slot, let column = entity.column(slot),
      let position = move.to.positionSlot.flatMap(entity.column)
    else { return nil }
    let place = place(of: entity.table)
    let name = dialect.quoted(column.name)
    let conditions = ["\(name) IS NOT NULL", condition(entity.concreteCodes, in: place)]
      .compactMap { $0 }.joined(separator: " AND ")
    let text =
      "UPDATE \(place.reference) SET \(dialect.quoted(position.name)) = r.p FROM (SELECT \(key)"
      + " AS f, \(rank(by: name, key, after: move.isShared ? dialect.quoted(position.name) : nil))"
      + " AS p FROM \(place.reference) WHERE \(conditions)) AS r"
      + " WHERE \(place.alias).\(key) = r.f"
    let ordered = relationship.maintainedInverse
    return SQLEvolutionTask(
      "order \(ordered?.entity?.name ?? "").\(ordered?.name ?? "")", kind: .move,
      extent: .values(
        table: place.reference, codes: entity.concreteCodes, column: column.name),
      actions: [.writeAll(text)], isHidden: isNew(position, in: entity.table))
  }
}

/// The first position, and the distance between two positions, as saves assign them.
enum PositionSpacing {
  static let spacing = 1024
  static let first = 2048
}

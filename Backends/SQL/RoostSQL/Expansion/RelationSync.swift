// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A relationship whose pairs of records are in a column in one version and in a link table in the other. Triggers
/// keep both equal, so that each version finds the writes of the other (M42).
///
/// The column holds one destination: as long as both versions are served, a record has one link at most.
struct RelationSync {
  /// The table of the records that have the column.
  let table: SQLTable
  let column: SQLColumn
  /// The codes of these records.
  let codes: [Int]
  /// The destination entity of the column.
  let destination: EntityDescription
  let links: SQLLinkTable
  /// The columns of the link table for the records and for their destinations.
  let recordEnd: String
  let destinationEnd: String
  /// Whether the column is the old version's.
  let comesFromColumn: Bool
  /// The relationship of the version with links, on the side of the records with the column.
  let entity: String
  let key: String

  var title: String { "\(entity).\(key)" }
}

extension SQLExpansion {
  /// Returns the relationships whose pairs are in a column in one version and in links in the other.
  func relationSyncs() -> [RelationSync] {
    evolution.change.moves.compactMap { obstacle(to: $0) == nil ? sync(of: $0) : nil }
  }

  /// Returns why a moved relationship cannot be served in both places; nil when it can.
  func obstacle(to move: RelationMove) -> String? {
    let elsewhere = "is kept in another place or in another order"
    let slot: RelationMove.Place
    let links: LinkTable
    switch (move.from, move.to) {
    case (.slot, .links(let table)): (slot, links) = (move.from, table)
    case (.links(let table), .slot): (slot, links) = (move.to, table)
    case (.slot, .slot), (.links, .links): return elsewhere
    }
    guard !move.isShared else { return "has the pairs of several relationships" }
    guard !links.isSymmetric else { return "is its own inverse" }
    let isOrdered = move.isReversed ? links.sourceIsOrdered : links.destinationIsOrdered
    guard !isOrdered, slot.positionSlot == nil else {
      return "is kept in another place, and its inverse is ordered: take the order away first"
    }
    let (old, new) = (move.from.relationship, move.to.relationship)
    let ends = (
      evolution.sourceCodes(old.entity), evolution.sourceCodes(old.destinationEntity)
    )
    let (firsts, seconds) = move.isReversed ? (ends.1, ends.0) : ends
    guard evolution.destinationCodes(new.entity) == firsts,
      evolution.destinationCodes(new.destinationEntity) == seconds
    else { return "is kept in another place, and relates other entities" }
    if case .slot(let relationship) = move.from, !relationship.isOptional,
      sideOfRecords(move, links)?.isOptional != false
    {
      return
        "may lead to nothing, and programs of the old version demand it: make it optional first"
    }
    return nil
  }

  /// Returns the relationship in the version with links that belongs to the records with the column.
  private func sideOfRecords(
    _ move: RelationMove, _ links: LinkTable
  ) -> RelationshipDescription? {
    move.isReversed ? links.relationship.maintainedInverse : links.relationship
  }

  private func sync(of move: RelationMove) -> RelationSync? {
    let relationship: RelationshipDescription
    let links: SQLLinkTable?
    let mapping: SQLSchema
    let comesFromColumn: Bool
    switch (move.from, move.to) {
    case (.slot(let old), .links(let new)):
      (relationship, links) = (old, evolution.destination.linkTable(new))
      (mapping, comesFromColumn) = (evolution.source, true)
    case (.links(let old), .slot(let new)):
      (relationship, links) = (new, evolution.source.linkTable(old))
      (mapping, comesFromColumn) = (evolution.destination, false)
    case (.slot, .slot), (.links, .links): return nil
    }
    guard let entity = relationship.entity, let mapped = mapping.entity(entity),
      let column = relationship.slot.flatMap(mapped.column), let links,
      let destination = relationship.destinationEntity
    else { return nil }
    let side = sideOfRecords(move, links.links) ?? relationship
    return RelationSync(
      table: mapped.table, column: column, codes: mapped.concreteCodes, destination: destination,
      links: links, recordEnd: move.isReversed ? SQLLinkTable.destination : SQLLinkTable.source,
      destinationEnd: move.isReversed ? SQLLinkTable.source : SQLLinkTable.destination,
      comesFromColumn: comesFromColumn, entity: side.entity?.name ?? "", key: side.name)
  }

  // MARK: - Steps

  /// The trigger on the existing place comes first, so that no change is missed while the new place is filled; no
  /// program writes to the new place before the expansion is complete.
  func relationSteps() -> [ExpansionStep] {
    relationSyncs().enumerated().flatMap { number, sync in
      let column = columnTrigger(sync, number)
      let links = linksTrigger(sync, number)
      return sync.comesFromColumn
        ? [column, fillLinks(sync), links] : [links, fillColumn(sync), column]
    }
  }

  /// Returns the trigger that copies a write of the column into the link table.
  private func columnTrigger(_ sync: RelationSync, _ number: Int) -> ExpansionStep {
    let name = dialect.quoted(sync.column.name)
    let (record, target) = (dialect.quoted(sync.recordEnd), dialect.quoted(sync.destinationEnd))
    let links = sync.links.reference
    let lines = [
      "IF pg_catalog.pg_trigger_depth() > 1 THEN RETURN NULL; END IF;",
      "IF NOT (\(evolution.condition("NEW.\(key)", names: sync.codes))) THEN RETURN NULL; END IF;",
      "IF TG_OP = 'INSERT' THEN IF NEW.\(name) IS NULL THEN RETURN NULL; END IF;"
        + " ELSIF NEW.\(name) IS NOT DISTINCT FROM OLD.\(name) THEN RETURN NULL; END IF;",
      "DELETE FROM \(links) WHERE \(record) = NEW.\(key)"
        + " AND \(target) IS DISTINCT FROM NEW.\(name);",
      "IF NEW.\(name) IS NOT NULL THEN "
        + "\(insertion(sync, "VALUES (\(pair(sync, "NEW.\(key)", "NEW.\(name)")))")); END IF;",
      "RETURN NULL;",
    ]
    return ExpansionStep(
      "keep the links of \(sync.title) as its column is", .catalogue, .writersWait,
      .define(
        trigger(
          "\(Self.functionPrefix)column_\(number)", lines, on: sync.table.reference,
          when: "AFTER INSERT OR UPDATE ON \(sync.table.reference) FOR EACH ROW")))
  }

  /// Returns a statement that inserts missing links.
  private func insertion(_ sync: RelationSync, _ rows: String) -> String {
    let columns = SQLLinkTable.columns.map(dialect.quoted).joined(separator: ", ")
    return "INSERT INTO \(sync.links.reference) (\(columns)) \(rows) ON CONFLICT DO NOTHING"
  }

  /// Returns the values of a link, in the order of its columns. The only link of a record has the first position.
  private func pair(_ sync: RelationSync, _ record: String, _ target: String) -> String {
    let isSource = sync.recordEnd == SQLLinkTable.source
    let links = sync.links.links
    return [
      isSource ? record : target, isSource ? target : record,
      links.sourceIsOrdered ? String(PositionSpacing.first) : "NULL",
      links.destinationIsOrdered ? String(PositionSpacing.first) : "NULL",
    ].joined(separator: ", ")
  }

  /// Returns the triggers that copy writes of the link table into the column. They refuse a second link of a record.
  private func linksTrigger(_ sync: RelationSync, _ number: Int) -> ExpansionStep {
    let name = dialect.quoted(sync.column.name)
    let (record, target) = (dialect.quoted(sync.recordEnd), dialect.quoted(sync.destinationEnd))
    let text =
      "“\(sync.key)” of \(sync.entity) is to lead to one object at most as long as the store serves "
      + "two versions of the model, because in the other one it is to-one. Save one object, or end "
      + "the old version with .contract first."
    let lines = [
      "IF pg_catalog.pg_trigger_depth() > 1 THEN RETURN NULL; END IF;",
      "IF TG_OP = 'DELETE' THEN _record := OLD.\(record); ELSE _record := NEW.\(record); END IF;",
      // When two programs make links of one record at the same time, the second one sees the link of the first.
      "PERFORM 1 FROM \(sync.table.reference) WHERE \(key) = _record FOR NO KEY UPDATE;",
      "SELECT pg_catalog.count(*), pg_catalog.min(l.\(target)) INTO _count, _target"
        + " FROM \(sync.links.reference) AS l WHERE l.\(record) = _record;",
      "IF _count > 1 THEN \(refusal(text, entity: sync.entity, key: sync.key)) END IF;",
      "UPDATE \(sync.table.reference) SET \(name) = _target"
        + " WHERE \(key) = _record AND \(name) IS DISTINCT FROM _target;",
      "RETURN NULL;",
    ]
    var step = ExpansionStep(
      "keep the column of \(sync.title) as its links are", .catalogue, .writersWait,
      .define(
        trigger(
          "\(Self.functionPrefix)links_\(number)", lines, on: sync.links.reference,
          when: "AFTER INSERT OR UPDATE OR DELETE ON \(sync.links.reference) FOR EACH ROW",
          variables: ["_record bigint", "_count bigint", "_target bigint"])))
    if !sync.comesFromColumn {
      step.checks = [
        ExpansionStep.Check(
          query: "SELECT \(record) FROM \(sync.links.reference) GROUP BY \(record)"
            + " HAVING pg_catalog.count(*) > 1 ORDER BY \(record)",
          text: "\(sync.title) is to lead to one object, and leads to several",
          entity: sync.entity, key: sync.key)
      ]
    }
    return step
  }

  // MARK: - Filling

  /// Both fills lock the records first, so they read what the triggers have written last.
  private func locking(_ sync: RelationSync) -> String {
    "SELECT 1 FROM \(sync.table.reference) WHERE \(evolution.inRange(key))"
      + " ORDER BY \(key) FOR NO KEY UPDATE"
  }

  private func fillLinks(_ sync: RelationSync) -> ExpansionStep {
    let name = dialect.quoted(sync.column.name)
    let rows =
      "SELECT \(pair(sync, key, name)) FROM \(sync.table.reference) AS r WHERE \(exists(sync, name))"
      + " AND \(evolution.condition(key, names: sync.codes)) AND \(evolution.inRange(key))"
    return ExpansionStep(
      "fill the links of \(sync.title)", .fill, .none,
      .fill(
        ExpansionStep.Fill(
          text: insertion(sync, rows), table: sync.table.reference, lock: locking(sync))))
  }

  /// Returns the condition that the record to which a column refers exists: dangling references, which relationships
  /// without an inverse can leave behind, are not copied.
  private func exists(_ sync: RelationSync, _ column: String) -> String {
    guard
      let table = evolution.source.entity(sync.destination)?.table.reference
        ?? evolution.destination.entity(sync.destination)?.table.reference
    else { return "\(column) IS NOT NULL" }
    return "EXISTS (SELECT 1 FROM \(table) AS t WHERE t.\(key) = r.\(column))"
  }

  private func fillColumn(_ sync: RelationSync) -> ExpansionStep {
    let name = dialect.quoted(sync.column.name)
    // A second link, which another program has just made, raises an error here.
    let found =
      "(SELECT l.\(dialect.quoted(sync.destinationEnd)) FROM \(sync.links.reference) AS l"
      + " WHERE l.\(dialect.quoted(sync.recordEnd)) = r.\(key))"
    return ExpansionStep(
      "fill the column of \(sync.title)", .fill, .none,
      .fill(
        ExpansionStep.Fill(
          text: "UPDATE \(sync.table.reference) AS r SET \(name) = \(found)"
            + " WHERE r.\(name) IS DISTINCT FROM \(found)"
            + " AND \(evolution.condition("r." + key, names: sync.codes))"
            + " AND \(evolution.inRange("r." + key))",
          table: sync.table.reference, lock: locking(sync))))
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The numbers of records that the tasks of an evolution affect: one query for each table that a task needs.
struct EvolutionCounts {
  /// The counts of one entity's records.
  private struct Count {
    var records = 0
    var values: [String: Int] = [:]
  }

  private var counts: [String: [Int: Count]] = [:]
  private var links: [String: Int] = [:]

  init(_ evolution: SQLEvolution, _ session: some SQLEvolutionSession) throws {
    try self.init(evolution.tasks.map(\.extent), in: evolution.source, session)
  }

  /// Counts the extents in the tables of a schema.
  init(
    _ extents: [SQLEvolutionTask.Extent], in schema: SQLSchema, _ session: some SQLEvolutionSession
  ) throws {
    var columns: [String: Set<String>] = [:]
    var linkTables: Set<String> = []
    for extent in extents {
      switch extent {
      case .none: break
      case .records(let table, _): columns[table, default: []].formUnion([])
      case .values(let table, _, let column), .nulls(let table, _, let column):
        columns[table, default: []].insert(column)
      case .links(let table): linkTables.insert(table)
      }
    }
    let code = SQLEntityFilter.expression(schema.dialect)
    let count = schema.dialect.functionNames.count
    for table in schema.tables {
      guard let wanted = columns[table.reference] else { continue }
      // Columns that the evolution adds have no values yet.
      let names = table.columns.map(\.name).filter(wanted.contains)
      let terms =
        [code, "\(count)(*)"] + names.map { "\(count)(\(schema.dialect.quoted($0)))" }
      let rows = try session.read(
        "SELECT \(terms.joined(separator: ", ")) FROM \(table.reference) GROUP BY 1", [])
      for row in rows {
        let numbers = row.map(\.number)
        guard numbers.count == terms.count else { continue }
        var found = Count(records: numbers[1])
        for (name, number) in zip(names, numbers.dropFirst(2)) { found.values[name] = number }
        counts[table.reference, default: [:]][numbers[0]] = found
      }
    }
    for table in schema.linkTables where linkTables.contains(table.reference) {
      links[table.reference] =
        try session.read("SELECT \(count)(*) FROM \(table.reference)", []).first?.first?.number
    }
  }

  /// Returns the number of records that a task affects.
  func rows(_ task: SQLEvolutionTask) -> Int { rows(task.extent) }

  func rows(_ extent: SQLEvolutionTask.Extent) -> Int {
    switch extent {
    case .none: return 0
    case .records(let table, let codes): return sum(table, codes) { $0.records }
    case .values(let table, let codes, let column):
      return sum(table, codes) { $0.values[column] ?? 0 }
    case .nulls(let table, let codes, let column):
      return sum(table, codes) { $0.records - ($0.values[column] ?? 0) }
    case .links(let table): return links[table] ?? 0
    }
  }

  private func sum(_ table: String, _ codes: [Int], _ count: (Count) -> Int) -> Int {
    Set(codes).reduce(0) { $0 + (counts[table]?[$1].map(count) ?? 0) }
  }
}

extension SQLValue {
  /// The integer; 0 for any other value.
  fileprivate var number: Int {
    if case .integer(let number) = self { Int(number) } else { 0 }
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostSQL
import RoostStore

/// Groups records while they are read: only a running total per group is kept.
///
/// SQLite would sort the records first, which takes about four times as long as reading them.
struct GroupReader {
  private let grouping: SQLGrouping
  private let keys: TupleReader
  private let sources: [SQLGrouping.Source]
  private var numbers = NumberTable()
  /// The index of the group whose key is nil.
  private var null: Int?
  /// The keys of the groups.
  private var values: [Value] = []
  /// The sums of all groups, group after group.
  private var sums: [NumberSum] = []

  init(_ grouping: SQLGrouping, _ schema: StoreSchema) {
    self.grouping = grouping
    keys = TupleReader([grouping.key], schema)
    sources = grouping.columns.compactMap { column in
      if case .aggregate(_, let source) = column { source } else { nil }
    }
  }

  /// Returns all values of the result, group by group.
  ///
  /// - Throws: The errors of SQLite, and `arithmeticOverflow` for a sum.
  mutating func values(_ statement: SQLiteStatement) throws -> [Value] {
    while try statement.step() {
      var place = try group(statement) &* sources.count
      for source in sources {
        add(statement, source, place)
        place &+= 1
      }
    }
    return try results()
  }

  /// Returns the index of a record's group, which is created for its first record.
  private mutating func group(_ statement: SQLiteStatement) throws -> Int {
    let next = values.count
    let number = statement.integer(0)
    let group: Int
    if number == 0, statement.isNull(0) {
      group = null ?? next
      null = group
    } else {
      group = numbers.position(of: number, next: next)
    }
    if group == next {
      values.append(try keys.value(statement, 0, grouping.key))
      for _ in sources { sums.append(NumberSum()) }
    }
    return group
  }

  private mutating func add(
    _ statement: SQLiteStatement, _ source: SQLGrouping.Source, _ place: Int
  ) {
    switch source {
    case .records: sums[place].addOne()
    case .present(let column):
      if !statement.isNull(Int32(column)) { sums[place].addOne() }
    case .integers(let column):
      let number = statement.integer(Int32(column))
      if number != 0 || !statement.isNull(Int32(column)) { sums[place].add(number) }
    case .doubles(let column):
      let number = statement.double(Int32(column))
      if number != 0 || !statement.isNull(Int32(column)) { sums[place].add(number) }
    }
  }

  private func results() throws -> [Value] {
    var results: [Value] = []
    results.reserveCapacity(values.count * grouping.columns.count)
    var place = 0
    for value in values {
      for column in grouping.columns {
        switch column {
        case .key: results.append(value)
        case .aggregate(let function, let source):
          results.append(try source.aggregate(function, sums[place]).result())
          place += 1
        }
      }
    }
    return results
  }
}

extension SQLGrouping.Source {
  fileprivate func aggregate(_ function: FetchFunction, _ sum: NumberSum) -> Aggregate {
    if case .doubles = self { return Aggregate(function, sum, areDoubles: true) }
    return Aggregate(function, sum, areDoubles: false)
  }
}

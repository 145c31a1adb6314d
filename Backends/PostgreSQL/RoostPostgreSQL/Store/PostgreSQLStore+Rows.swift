// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
package import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  package func rows(forKeys keys: [Int64]) throws -> [Row] {
    let prepared = try prepared()
    return try translating {
      try withReading { try rows(keys, prepared, $0) }
    }
  }

  package func row(forKey key: Int64) throws -> Row? {
    let prepared = try prepared()
    return try translating {
      let type = try prepared.recordType(ofKey: key)
      return try withReading { connection in
        log(type.selectOne)
        var row: Row?
        try connection.run(type.selectOne, with: key) { result in
          try PostgreSQLResult.check(result, type.types)
          guard PQntuples(result) > 0 else { return }
          let fields = ResultFields(result: result, row: 0)
          row = try type.reader.row(
            from: fields, key: fields.integer(0), version: fields.integer(1))
        }
        return row
      }
    }
  }

  /// The number of keys from which on a list is long: they may be most of a table, and planning for them is
  /// worthwhile.
  private static let longList = 32_768
  /// The number of keys from which on records are read while the server still sends.
  private static let streamLimit = 512
  /// The number of keys from which on COPY is worthwhile.
  private static let manyKeys = 2048

  /// Reads records by their keys: a statement for each entity, all in one round trip.
  func rows(
    _ keys: [Int64], _ prepared: PreparedSchema, _ connection: PostgreSQLConnection
  ) throws -> [Row] {
    guard !keys.isEmpty else { return [] }
    var types: [RecordType] = []
    var commands: [PostgreSQLCommand] = []
    let groups = try KeyGroup.groups(of: keys, prepared)
    if groups.count == 1, keys.count >= Self.manyKeys {
      return try copiedRows(keys, groups[0].type, prepared, connection)
    }
    for group in groups {
      var parameters = Parameters(capacity: 64 + group.keys.count * 12)
      let text: String
      if group.keys.count == 1 {
        text = group.type.selectOne
        parameters.append(group.keys[0])
      } else {
        text = group.keys.count > Self.longList ? group.type.selectMany : group.type.select
        try parameters.append(group.keys)
      }
      log(text)
      types.append(group.type)
      commands.append(
        PostgreSQLCommand(text, parameters, isKept: group.keys.count <= Self.longList))
    }
    if commands.count == 1, keys.count > Self.streamLimit {
      let type = types[0]
      var taker = RowTaker(type, expected: keys.count)
      try connection.stream(commands[0], types: type.types, into: &taker)
      return taker.rows
    }
    var rows: [Row] = []
    rows.reserveCapacity(keys.count)
    for (result, type) in zip(try connection.runOnSnapshot(commands), types) {
      try result.check(type.types)
      for index in 0..<result.count {
        rows.append(
          try type.reader.row(
            from: ResultFields(result: result.handle, row: index), key: result.integer(index, 0),
            version: result.integer(index, 1)))
      }
    }
    return rows
  }

  /// Copies out the records of one entity. COPY takes no parameters, so the statement contains the keys.
  private func copiedRows(
    _ keys: [Int64], _ type: RecordType, _ prepared: PreparedSchema,
    _ connection: PostgreSQLConnection
  ) throws -> [Row] {
    var parameters = Parameters(capacity: 32)
    try parameters.append([] as [Int64])
    func query(_ list: String) -> String {
      prepared.mapping.selectMany(type.entity, isLong: keys.count > Self.longList, keys: list)
    }
    // The log shows the number of keys in place of the keys.
    let shown = query("'{\(keys.count) keys}'")
    log(PostgreSQLConnection.copyText(of: shown))
    var taker = RowTaker(type, expected: keys.count)
    try connection.copyRecords(
      of: query(Self.literal(keys)), like: PostgreSQLCommand(type.select, parameters),
      types: type.types, shown: shown, into: &taker)
    return taker.rows
  }

  /// Returns a list of keys as a literal.
  private static func literal(_ keys: [Int64]) -> String {
    var text = "'{"
    text.reserveCapacity(keys.count * 12 + 16)
    // Not joined from separate strings: that takes longer than reading a tenth of the records.
    for key in keys {
      if text.utf8.count > 2 { text += "," }
      text += String(key)
    }
    return text + "}'::bigint[]"
  }

  package func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let prepared = try prepared()
    return try translating {
      try withReading { try destinations(of: relationship, sources, prepared, $0) }
    }
  }

  /// Reads destinations on a connection.
  func destinations(
    of relationship: RelationshipDescription, _ sources: [Int64], _ prepared: PreparedSchema,
    _ connection: PostgreSQLConnection
  ) throws -> RelationshipDestinations {
    guard let query = prepared.mapping.selectDestinationsOfMany(relationship) else {
      // No record of this store can be related along it: its configuration has no such entity.
      return RelationshipDestinations(
        offsets: [Int](repeating: 0, count: sources.count + 1), keys: [])
    }
    var parameters = Parameters(capacity: 64 + sources.count * 12)
    try parameters.append(sources)
    log(query)
    return try destinations(PostgreSQLCommand(query, parameters), sources, connection)
  }

  private func destinations(
    _ command: PostgreSQLCommand, _ sources: [Int64], _ connection: PostgreSQLConnection
  ) throws -> RelationshipDestinations {
    let result = try connection.run(command)
    guard result.columnCount > 2 else { return try Self.lists(result, sources) }
    var ranges: [Int64: Range<Int32>] = [:]
    var start: Int32 = 0
    while start < result.count {
      let source = result.integer(start, 0)
      var end = start + 1
      while end < result.count, result.integer(end, 0) == source { end += 1 }
      ranges[source] = start..<end
      start = end
    }
    var destinations = RelationshipDestinations(offsets: [0], keys: [])
    destinations.offsets.reserveCapacity(sources.count + 1)
    destinations.keys.reserveCapacity(Int(result.count))
    for source in sources {
      for row in ranges[source] ?? 0..<0 {
        destinations.keys.append(result.integer(row, 1))
        destinations.positions.append(result.integer(row, 2))
      }
      destinations.offsets.append(destinations.keys.count)
    }
    return destinations
  }

  /// Takes the answer for an unordered relationship: a list of keys for each source that has any. The keys arrive in
  /// the table's order, and are returned in the order of the keys.
  private static func lists(
    _ result: PostgreSQLResult, _ sources: [Int64]
  ) throws -> RelationshipDestinations {
    var rows: [Int64: Int32] = [:]
    rows.reserveCapacity(Int(result.count))
    for row in 0..<result.count { rows[result.integer(row, 0)] = row }
    var destinations = RelationshipDestinations(offsets: [0], keys: [])
    destinations.offsets.reserveCapacity(sources.count + 1)
    for source in sources {
      if let row = rows[source] {
        let start = destinations.keys.count
        try ResultField.appendIntegers(result.handle, row, 1, to: &destinations.keys)
        destinations.keys[start...].sort()
      }
      destinations.offsets.append(destinations.keys.count)
    }
    return destinations
  }
}

/// Keys of the records of one entity.
struct KeyGroup {
  let type: RecordType
  var keys: [Int64]

  /// Groups keys by entity, in the order in which the entities occur.
  static func groups(of keys: [Int64], _ prepared: PreparedSchema) throws -> [KeyGroup] {
    var groups: [KeyGroup] = []
    var indexByCode: [Int: Int] = [:]
    var last = (code: -1, index: 0)
    for key in keys {
      let code = RecordKey.entityCode(of: key)
      if code != last.code {
        if indexByCode[code] == nil {
          indexByCode[code] = groups.count
          groups.append(KeyGroup(type: try prepared.recordType(ofKey: key), keys: []))
        }
        last = (code, indexByCode[code] ?? 0)
      }
      groups[last.index].keys.append(key)
    }
    return groups
  }
}

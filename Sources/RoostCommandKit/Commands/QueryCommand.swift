// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostCoordinator
import RoostModel
import RoostStore

/// `roost query`, `roost count` and `roost explain`.
enum QueryCommand {
  private static let sort = CommandOption(
    "--sort", "KEYS", "Key paths to sort by, as name,-age: after a minus sign in descending order.")
  private static let limit = CommandOption(
    "--limit", "COUNT", "How many records are printed at the most.", short: "n", in: 1...Int.max)
  private static let offset = CommandOption(
    "--offset", "COUNT", "How many records are left out at the beginning.", in: 0...Int.max)
  private static let columns = CommandOption(
    "--columns", "LIST",
    "What is printed of each record: key paths and expressions, as name,team.name,members.@count.",
    short: "c")
  private static let table = CommandFlag("--table", "Prints a table, which is the usual form.")
  private static let json = CommandFlag("--json", "Prints a JSON object in each line.")
  private static let csv = CommandFlag("--csv", "Prints comma-separated values.")

  static let query = Command(
    "query", "Prints the records of an entity that match a condition.",
    discussion: """
      The store is opened for reading only, also while other programs write it. Data is printed in base 64,
      related records as Entity/pNUMBER.
      """,
    parameters: [
      CommonParameters.store, CommonParameters.entity, CommonParameters.condition, sort, limit,
      offset, columns, table, json, csv, CommonParameters.model,
    ],
    exclusive: [["--table", "--json", "--csv"]]
  ) { parsed, console in
    try StoreSession.reading(parsed) { session in
      let query = try makeQuery(session, parsed)
      let columns =
        try parsed[columns].map { try QueryColumns($0) } ?? QueryColumns(all: query.entity)
      guard !columns.names.isEmpty else { throw UsageError("--columns names no column.") }
      var printer = printer(columns.names, parsed, console)
      try query.forEachRow(columns) { printer.add($0) }
      printer.finish()
    }
  }

  static let count = Command(
    "count", "Prints how many records of an entity match a condition.",
    parameters: [
      CommonParameters.store, CommonParameters.entity, CommonParameters.condition,
      CommonParameters.model,
    ]
  ) { parsed, console in
    try StoreSession.reading(parsed) { session in
      let query = try StoreQuery(
        session, entity: parsed.required(CommonParameters.entity),
        condition: parsed[CommonParameters.condition])
      console.print(String(try query.count()))
    }
  }

  static let explain = Command(
    "explain", "Prints what a store would do for a query.",
    discussion: """
      A line begins with “store” for a statement or scan, with “index” for an index that is used, and with
      “memory” for what the store leaves to be done in memory.
      """,
    parameters: [
      CommonParameters.store, CommonParameters.entity, CommonParameters.condition, sort, limit,
      offset, CommonParameters.json, CommonParameters.model,
    ]
  ) { parsed, console in
    try StoreSession.reading(parsed) { session in
      let plan = try makeQuery(session, parsed).plan()
      guard parsed[CommonParameters.json] else {
        for store in plan.stores { console.print(store.plan.description) }
        return
      }
      let node = OutputNode.object([
        "steps": .texts(plan.steps), "indexes": .texts(plan.indexes),
        "inMemory": .texts(plan.inMemory),
      ])
      console.print(node.document)
    }
  }

  private static func makeQuery(
    _ session: StoreSession, _ parsed: ParsedArguments
  ) throws -> StoreQuery {
    var query = try StoreQuery(
      session, entity: parsed.required(CommonParameters.entity),
      condition: parsed[CommonParameters.condition])
    query.sort(by: parsed[sort])
    query.limit(to: parsed[limit], offset: parsed[offset])
    return query
  }

  private static func printer(
    _ columns: [String], _ parsed: ParsedArguments, _ console: CommandConsole
  ) -> any RowPrinter {
    if parsed[json] { return JSONLinesPrinter(columns: columns, console: console) }
    if parsed[csv] { return CSVPrinter(columns, console) }
    return TablePrinter(columns, console)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostStore
import Testing

@testable import RoostPostgreSQL

@Suite("More statements than a connection keeps", .enabled(if: Servers.isThere))
struct StatementLimitTests {
  /// Returns a notebook with one connection, which has prepared more statements than it keeps.
  private func notebook() throws -> (notebook: Notebook, pool: ConnectionPool) {
    var description = try Servers.description()
    description.options[StoreOption.connectionPoolMaxSize] = .integer(1)
    let notebook = try Notebook(description)
    try notebook.write("a")
    let pool = try #require(notebook.store as? PostgreSQLStore).pool
    try pool.withConnection { connection in
      for number in 0..<300 { try connection.run(PostgreSQLCommand("SELECT \(number)")) }
    }
    return (notebook, pool)
  }

  @Test("a value that is taken is a conflict, also when statements have to go meanwhile (B192)")
  func conflict() throws {
    let (notebook, _) = try notebook()
    let error = #expect(throws: PersistenceError.self) { try notebook.write("a") }
    #expect(error?.code == .managedObjectConstraintMerge, "\(String(describing: error))")
    try notebook.write("b")
    #expect(try notebook.codes() == ["a", "b"])
    try notebook.close()
  }

  @Test("several statements on one snapshot run, also when others have to go before them")
  func snapshot() throws {
    let (notebook, pool) = try notebook()
    try pool.withConnection { connection in
      let commands = [PostgreSQLCommand("SELECT 1 AS a"), PostgreSQLCommand("SELECT 2 AS b")]
      let results = try connection.runOnSnapshot(commands)
      #expect(results.count == 2)
    }
    try notebook.close()
  }

  @Test(
    "what goes is forgotten by the server too, and no more is kept than the limit and a request")
  func forgotten() throws {
    let (notebook, pool) = try notebook()
    try pool.withConnection { connection in
      let count = try connection.run(.once("SELECT count(*) FROM pg_prepared_statements"))
      #expect((1...300).contains(count.integer()))
    }
    try notebook.close()
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests that the public interface is stable: every public declaration is recorded in `Documentation/api`, one file
/// per module. `Scripts/api-baseline record` writes the files.
@Suite(.enabled(if: Compiler.isUsed)) struct PublicInterfaceTests {
  private static let modules = [
    "Roost", "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
    "RoostContainers", "RoostMigration", "RoostExchange", "RoostCommandLine", "RoostSQLite",
    "RoostLMDB",
    "RoostPostgreSQL", "RoostInMemory",
    "RoostKeyValue", "RoostSQL", "RoostCoreDataNames", "RoostConformance", "RoostConformanceKit",
    "RoostConformanceCases", "RoostSimulation",
  ]
  private static let folder = Compiler.root.appending(path: "Documentation/api")
  private static let records = ProcessInfo.processInfo.environment["ROOST_RECORD_API"] != nil

  @Test(
    "no public declaration is removed, changed or added without its line in the record",
    arguments: modules)
  func interface(_ module: String) throws {
    let graphs = FileManager.default.temporaryDirectory
      .appending(path: "roost-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: graphs, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: graphs) }
    try Compiler.extractSymbols(of: module, into: graphs)
    let lines = try PublicInterface.lines(ofGraphsIn: graphs)
    #expect(!lines.isEmpty)
    let file = Self.folder.appending(path: "\(module).txt")
    if Self.records {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      return
    }
    let recorded = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(
      String.init)
    let change = PublicInterface.change(from: recorded, to: lines)
    #expect(
      change.removed == [],
      "Programs may use these. Keep them, deprecated if need be, or record the change as a breaking one."
    )
    #expect(change.added == [], "New promises: run Scripts/api-baseline record.")
  }

  @Test("a declaration whose type changes is one that is removed and one that is added")
  func control() {
    let change = PublicInterface.change(
      from: ["A.b: var b: Int", "A.c: func c()"], to: ["A.b: var b: Int64", "A.c: func c()"])
    #expect(change.removed == ["A.b: var b: Int"])
    #expect(change.added == ["A.b: var b: Int64"])
  }
}

/// Returns the public declarations of a module as lines of text.
enum PublicInterface {
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Fragment: Decodable { let spelling: String }
      let pathComponents: [String]
      let declarationFragments: [Fragment]?
    }
    let symbols: [Symbol]
  }

  /// Returns the declarations in the symbol graphs of a folder, sorted and unique: the path and the declaration.
  static func lines(ofGraphsIn folder: URL) throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    var lines: Set<String> = []
    for file in files where file.lastPathComponent.hasSuffix(".symbols.json") {
      let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
      for symbol in graph.symbols {
        let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
          .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        lines.insert(symbol.pathComponents.joined(separator: ".") + ": " + declaration)
      }
    }
    return lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the lines that are in one list only.
  static func change(
    from recorded: [String], to current: [String]
  ) -> (removed: [String], added: [String]) {
    let (old, new) = (Set(recorded), Set(current))
    return (recorded.filter { !new.contains($0) }, current.filter { !old.contains($0) })
  }
}

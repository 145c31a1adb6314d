// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests of the declarations visible to a program that imports only Core Data's names, by the compiler's symbol
/// graphs.
///
/// A ported program may declare a member that Core Data does not have; a visible member of the same name would be
/// ambiguous.
@Suite struct NamesSurfaceTests {
  @Test(
    "the product of Core Data's names shows what its table lists, and nothing else (F45)",
    .enabled(if: Compiler.isUsed))
  func surface() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-surface-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for module in NamesSurface.modules { try Compiler.extractSymbols(of: module, into: folder) }
    let seen = try NamesSurface(graphsIn: folder).members
    let listed = try Self.listed()
    #expect(
      seen.subtracting(listed).sorted() == [],
      "Show it in the module Roost instead, or list it in core-data-names.tsv with the reason.")
    #expect(listed.subtracting(seen).sorted() == [], "The table lists what is not there.")
  }

  @Test(
    "a program may declare members of its own whose names are shown for another reason (F45)",
    .enabled(if: Compiler.isUsed))
  func ownMembers() throws {
    var program = "import RoostCoreDataNames\nstruct Own {}\n"
    var declared: Set<String> = []
    for row in try Self.rows() where row.type.hasPrefix("NS") && !row.type.contains(".") {
      // A program cannot declare a member that Core Data has itself.
      guard !["Core Data", "Foundation", "a protocol"].contains(where: row.why.hasPrefix),
        let first = row.member.first, first.isLowercase, !row.member.hasPrefix("init")
      else { continue }
      let name = row.member.prefix { $0 != "(" }
      let isMethod = row.member.hasSuffix("()")
      guard isMethod || name.count == row.member.count,
        declared.insert("\(row.type).\(name)").inserted
      else { continue }
      let type = row.type.hasSuffix("FetchRequest") ? "\(row.type)<NSManagedObject>" : row.type
      program += """
        extension \(row.type) {
          \(isMethod ? "func \(name)() -> Own" : "var \(name): Own") { Own() }
        }
        func use\(declared.count)(_ object: \(type)) { _ = object.\(row.member) }

        """
    }
    #expect(declared.count > 80)
    let result = try Compiler.check(
      program, "-swift-version", "5", "-I",
      Compiler.root.appending(path: "Backends/SQLite/CSQLite").path)
    #expect(result.succeeded, "\(result.output)")
  }

  private struct Row {
    let type: String
    let member: String
    let why: String
  }

  /// The lines of the table: the type, the member, and why it is shown.
  private static func rows() throws -> [Row] {
    let table = Compiler.root.appending(path: "Documentation/core-data-names.tsv")
    let lines = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").dropFirst()
    return try lines.map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(cells.count == 3 && !cells[2].isEmpty, "\(line)")
      return Row(type: cells[0], member: cells[1], why: cells[2])
    }
  }

  private static func listed() throws -> Set<String> {
    Set(try rows().map { "\($0.type) \($0.member)" })
  }
}

/// The types and members that are visible under Core Data's names.
struct NamesSurface {
  /// The modules that `RoostCoreDataNames` exports: of the other ones only the members of types with Core Data names
  /// are visible.
  static let modules = [
    "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
    "RoostContainers", names,
  ]
  private static let names = "RoostCoreDataNames"

  /// Members such as "NSFetchRequest fetchLimit"; the types themselves as " NSFetchRequest".
  private(set) var members: Set<String> = []
  /// The Core Data names of types by Roost's names: `NSFetchRequest` by `FetchRequest`.
  private var aliases: [String: String] = [:]

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Fragment: Decodable { var spelling: String }
      struct Kind: Decodable { var identifier: String }

      var kind: Kind
      var pathComponents: [String]
      var declarationFragments: [Fragment]
    }

    var symbols: [Symbol]
  }

  init(graphsIn folder: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    var graphs: [(module: String, extended: String, symbols: [Graph.Symbol])] = []
    for file in files.sorted() where file.hasSuffix(".symbols.json") {
      // "Module.symbols.json", and "Module@Other.symbols.json" for what it adds to types of another module.
      let parts = file.dropLast(".symbols.json".count).split(separator: "@").map(String.init)
      let data = try Data(contentsOf: folder.appending(path: file))
      let symbols = try JSONDecoder().decode(Graph.self, from: data).symbols
      graphs.append((parts[0], parts.count > 1 ? parts[1] : parts[0], symbols))
    }
    for graph in graphs where graph.module == Self.names { noteAliases(graph.symbols) }
    for graph in graphs {
      let isShownWhole =
        graph.extended == Self.names || !Self.modules.contains(graph.extended)
      for symbol in graph.symbols {
        let owner = Array(symbol.pathComponents.dropLast())
        guard let name = symbol.pathComponents.last else { continue }
        if owner.isEmpty {
          if graph.module == Self.names { members.insert(" \(name)") }
        } else if let alias = alias(of: owner) {
          members.insert("\(alias) \(name)")
        } else if isShownWhole {
          members.insert("\(owner.joined(separator: ".")) \(name)")
        }
      }
    }
  }

  private mutating func noteAliases(_ symbols: [Graph.Symbol]) {
    for symbol in symbols where symbol.kind.identifier == "swift.typealias" {
      let text = symbol.declarationFragments.map(\.spelling).joined()
      guard symbol.pathComponents.count == 1, symbol.pathComponents[0].hasPrefix("NS"),
        let original = text.firstMatch(of: /= ([\w.]+)/)?.output.1
      else { continue }
      aliases[String(original)] = symbol.pathComponents[0]
    }
  }

  /// Returns the visible name of a type, or of a nested one; nil for a type without one.
  private func alias(of path: [String]) -> String? {
    for count in (1...path.count).reversed() {
      if let alias = aliases[path.prefix(count).joined(separator: ".")] {
        return ([alias] + path.dropFirst(count)).joined(separator: ".")
      }
    }
    return nil
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A target imports only layers above it in the list; nothing in a backend can name a managed object or a context.
struct LayerRule: TidyRule {
  private static let contract: Set<String> = ["RoostModel", "RoostQuery", "RoostStore"]
  private static let graph = contract.union(["RoostCoordinator", "RoostObjects"])

  /// The modules of the package that each target may import.
  static let allowed: [String: Set<String>] = [
    "RoostModel": ["CSwiftRuntime"],
    "RoostQuery": ["RoostModel"],
    "RoostStore": ["RoostModel", "RoostQuery"],
    "RoostCoordinator": contract,
    "RoostMacros": ["RoostMacroExpansion"],
    "RoostObjects": contract.union(["RoostCoordinator", "CSwiftRuntime"]),
    "RoostContainers": graph,
    "RoostMigration": graph.union(["RoostContainers"]),
    "RoostExchange": graph.union(["RoostContainers"]),
    "Roost": graph.union(["RoostContainers", "RoostMigration", "RoostExchange"]),
    "RoostCoreDataNames": graph.union([
      "RoostContainers", "RoostMigration", "RoostInMemory", "RoostSQLite",
    ]),
    "CoreData": ["RoostCoreDataNames"],
    "RoostSendableContexts": ["RoostObjects"],
    "RoostConformanceKit": graph,
    "RoostSimulation": graph.union(["RoostConformanceKit"]),
    "RoostConformanceCases": graph.union([
      "Roost", "RoostExchange", "RoostConformanceKit", "RoostSimulation",
    ]),
    "RoostConformance": graph.union([
      "RoostConformanceKit", "RoostSimulation", "RoostConformanceCases",
    ]),
    "RoostCommandLine": [],
    "RoostCommandKit": contract.union([
      "RoostCommandLine", "RoostCoordinator", "RoostObjects", "RoostMigration", "RoostExchange",
      "Roost", "RoostInMemory", "RoostLMDB", "RoostSQLite", "RoostPostgreSQL", "CMicroHTTPD",
    ]),
    "RoostCommand": ["RoostCommandLine", "RoostCommandKit"],
    "RoostConformanceCommand": [
      "RoostCommandLine", "RoostStore", "RoostConformance", "RoostInMemory", "RoostLMDB",
      "RoostSQLite",
      "RoostPostgreSQL",
    ],
    "RoostSQL": contract,
    "RoostSQLite": contract.union(["RoostSQL", "CSQLite"]),
    "RoostPostgreSQL": contract.union(["RoostSQL", "CPostgreSQL"]),
    "RoostKeyValue": contract,
    "RoostInMemory": contract.union(["RoostKeyValue"]),
    "RoostLMDB": contract.union(["RoostKeyValue", "CLMDB"]),
  ]

  /// The modules of the toolchain on the supported platforms.
  static let system: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "Synchronization", "Dispatch", "Observation",
    "Glibc", "Musl", "Darwin", "Android", "_StringProcessing", "RegexBuilder",
    // A module of Apple's systems.
    "SwiftUI",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, let target = file.target else { return [] }
    guard let allowed = Self.allowed[target] else {
      return [Finding(path: file.path, line: 1, message: "\(target) has no place in the layers")]
    }
    var found: [Finding] = []
    for (index, line) in file.codeLines.enumerated() where line.has("import ") {
      guard let module = Self.importedModule(line) else { continue }
      guard !allowed.contains(module), !Self.system.contains(module) else { continue }
      found.append(
        Finding(path: file.path, line: index + 1, message: "\(target) may not import \(module)"))
    }
    return found
  }

  private static let kinds: Set<String> = [
    "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
  ]

  /// The module that a line imports; nil when it is not an import.
  static func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let position = words.firstIndex(of: "import") else { return nil }
    let modifiers: Set<Substring> = ["public", "package", "internal", "private", "fileprivate"]
    guard words[..<position].allSatisfy({ modifiers.contains($0) || $0.first == "@" }) else {
      return nil
    }
    var rest = words[(position + 1)...]
    if let first = rest.first, kinds.contains(String(first)) { rest.removeFirst() }
    return rest.first.map { String($0.prefix { $0 != "." && $0 != ";" }) }
  }
}

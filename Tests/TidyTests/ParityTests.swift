// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests of the table of Core Data's members and their counterparts, compared with the sources.
@Suite struct ParityTests {
  private struct Row {
    let place: Int
    let type: String
    let member: String
    let symbol: String
  }

  private static func rows() throws -> [Row] {
    let table = SourceTree.root.appending(path: "Documentation/core-data-parity.tsv")
    let lines = try String(contentsOf: table, encoding: .utf8).split(separator: "\n")
    return lines.enumerated().dropFirst().map { place, line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      #expect(cells.count == 4, "line \(place + 1)")
      return Row(place: place + 1, type: cells[0], member: cells[1], symbol: cells[2])
    }
  }

  /// Returns the names that a part of the sources declares.
  private static func declared(in folder: String) -> Set<Substring> {
    let keywords: Set<Substring> = [
      "class", "struct", "enum", "protocol", "actor", "func", "var", "let", "case", "typealias",
      "macro",
    ]
    var names: Set<Substring> = []
    for file in SourceTree.files where file.isProduct && file.path.hasPrefix(folder) {
      for line in file.codeLines {
        let words = line.split { " ,(<:={[".contains($0) }
        for (word, next) in zip(words, words.dropFirst()) where keywords.contains(word) {
          names.insert(next.first == "`" ? next.dropFirst().dropLast() : next)
          if word == "case" { names.formUnion(words) }
        }
      }
    }
    return names
  }

  @Test("a symbol that the table names is declared somewhere (F48)")
  func symbols() throws {
    let names = Self.declared(in: "")
    let notNames: Set<String> = ["init", "@Managed"]
    for row in try Self.rows() where row.symbol != "-" {
      let last = row.symbol.split(separator: ".").last.map(String.init) ?? ""
      let name = last.prefix { $0 != "(" }
      let isThere = names.contains(name) || notNames.contains(last)
      // The declarations of the macro and of the context actor's protocol span several lines.
      #expect(
        isThere || ["Entity", "ContextActor"].contains(last), "line \(row.place): \(row.symbol)")
    }
  }

  @Test("what the table calls missing is not declared under Core Data's names (F48)")
  func missing() throws {
    let names = Self.declared(in: "Sources/RoostCoreDataNames/")
    // Methods of other types have these names too.
    let common: Set<Substring> = ["encode", "expression", "lock", "unlock", "("]
    for row in try Self.rows() where row.symbol == "-" && row.type.hasPrefix("NS") {
      let name = row.member == "(type)" ? row.type[...] : row.member.prefix { !"(<:".contains($0) }
      #expect(!names.contains(name) || common.contains(name), "line \(row.place): \(row.member)")
    }
    #expect(names.contains("NSFetchedResultsController") && names.contains("deleteCache"))
  }
}

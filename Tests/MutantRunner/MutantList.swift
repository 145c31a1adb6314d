// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The mutants of one target, as `Tests/Mutants/TARGET.mutants` lists them.
///
///     folder: Sources/RoostObjects
///
///     A redone insertion calls awakeFromInsert once more (B21).
///     file: Undo/ManagedObjectContext+Restoring.swift
///     from: if isNew { object.awakeFromInsert() }
///     to: if isNew || MUTANT { object.awakeFromInsert() }
///     tests: RoostObjectsTests.OwnerTests
///     tests: kit SQLite undo
///
/// Blocks are separated by empty lines. A fragment of several lines is below `from:` and `to:`, each line after `| `.
/// With several `tests:` lines, one failing test is enough. A block with `survives: yes` is a control.
struct MutantList {
  /// The target, by the name of the list.
  let target: String
  /// The folder of the target's sources, from the package's root.
  let folder: String
  let mutants: [Mutant]

  /// Parses the text of a list.
  init(target: String, text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let blocks = lines.split { $0.isEmpty }.filter { !$0.allSatisfy { $0.hasPrefix("#") } }
    guard let first = blocks.first?.first, blocks.first?.count == 1, first.hasPrefix("folder: ")
    else { throw ListError(reasons: ["The list of \(target) does not begin with folder:"]) }
    self.target = target
    let folder = String(first.dropFirst("folder: ".count))
    self.folder = folder
    mutants = try blocks.dropFirst().enumerated().map { index, block in
      try Self.mutant(target, folder, index + 1, Array(block))
    }
  }

  /// Reads all lists of a package.
  static func all(in root: URL) throws -> [MutantList] {
    let folder = root.appending(path: "Tests/Mutants")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
      .filter { $0.hasSuffix(".mutants") }.sorted()
      .map { name in
        try MutantList(
          target: String(name.dropLast(".mutants".count)),
          text: String(contentsOf: folder.appending(path: name), encoding: .utf8))
      }
  }

  private static func mutant(
    _ target: String, _ folder: String, _ number: Int, _ block: [String]
  ) throws -> Mutant {
    var fields: [String: [String]] = [:]
    var key = ""
    for line in block.dropFirst() {
      if line == "|" || line.hasPrefix("| ") {
        fields[key, default: []].append(String(line.dropFirst(2)))
        continue
      }
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count > 0, ["file", "from", "to", "tests", "survives"].contains(parts[0]) else {
        throw ListError(reasons: ["\(target).\(number) has a line without a field: \(line)"])
      }
      key = String(parts[0])
      let value = parts.count == 2 ? parts[1].dropFirst() : ""
      if !value.isEmpty { fields[key, default: []].append(String(value)) }
    }
    func text(_ key: String) throws -> String {
      guard let lines = fields[key] else {
        throw ListError(reasons: ["\(target).\(number) has no \(key):"])
      }
      return lines.joined(separator: "\n")
    }
    let replacement = try text("to")
    guard replacement.contains("MUTANT") else {
      throw ListError(reasons: ["\(target).\(number) cannot be switched on"])
    }
    _ = try text("tests")
    return Mutant(
      target: target, number: number, sentence: block[0], file: folder + "/" + (try text("file")),
      fragment: try text("from"), replacement: replacement,
      tests: (fields["tests"] ?? []).map { TestCommand($0) },
      isControl: fields["survives"] == ["yes"])
  }
}

/// A list that cannot be read, or that no longer fits the sources.
struct ListError: Error, CustomStringConvertible {
  let reasons: [String]

  var description: String { reasons.joined(separator: "\n") }
}

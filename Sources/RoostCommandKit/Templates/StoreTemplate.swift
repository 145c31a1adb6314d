// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

/// The files of a package with a custom store: a store over `RoostKeyValue` that keeps a sorted file, like
/// `Examples/Sources/SortedFile`. It passes the conformance kit unchanged.
struct StoreTemplate {
  /// The name of the package, its module and the type of its stores.
  let name: String
  /// Where the package of Roost is.
  let roostPath: String

  /// - Throws: ``UsageError`` when the name cannot be that of a module.
  init(name: String, roostPath: String) throws(UsageError) {
    let rest = name.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard let first = name.first, first.isASCII, first.isUppercase, rest, name.utf8.count <= 64
    else {
      throw UsageError(
        "NAME begins with a capital letter and has letters and digits only, not “\(name)”.")
    }
    guard !Self.modules.contains(name), !name.hasPrefix("Roost") else {
      throw UsageError("\(name) is the name of a module that there is: take another one.")
    }
    let taken = Self.typeNames
    if let type = Self.parts.map({ name + $0 }).first(where: taken.contains) {
      throw UsageError(
        "The package would have a \(type) of its own, which its code has another one of: take another name, as "
          + "My\(name).")
    }
    self.name = name
    self.roostPath = roostPath
  }

  private static let modules: Set<String> = [
    "Swift", "Foundation", "Testing", "XCTest", "CoreData", "Dispatch", "Synchronization",
    "Observation", "Glibc", "Musl", "Darwin", "CSQLite", "CLMDB", "CPostgreSQL", "CMicroHTTPD",
  ]

  /// The suffixes of the type and module names in the package.
  private static let parts = ["", "Contents", "Driver", "Engine", "State", "Tests"]

  /// The names of the types that the package's code uses, and of Swift's own: a type with the same name would hide
  /// them.
  private static var typeNames: Set<String> {
    var names: Set<String> = [
      "Any", "AnyObject", "Self", "Type", "Protocol", "Never", "Void", "Bool", "Character", "Array",
      "Dictionary", "Set", "Optional", "Result", "Range", "Double", "Float", "Error", "Sendable",
      "Codable", "Hashable", "Equatable", "Comparable", "Identifiable", "Sequence", "Collection",
      "Task", "Actor",
    ]
    for bytes in sources.map(\.bytes) + [PackageResources.Tests_txt] {
      let text = String(decoding: bytes, as: UTF8.self)
      for line in text.split(separator: "\n") where !String(line).trimmed.hasPrefix("//") {
        // Every other part is inside quotation marks.
        let code = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: " ")
        let words = code.split {
          !($0.isASCII && ($0.isLetter || $0.isNumber || "{}_".contains($0)))
        }
        names.formUnion(words.lazy.filter { $0.first?.isUppercase == true }.map(String.init))
      }
    }
    return names
  }

  private static var sources: [(part: String, bytes: [UInt8])] {
    [
      ("", PackageResources.Place_txt), ("Contents", PackageResources.Contents_txt),
      ("Driver", PackageResources.Driver_txt), ("Engine", PackageResources.Engine_txt),
      ("State", PackageResources.State_txt),
    ]
  }

  /// The path in the package and the text of each file.
  var files: [(path: String, text: String)] {
    [("Package.swift", filled(PackageResources.Manifest_txt))]
      + Self.sources.map { ("Sources/\(name)/\(name)\($0.part).swift", filled($0.bytes)) }
      + [("Tests/\(name)Tests/ConformanceTests.swift", filled(PackageResources.Tests_txt))]
  }

  private func filled(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
      .replacing(
        "{{roost}}", with: roostPath.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      )
      .replacing("{{Name}}", with: name)
      .replacing("{{name}}", with: variable)
  }

  /// The name of the type of stores in code, as `plainFile` of `PlainFile`.
  private var variable: String {
    let capitals = name.prefix { $0.isUppercase }
    // Of an acronym, all letters except the one that begins the next word.
    let count =
      capitals.count == name.count || capitals.count == 1 ? capitals.count : capitals.count - 1
    let word = name.prefix(count).lowercased() + name.dropFirst(count)
    return Self.keywords.contains(word) ? "\(word)Store" : word
  }

  private static let keywords: Set<String> = [
    "in", "is", "as", "any", "do", "if", "for", "let", "var", "case", "func", "init", "self",
    "true",
    "false",
    "nil", "enum", "class", "struct", "switch", "where", "while", "return", "throw", "try",
    "default",
    "import", "public", "static", "super", "repeat", "guard", "defer", "break", "catch", "else",
    "extension", "operator", "private", "protocol", "rethrows", "subscript", "throws", "typealias",
    "associatedtype", "precedencegroup", "continue", "deinit", "fallthrough", "fileprivate",
    "inout", "internal",
    // The existing types of stores.
    "inMemory", "sqlite", "binary", "lmdb", "postgresql",
  ]
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The identifiers of a store's tables, columns and indexes.
///
/// A model's names never appear in a statement: each gets a readable identifier of letters, digits and underscores.
/// The store keeps the table of names, so that they are the same at every launch, even after the rules below have
/// changed.
package struct SQLNames: Sendable {
  /// The identifiers by path, such as `column/Person/name`.
  package private(set) var identifiers: [String: String]
  /// The paths that got their identifier since the table was read.
  package private(set) var added: [String] = []
  /// The lower-cased identifiers of each space; nil until one is assigned, which most launches of a program never do.
  private var taken: [String: Set<String>]?
  private let lengthLimit: Int

  /// Creates the names of a store's table of names.
  ///
  /// - Parameter lengthLimit: The longest identifier, in bytes.
  package init(_ identifiers: [String: String] = [:], lengthLimit: Int) {
    self.identifiers = identifiers
    self.lengthLimit = lengthLimit
  }

  /// Returns the identifiers of a space that were assigned since the table was read.
  package func addedIdentifiers(inSpace space: String) -> Set<String> {
    Set(added.lazy.filter { Self.space(of: $0) == space }.compactMap { identifiers[$0] })
  }

  private func identifiersBySpace() -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    for (path, identifier) in identifiers {
      result[Self.space(of: path), default: []].insert(identifier.lowercased())
    }
    return result
  }

  /// Returns the identifier of a path; assigns a new one when it has none yet.
  ///
  /// - Parameters:
  ///   - path: The path of the named object: its space and the model's names.
  ///   - suggestion: The model's name, whatever it is.
  package mutating func identifier(for path: Path, suggestion: String) -> String {
    if let known = identifiers[path.text] { return known }
    let stem = Self.readable(suggestion, limit: lengthLimit)
    let space = path.space
    var candidate = stem
    var number = 1
    var taken = self.taken ?? identifiersBySpace()
    // Now `taken` is the only reference, so it is not copied.
    self.taken = nil
    // Databases compare identifiers case-insensitively.
    while taken[space, default: []].contains(candidate.lowercased()) {
      number += 1
      let suffix = "_\(number)"
      candidate = String(stem.prefix(lengthLimit - suffix.count)) + suffix
    }
    taken[space, default: []].insert(candidate.lowercased())
    self.taken = taken
    identifiers[path.text] = candidate
    added.append(path.text)
    return candidate
  }

  /// The path of a named object: a space in which identifiers are unique, and the model's names.
  package struct Path: Sendable {
    package let space: String
    package let text: String

    private init(space: String, names: [String]) {
      self.space = space
      var text = space
      for name in names {
        text += "/"
        text += Self.escaped(name)
      }
      self.text = text
    }

    /// The space of tables and indexes, which is one in most databases.
    package static let tableSpace = "table"

    /// The table of a hierarchy of entities.
    package static func table(root: String) -> Path {
      Path(space: tableSpace, names: ["entity", root])
    }

    /// The table of a set of links.
    package static func links(_ name: String) -> Path {
      Path(space: tableSpace, names: ["links", name])
    }

    /// An index.
    package static func index(_ kind: String, entity: String, name: String) -> Path {
      Path(space: tableSpace, names: [kind, entity, name])
    }

    /// The column of a property, named by the entity that declares it.
    package static func column(table: String, entity: String, property: String) -> Path {
      column(columnSpace(table: table), entity: entity, property: property)
    }

    /// The space of a table's columns: the same for all of them.
    package static func columnSpace(table: String) -> String {
      "column:" + escaped(table)
    }

    /// The column of a property, in the space of its table.
    package static func column(_ space: String, entity: String, property: String) -> Path {
      Path(space: space, names: [entity, property])
    }

    /// The path of a retired identifier, which is never assigned again: no entity has an empty name.
    package static func retired(_ identifier: String, in space: String) -> Path {
      Path(space: space, names: ["", identifier])
    }

    private static func escaped(_ name: String) -> String {
      // Hardly any name has one of them, and every launch of a program needs all names.
      guard name.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "/") }) else {
        return name
      }
      return name.replacing("%", with: "%25").replacing("/", with: "%2F")
    }
  }

  private static func space(of path: String) -> String {
    String(path.prefix { $0 != "/" })
  }
}

// MARK: - Readable identifiers

extension SQLNames {
  /// Returns an identifier like a name: ASCII letters, digits and single underscores, beginning with a letter, so that
  /// it cannot be one of Roost's own (`_key`), which begin with an underscore.
  static func readable(_ name: String, limit: Int) -> String {
    var result = ""
    let folded = name.folding(options: .diacriticInsensitive, locale: nil)
    for scalar in folded.unicodeScalars where result.utf8.count < limit - 8 {
      if isWord(scalar) {
        result.unicodeScalars.append(scalar)
      } else if !result.isEmpty, !result.hasSuffix("_") {
        result += "_"
      }
    }
    while result.hasSuffix("_") { result.removeLast() }
    while result.hasPrefix("_") { result.removeFirst() }
    guard let first = result.unicodeScalars.first else { return "unnamed" }
    if first.properties.numericType != nil { result = "n" + result }
    // PostgreSQL names the index of a primary key like this.
    if result.lowercased().hasSuffix("_pkey") { result += "_n" }
    return isReserved(result) ? "n_" + result : result
  }

  /// Returns whether a text from a store's table of names could be an identifier of this type. Other text, as from a
  /// manipulated file, never gets into a statement.
  package static func isIdentifier(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix("_") && text.unicodeScalars.allSatisfy(isWord)
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }

  /// Returns whether a database refuses a name, or reads it as something else even in quotes.
  private static func isReserved(_ name: String) -> Bool {
    let name = name.lowercased()
    let systemColumns = ["rowid", "oid", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]
    return systemColumns.contains(name) || name.hasPrefix("sqlite_") || name.hasPrefix("pg_")
  }
}

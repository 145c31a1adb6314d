// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RoostMacroExpansion

/// Sends requests to the plugin in the compiler's wire format.
///
/// A declaration is somewhere within a file, so offsets begin at ``fileOffset``.
enum Compiler {
  static let fileOffset = 1000

  /// A diagnostic with its offset in the given source.
  struct Failure: Equatable {
    var sentence: String
    var offset: Int
  }

  struct Expanded: Decodable {
    struct Reply: Decodable { var expandMacroResult: Expanded }
    struct Problem: Decodable {
      struct Position: Decodable {
        var fileName: String
        var offset: Int
      }
      struct FixIt: Decodable {
        struct Change: Decodable {
          struct Place: Decodable {
            var startOffset: Int
            var endOffset: Int
          }
          var range: Place
          var newText: String
        }
        var message: String
        var changes: [Change]
      }
      var message: String
      var severity: String
      var position: Position
      var fixIts: [FixIt]

      /// Returns the source after the fix-it.
      func mend(_ source: String) -> String {
        var bytes = Array(source.utf8)
        for change in fixIts.flatMap(\.changes) {
          let range = change.range.startOffset - fileOffset..<change.range.endOffset - fileOffset
          bytes.replaceSubrange(range, with: change.newText.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    var expandedSource: String?
    var diagnostics: [Problem]

    var failures: [Failure] {
      diagnostics.map { Failure(sentence: $0.message, offset: $0.position.offset - fileOffset) }
    }
  }

  /// Returns the members that `@Entity` adds to the declaration.
  static func members(of source: String, in context: [String] = []) throws -> Expanded {
    try expand("EntityMacro", "member", attribute: ("@Entity", 0), source, context: context)
  }

  /// Returns the extension that `@Composite` adds for a struct with a name.
  static func composite(
    _ source: String, named name: String = "A", in context: [String] = []
  ) throws -> Expanded {
    try expand(
      "CompositeMacro", "extension", attribute: ("@Composite", 0), source, extended: name,
      context: context)
  }

  /// Returns the attribute that `@Entity` adds to a member, whose text occurs once in the declaration.
  static func attribute(of member: String, in source: String) throws -> String {
    let offset = try self.offset(of: member, in: source)
    return try expand(
      "EntityMacro", "memberAttribute", attribute: ("@Entity", 0), member, at: offset,
      parent: source
    ).expandedSource ?? ""
  }

  /// Returns the accessors that `@_ManagedProperty` adds to a property.
  static func accessors(of source: String, number: String, in context: [String]) throws -> Expanded
  {
    try expand(
      "ManagedPropertyMacro", "accessor", attribute: ("@_ManagedProperty(\"\(number)\")", 0),
      source, context: context)
  }

  /// Returns the diagnostics of a property macro about its location.
  static func check(
    _ macro: String, attribute: String, of source: String, in context: [String]
  ) throws -> Expanded {
    let offset = try self.offset(of: attribute, in: source)
    return try expand(
      macro + "Macro", "peer", attribute: (attribute, offset), source, context: context)
  }

  /// Sends one request and parses the response.
  static func expand(
    _ type: String, _ role: String, attribute: (source: String, offset: Int), _ source: String,
    at offset: Int = 0, parent: String? = nil, extended: String? = nil, context: [String] = []
  ) throws -> Expanded {
    var request: [String: Any] = [
      "macro": ["moduleName": "RoostMacros", "typeName": type, "name": type],
      "macroRole": role, "discriminator": "$s4Demo",
      "attributeSyntax": node(attribute.source, at: attribute.offset),
      "declSyntax": node(source, at: offset),
      "lexicalContext": context.map { node($0, at: 0) },
    ]
    if let parent { request["parentDeclSyntax"] = node(parent, at: 0) }
    if let extended { request["extendedTypeSyntax"] = node(extended, at: 0) }
    let body = try JSONSerialization.data(withJSONObject: ["expandAttachedMacro": request])
    let answer = Data(Conversation.answer(to: [UInt8](body)))
    return try JSONDecoder().decode(Expanded.Reply.self, from: answer).expandMacroResult
  }

  /// Returns the expansion of a freestanding declaration macro.
  static func expand(freestanding source: String, context: [String]) throws -> Expanded {
    let request: [String: Any] = [
      "macro": ["moduleName": "RoostMacros", "typeName": "UniqueMacro", "name": "Unique"],
      "macroRole": "declaration", "discriminator": "$s4Demo", "syntax": node(source, at: 0),
      "lexicalContext": context.map { node($0, at: 0) },
    ]
    let body = try JSONSerialization.data(withJSONObject: ["expandFreestandingMacro": request])
    let answer = Data(Conversation.answer(to: [UInt8](body)))
    return try JSONDecoder().decode(Expanded.Reply.self, from: answer).expandMacroResult
  }

  private static func node(_ source: String, at offset: Int) -> [String: Any] {
    [
      "kind": "declaration", "source": source,
      "location": [
        "fileID": "Demo/Demo.swift", "fileName": "Demo.swift", "line": 1, "column": 1,
        "offset": fileOffset + offset,
      ],
    ]
  }

  private static func offset(of part: String, in source: String) throws -> Int {
    guard let range = source.range(of: part) else { throw Missing(part: part) }
    return source.utf8.distance(from: source.startIndex, to: range.lowerBound)
  }

  struct Missing: Error { var part: String }
}

/// A source in which `‸` marks a position.
struct Marked {
  let source: String
  /// The number of bytes before the mark.
  let offset: Int

  init(_ text: String) {
    let parts = text.split(separator: "‸", maxSplits: 1, omittingEmptySubsequences: false)
    source = parts.joined()
    offset = parts.count == 2 ? parts[0].utf8.count : -1
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RoostMacroExpansion

/// Asks the plugin what the compiler would ask, over the same bytes.
///
/// The source of a declaration stands somewhere in a file, so offsets begin at ``fileOffset``.
enum Compiler {
  static let fileOffset = 1000

  /// An error, where it is in the source that was given.
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

      /// The source after the change.
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

  /// The members that `@Entity` adds to the declaration.
  static func members(of source: String, in context: [String] = []) throws -> Expanded {
    try expand("EntityMacro", "member", attribute: ("@Entity", 0), source, context: context)
  }

  /// The attribute that `@Entity` adds to a member, whose text occurs once in the declaration.
  static func attribute(of member: String, in source: String) throws -> String {
    let offset = try self.offset(of: member, in: source)
    return try expand(
      "EntityMacro", "memberAttribute", attribute: ("@Entity", 0), member, at: offset,
      parent: source
    ).expandedSource ?? ""
  }

  /// The accessors that `@_ManagedProperty` gives to a property.
  static func accessors(of source: String, number: String, in context: [String]) throws -> Expanded
  {
    try expand(
      "ManagedPropertyMacro", "accessor", attribute: ("@_ManagedProperty(\"\(number)\")", 0),
      source, context: context)
  }

  /// What one of the macros of properties has to say of the place where it is.
  static func check(
    _ macro: String, attribute: String, of source: String, in context: [String]
  ) throws -> Expanded {
    let offset = try self.offset(of: attribute, in: source)
    return try expand(
      macro + "Macro", "peer", attribute: (attribute, offset), source, context: context)
  }

  /// Sends one request and reads the answer.
  static func expand(
    _ type: String, _ role: String, attribute: (source: String, offset: Int), _ source: String,
    at offset: Int = 0, parent: String? = nil, context: [String] = []
  ) throws -> Expanded {
    var request: [String: Any] = [
      "macro": ["moduleName": "RoostMacros", "typeName": type, "name": type],
      "macroRole": role, "discriminator": "$s4Demo",
      "attributeSyntax": node(attribute.source, at: attribute.offset),
      "declSyntax": node(source, at: offset),
      "lexicalContext": context.map { node($0, at: 0) },
    ]
    if let parent { request["parentDeclSyntax"] = node(parent, at: 0) }
    let body = try JSONSerialization.data(withJSONObject: ["expandAttachedMacro": request])
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

/// A source in which `‸` marks a place.
struct Marked {
  let source: String
  /// The bytes before the mark.
  let offset: Int

  init(_ text: String) {
    let parts = text.split(separator: "‸", maxSplits: 1, omittingEmptySubsequences: false)
    source = parts.joined()
    offset = parts.count == 2 ? parts[0].utf8.count : -1
  }
}

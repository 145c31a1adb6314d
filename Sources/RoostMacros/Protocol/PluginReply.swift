// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reply of the plugin: exactly one of the properties is set.
struct PluginReply: Encodable {
  struct Capability: Encodable {
    struct Version: Encodable { var protocolVersion: Int }
    var capability: Version
  }

  struct Expanded: Encodable {
    var expandedSource: String?
    var diagnostics: [ReplyDiagnostic]
  }

  struct Library: Encodable {
    var loaded: Bool
    var diagnostics: [ReplyDiagnostic]
  }

  var getCapabilityResult: Capability?
  var expandMacroResult: Expanded?
  var loadPluginLibraryResult: Library?

  /// The version of the protocol that the plugin speaks.
  static let capability = PluginReply(
    getCapabilityResult: Capability(capability: .init(protocolVersion: 7)))

  /// This plugin loads no libraries.
  static let noLibrary = PluginReply(
    loadPluginLibraryResult: Library(loaded: false, diagnostics: []))

  /// An error without a place in a source file.
  static func failed(_ sentence: String) -> PluginReply {
    let position = ReplyDiagnostic.Position(fileName: "", offset: 0)
    return PluginReply(
      expandMacroResult: Expanded(
        expandedSource: nil, diagnostics: [ReplyDiagnostic(sentence, at: position)]))
  }

  /// The outcome of an expansion.
  ///
  /// - Parameter source: A piece of the file that the places of diagnostics are in.
  static func expanded(_ result: ExpansionResult, in source: SyntaxNode) -> PluginReply {
    let fileName = source.location.fileName
    let diagnostics = result.diagnostics.map {
      ReplyDiagnostic(
        $0.sentence, at: .init(fileName: fileName, offset: $0.offset), fixIt: $0.fixIt)
    }
    return PluginReply(
      expandMacroResult: Expanded(expandedSource: result.source, diagnostics: diagnostics))
  }

  /// The bytes of a reply.
  static func encoded(_ reply: PluginReply) -> [UInt8] {
    // Strings, numbers and arrays always encode; the fallback keeps the conversation in step all the same.
    guard let data = try? JSONEncoder().encode(reply) else {
      return Array(#"{"expandMacroResult":{"diagnostics":[]}}"#.utf8)
    }
    return [UInt8](data)
  }
}

/// An error in the compiler's format.
struct ReplyDiagnostic: Encodable {
  struct Position: Encodable {
    var fileName: String
    var offset: Int
  }

  struct Replacement: Encodable {
    struct Change: Encodable {
      struct Place: Encodable {
        var fileName: String
        var startOffset: Int
        var endOffset: Int
      }
      var range: Place
      var newText: String
    }
    var message: String
    var changes: [Change]
  }

  /// Nothing of the kind is sent, but the compiler expects the list.
  struct Nothing: Encodable {}

  var message: String
  var severity = "error"
  var position: Position
  var highlights: [Nothing] = []
  var notes: [Nothing] = []
  var fixIts: [Replacement] = []

  init(_ sentence: String, at position: Position, fixIt: FixIt? = nil) {
    message = sentence
    self.position = position
    guard let fixIt else { return }
    let place = Replacement.Change.Place(
      fileName: position.fileName, startOffset: fixIt.range.lowerBound,
      endOffset: fixIt.range.upperBound)
    fixIts = [
      Replacement(message: fixIt.sentence, changes: [.init(range: place, newText: fixIt.text)])
    ]
  }
}

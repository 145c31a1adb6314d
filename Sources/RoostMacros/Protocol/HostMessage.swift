// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the compiler asks, as far as this plugin has an answer: exactly one of the properties is set.
struct HostMessage: Decodable {
  /// A request whose contents do not matter.
  struct Presence: Decodable {
    init(from decoder: any Decoder) {}
  }

  var getCapability: Presence?
  var loadPluginLibrary: Presence?
  var expandAttachedMacro: ExpansionRequest?

  /// Reads a message; nil when it is none.
  init?(_ body: [UInt8]) {
    guard let message = try? JSONDecoder().decode(HostMessage.self, from: Data(body)) else {
      return nil
    }
    self = message
  }
}

/// One expansion of an attached macro.
struct ExpansionRequest: Decodable {
  var macro: MacroReference
  var macroRole: String
  /// The attribute, as `@Entity(abstract: true)`.
  var attributeSyntax: SyntaxNode
  /// The declaration to which the attribute is attached, or the member for the member-attribute role.
  var declSyntax: SyntaxNode
  /// The type whose member is asked about, for the member-attribute role.
  var parentDeclSyntax: SyntaxNode?
  /// The declarations around it, innermost first, without their members.
  var lexicalContext: [SyntaxNode]?
}

/// Which macro is expanded.
struct MacroReference: Decodable {
  /// The name after `type:` in `#externalMacro`.
  var typeName: String
}

/// A piece of the source with the white space and comments around it.
struct SyntaxNode: Decodable {
  var source: String
  var location: SourceLocation
}

/// Where a piece of source begins.
struct SourceLocation: Decodable {
  var fileName: String
  /// In bytes of UTF-8 from the beginning of the file.
  var offset: Int
}

// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request of the compiler that this plugin supports: exactly one of the properties is set.
struct HostMessage: Decodable {
  /// A request whose content is ignored.
  struct Presence: Decodable {
    init(from decoder: any Decoder) {}
  }

  var getCapability: Presence?
  var loadPluginLibrary: Presence?
  var expandAttachedMacro: ExpansionRequest?
  var expandFreestandingMacro: FreestandingRequest?

  /// Decodes a message; nil when the bytes are none.
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
  /// The type that contains the member, for the member-attribute role.
  var parentDeclSyntax: SyntaxNode?
  /// The type that gets an extension, with the names of the types around it, for the extension role.
  var extendedTypeSyntax: SyntaxNode?
  /// The enclosing declarations, innermost first, without their members.
  var lexicalContext: [SyntaxNode]?
}

/// One expansion of a macro that stands as a declaration of its own.
struct FreestandingRequest: Decodable {
  var macro: MacroReference
  /// The macro with its arguments.
  var syntax: SyntaxNode
  /// The declarations around it, innermost first, without their members.
  var lexicalContext: [SyntaxNode]?
}

/// The macro that is expanded.
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

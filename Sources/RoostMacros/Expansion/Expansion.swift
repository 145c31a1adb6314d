// SPDX-License-Identifier: Apache-2.0

/// One macro expansion: the macro, its role, and the declaration.
struct Expansion {
  private let request: ExpansionRequest

  init(_ request: ExpansionRequest) {
    self.request = request
  }

  /// Returns the expansion for the compiler.
  func result() -> ExpansionResult {
    switch (request.macro.typeName, request.macroRole) {
    case ("EntityMacro", "member"):
      EntityMembers(request).expansion()
    case ("EntityMacro", "memberAttribute"):
      EntityMemberAttribute(request).expansion()
    case ("CompositeMacro", "extension"):
      CompositeExtension(request).expansion()
    case ("ManagedPropertyMacro", "accessor"):
      ManagedPropertyAccessors(request).expansion()
    case ("ManagedMacro", "accessor"):
      ManagedMember(request).accessors()
    case ("ManagedMacro", "body"):
      ManagedMember(request).body()
    case ("AttributeMacro", "peer"), ("RelationshipMacro", "peer"), ("UnmodeledMacro", "peer"):
      PropertyMacroCheck(request).expansion()
    default:
      ExpansionResult(
        diagnostics: [
          Diagnostic(
            sentence: "the plugin has no macro '\(request.macro.typeName)' in the role "
              + "'\(request.macroRole)'",
            offset: request.attributeSyntax.location.offset)
        ])
    }
  }
}

/// The names of the macros, as users write them.
enum MacroName {
  static let entity = "Entity"
  static let composite = "Composite"
  static let attribute = "Attribute"
  static let relationship = "Relationship"
  static let unmodeled = "Unmodeled"
  static let unique = "Unique"
  static let index = "Index"
  /// The macros that say how a property belongs to the entity, one at most for each property.
  static let ofProperties: Set<String> = [attribute, relationship, unmodeled]
}

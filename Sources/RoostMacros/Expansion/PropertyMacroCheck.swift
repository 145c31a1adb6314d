// SPDX-License-Identifier: Apache-2.0

/// `@Attribute`, `@Relationship` and `@Unmodeled`: they are read by `@Entity` and expand to nothing, but they know
/// best when they are in the wrong place.
struct PropertyMacroCheck {
  private let request: ExpansionRequest
  private let parser: DeclarationParser
  /// The property; nil when the macro is attached to something else.
  private let property: PropertyNode?
  /// The name of the macro that is expanded, and where it is written.
  private let macro: String
  private let place: Int

  init(_ request: ExpansionRequest) {
    self.request = request
    parser = DeclarationParser(request.declSyntax.source)
    property = parser.property()
    macro = request.macro.typeName.replacing("Macro", with: "")
    place =
      request.attributeSyntax.location.offset + TokenList(request.attributeSyntax.source).offset(0)
  }

  func expansion() -> ExpansionResult {
    let problem =
      misplaced() ?? repeated()
      ?? (macro == MacroName.relationship
        ? unrelated() : macro == MacroName.attribute ? unsearchable() : nil)
    return ExpansionResult(source: "", diagnostics: problem.map { [$0] } ?? [])
  }

  // MARK: - The place

  private func misplaced() -> Diagnostic? {
    guard let property else { return .notAProperty(macro, offset: place) }
    guard let owner else { return .outsideEntity(macro, offset: place) }
    if owner.keyword == "extension" { return .inExtension(macro, offset: place) }
    if macro != MacroName.relationship, owner.keyword == "struct",
      !owner.prefix.attributes(named: [MacroName.composite]).isEmpty
    {
      return misplacedInComposite(property)
    }
    if owner.keyword != "class" || owner.prefix.attributes(named: [MacroName.entity]).isEmpty {
      return .outsideEntity(macro, offset: place)
    }
    guard macro != MacroName.unmodeled else { return nil }
    if !property.isVariable {
      let keyword = offset(of: property.prefix.keyword)
      return .constant(macro, offset: place, keyword: keyword..<keyword + "let".utf8.count)
    }
    if property.isStatic { return .typeProperty(macro, offset: place) }
    return property.accessors == .computed ? .computed(macro, offset: place) : nil
  }

  private func misplacedInComposite(_ property: PropertyNode) -> Diagnostic? {
    guard macro == MacroName.attribute else { return nil }
    if property.isStatic { return .typeProperty(macro, offset: place) }
    return property.accessors == .computed ? .computed(macro, offset: place) : nil
  }

  /// The type that contains the property; nil for a global or local variable.
  private var owner: TypeNode? {
    request.lexicalContext?.first.flatMap { DeclarationParser($0.source).type() }
  }

  /// A property has one of the macros; the second is one too many.
  private func repeated() -> Diagnostic? {
    let macros = property?.prefix.attributes(named: MacroName.ofProperties) ?? []
    guard macros.count > 1, let first = macros.first, offset(of: first.start) != place else {
      return nil
    }
    return .repeated(macro, after: first.name, offset: place)
  }

  // MARK: - Attributes

  /// Full-text search needs a text. The type may be one of the program's own that is stored as text, which is not
  /// known here.
  private func unsearchable() -> Diagnostic? {
    let macros = property?.prefix.attributes(named: [MacroName.attribute]) ?? []
    guard let macro = macros.first(where: { offset(of: $0.start) == place }),
      let option = macro.arguments.first(where: { argument in
        argument.label == nil
          && argument.value.last.map { parser.list.isWord($0, "searchable") } == true
      }), let type = property?.type, TypeText(type, in: parser.list).isClearlyNoText
    else { return nil }
    return .notSearchable(
      parser.list.text(type), offset: offset(of: option.value.lowerBound))
  }

  // MARK: - Relationships

  private func unrelated() -> Diagnostic? {
    if let type = property?.type, TypeText(type, in: parser.list).isClearlyNoRelationship {
      return .noDestination(parser.list.text(type), offset: offset(of: type.lowerBound))
    }
    if let type = property?.type, let inner = TypeText(type, in: parser.list).optionalCollection {
      let mark = offset(of: type.upperBound - 1)
      return .optionalToMany(
        parser.list.text(inner), offset: offset(of: type.lowerBound), mark: mark..<mark + 1)
    }
    if let property, let value = EntityOutline.destinations(of: property, in: parser.list) {
      return .destinations(offset: offset(of: value.lowerBound))
    }
    let macros = property?.prefix.attributes(named: [MacroName.relationship]) ?? []
    guard let macro = macros.first(where: { offset(of: $0.start) == place }),
      let inverse = macro.arguments.first(where: { $0.label == "inverse" }),
      InverseKeyPath(inverse, in: parser.list) == nil
    else { return nil }
    return .badInverse(offset: offset(of: inverse.value.lowerBound))
  }

  private func offset(of token: Int) -> Int {
    request.declSyntax.location.offset + parser.list.offset(token)
  }
}

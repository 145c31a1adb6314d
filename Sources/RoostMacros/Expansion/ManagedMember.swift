// SPDX-License-Identifier: Apache-2.0

/// `@Managed` and `@ManagedMethod`, the replacements of `@NSManaged`: a property that is accessed by its name, and
/// the methods that Xcode generates for to-many relationships.
struct ManagedMember {
  private let request: ExpansionRequest
  private let parser: DeclarationParser

  init(_ request: ExpansionRequest) {
    self.request = request
    parser = DeclarationParser(request.declSyntax.source)
  }

  /// The accessors of a property.
  func accessors() -> ExpansionResult {
    guard let property = parser.property(), property.isVariable, !property.isStatic,
      property.type != nil, property.initialValue == nil, property.accessors == .none,
      let name = property.name?.withoutBackticks
    else { return failure(.managedProperty(offset: place)) }
    let lines = [
      "{", "get { self._managedValue(\"\(name)\") }",
      "set { self._setManagedValue(newValue, \"\(name)\") }", "}",
    ]
    return ExpansionResult(source: lines.joined(separator: "\n"))
  }

  /// The body of a method.
  func body() -> ExpansionResult {
    guard let method = parser.method(), !method.isStatic,
      let (verb, key) = Self.verb(of: method.name.withoutBackticks)
    else { return failure(.managedMethod(offset: place)) }
    let arguments = parser.list.split(method.parameters).compactMap(argument)
    let list = (["\"\(key)\""] + arguments).joined(separator: ", ")
    return ExpansionResult(source: "{\nself._\(verb)Managed(\(list))\n}")
  }

  /// Splits the name of a method into verb and key: `("add", "Pets")` for `addToPets`.
  private static func verb(of name: String) -> (verb: String, key: String)? {
    let verbs = [
      ("addTo", "add"), ("removeFrom", "remove"), ("insertInto", "insert"), ("replace", "replace"),
    ]
    for (prefix, verb) in verbs where name.hasPrefix(prefix) && name.count > prefix.count {
      return (verb, String(name.dropFirst(prefix.count)))
    }
    return nil
  }

  /// Returns a parameter as an argument with its label: `at: idx` for `at idx: Int`.
  private func argument(_ parameter: Range<Int>) -> String? {
    let list = parser.list
    guard let colon = parameter.first(where: { list.isByte($0, Byte.colon) }),
      colon > parameter.lowerBound
    else { return nil }
    let label = list.text(parameter.lowerBound)
    let name = list.text(colon - 1)
    return label == "_" ? name : "\(label): \(name)"
  }

  private var place: Int {
    request.attributeSyntax.location.offset + TokenList(request.attributeSyntax.source).offset(0)
  }

  private func failure(_ diagnostic: Diagnostic) -> ExpansionResult {
    ExpansionResult(diagnostics: [diagnostic])
  }
}

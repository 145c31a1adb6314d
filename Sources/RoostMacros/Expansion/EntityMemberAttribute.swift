// SPDX-License-Identifier: Apache-2.0

/// The member-attribute role of `@Entity`: it adds an attribute to each property of the entity, which replaces
/// storage by accessors.
struct EntityMemberAttribute {
  private let request: ExpansionRequest

  init(_ request: ExpansionRequest) {
    self.request = request
  }

  func expansion() -> ExpansionResult {
    let member = DeclarationParser(request.declSyntax.source)
    guard let property = member.property(), EntityOutline.isModelled(property),
      let parent = request.parentDeclSyntax
    else { return ExpansionResult(source: "") }
    let parser = DeclarationParser(parent.source)
    guard let type = parser.type(), ["class", "actor"].contains(type.keyword) else {
      return ExpansionResult(source: "")
    }
    // A second '@Entity' is reported, and adds nothing.
    let isFirst = type.prefix.attributes(named: [MacroName.entity]).first.map { first in
      let attribute = request.attributeSyntax
      return attribute.location.offset + TokenList(attribute.source).offset(0)
        <= parent.location.offset + parser.list.offset(first.start)
    }
    if isFirst == false { return ExpansionResult(source: "") }
    let check = EntityCheck(type, parser.list, context: request.lexicalContext ?? [], offset: 0)
    if check.unfitType() != nil {
      return ExpansionResult(
        source: "@_ManagedProperty(\(ManagedPropertyAccessors.refused.literal))")
    }
    let place =
      request.declSyntax.location.offset + member.list.offset(property.nameIndex)
      - parent.location.offset
    for case .property(let node, let number) in EntityOutline(type.members).elements
    where parser.list.offset(node.nameIndex) == place {
      let expression = EntityNames(type, in: parser.list).expression(number)
      return ExpansionResult(source: "@_ManagedProperty(\(expression.literal))")
    }
    return ExpansionResult(source: "")
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

/// Tests of warnings about valid but probably unintended models.
@Suite struct ModelWarningTests {
  private static func relationship(
    _ name: String, to destination: EntityDescription, isToMany: Bool = false
  ) -> RelationshipDescription {
    let relationship = RelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = isToMany ? 0 : 1
    return relationship
  }

  private static func model(_ edit: (EntityDescription, EntityDescription) -> Void)
    -> ManagedObjectModel
  {
    let (first, second) = (EntityDescription(), EntityDescription())
    first.name = "A"
    second.name = "B"
    edit(first, second)
    let model = ManagedObjectModel()
    model.entities = [first, second]
    return model
  }

  @Test("two relationships that look like the ends of one are told, once")
  func pairs() {
    let model = Self.model { a, b in
      a.properties = [Self.relationship("children", to: b, isToMany: true)]
      b.properties = [Self.relationship("parent", to: a)]
    }
    let warnings = model.findWarnings()
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("“A.children” and “B.parent”") ?? false)
    #expect(warnings.first?.contains("inverse") ?? false)
    #expect(model.findFaults().isEmpty)
  }

  @Test("relationships with an inverse, to oneself or with several candidates are not told")
  func others() {
    let inverse = Self.model { a, b in
      let (children, parent) = (
        Self.relationship("children", to: b, isToMany: true), Self.relationship("parent", to: a)
      )
      a.properties = [children]
      b.properties = [parent]
      children.inverseRelationship = parent
      parent.inverseRelationship = children
    }
    let several = Self.model { a, b in
      a.properties = [Self.relationship("children", to: b, isToMany: true)]
      b.properties = [Self.relationship("parent", to: a), Self.relationship("owner", to: a)]
    }
    let oneWay = Self.model { a, b in a.properties = [Self.relationship("children", to: b)] }
    let itself = Self.model { a, _ in a.properties = [Self.relationship("next", to: a)] }
    for model in [inverse, several, oneWay, itself] { #expect(model.findWarnings().isEmpty) }
  }
}

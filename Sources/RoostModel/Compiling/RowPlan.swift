// SPDX-License-Identifier: Apache-2.0

/// What the rows of an entity hold, and where: begun for the root of a hierarchy, and gone on with for each subentity.
struct RowPlan {
  /// What the slots are for, in order.
  private(set) var contents: [SlotContent] = []
  /// Where they are.
  private(set) var placement = SlotPlacement()
  /// The names of the properties, as the class of the last entity numbers them.
  private var names: [String] = []

  /// Adds what an entity adds to its superentity.
  mutating func add(_ own: [SlotContent], of entity: EntityDescription) {
    let ofClass = (entity.managedObjectClass as? any ModelledClass.Type)?.numberedProperties
    // Without a class that numbers them, the properties have the order of the model.
    names = ofClass ?? names + entity.declaredProperties.map(\.name)
    let numbers = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    placement.add(
      own.map { content in
        // Names of elements have a dot, and those of positions an at sign: no property has.
        (kind: content.kind, number: numbers[content.name])
      }, numberCount: names.count, hasSubentities: !entity.subentities.isEmpty)
    contents += own
  }
}

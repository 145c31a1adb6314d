// SPDX-License-Identifier: Apache-2.0

/// The slots of an entity's rows and their placement: started for the root of a hierarchy, and extended for each
/// subentity.
struct RowPlan {
  /// The contents of the slots, in order.
  private(set) var contents: [SlotContent] = []
  /// The placement of the slots.
  private(set) var placement = SlotPlacement()
  /// The property names in the numbering of the last entity's class.
  private var names: [String] = []

  /// Adds the slots that an entity adds to its superentity.
  mutating func add(_ own: [SlotContent], of entity: EntityDescription) {
    let ofClass = (entity.managedObjectClass as? any ModelledClass.Type)?.numberedProperties
    // Without a class that numbers them, properties are numbered in the order of the model.
    names = ofClass ?? names + entity.declaredProperties.map(\.name)
    let numbers = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    placement.add(
      own.map { content in
        // Names of elements contain a dot, and those of positions an at sign, which no property name does.
        (kind: content.kind, number: numbers[content.name])
      }, numberCount: names.count, hasSubentities: !entity.subentities.isEmpty)
    contents += own
  }
}

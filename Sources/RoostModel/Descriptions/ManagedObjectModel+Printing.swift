// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel: CustomDebugStringConvertible {
  /// The model as `print` shows it: a line per entity, with its superentity and its own properties with their types;
  /// a question mark follows an optional property, `*` a to-many relationship.
  ///
  /// - Complexity: O(properties).
  public var debugDescription: String {
    let lines = entities.sorted { ($0.name ?? "") < ($1.name ?? "") }.map(\.printedLine)
    return (["<ManagedObjectModel, entities: \(entities.count)>"] + lines).joined(separator: "\n")
  }
}

extension EntityDescription {
  fileprivate var printedLine: String {
    let above = superentity.map { ": \($0.name ?? "")" } ?? ""
    let properties = declaredProperties.map(\.printedText)
    let content = properties.isEmpty ? "no properties" : properties.joined(separator: ", ")
    return "  \(isAbstract ? "abstract " : "")\(name ?? "without a name")\(above) – \(content)"
  }
}

extension PropertyDescription {
  fileprivate var printedText: String {
    let optional = isOptional ? "?" : ""
    switch self {
    case let attribute as AttributeDescription: return "\(name) \(attribute.type)\(optional)"
    case let relationship as RelationshipDescription:
      let end = relationship.isToMany ? (relationship.isOrdered ? "* in order" : "*") : optional
      return "\(name) → \(relationship.destinationEntity?.name ?? "nothing")\(end)"
    default: return name
    }
  }
}

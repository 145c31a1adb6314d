// SPDX-License-Identifier: Apache-2.0

/// The rules for names of entities and properties.
///
/// Quotes, SQL words, any script and any length are allowed: stores generate names of their own. Characters with a
/// meaning in key paths, in hidden names or in C are not.
enum ModelName {
  /// Names of members of every managed object, which a property would hide.
  static let reserved: Set<String> = [
    "objectID", "entity", "managedObjectContext", "persistentStore", "hasChanges",
    "hasPersistentChangedValues", "isInserted", "isUpdated", "isDeleted", "isFault",
    "faultingState", "description", "debugDescription", "hashValue", "self", "Self", "Type",
    "Protocol", "init", "deinit", "subscript", "changedValues", "changedValuesForCurrentEvent",
    "awakeFromFetch", "awakeFromInsert", "prepareForDeletion", "willSave", "didSave",
    "willTurnIntoFault", "didTurnIntoFault", "validateForInsert", "validateForUpdate",
    "validateForDelete",
  ]

  /// Returns why a name is refused, as the rest of a sentence; nil when it is fine.
  static func fault(in name: String) -> String? {
    if name.isEmpty { return "is empty" }
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\0": return "contains a NUL character"
      case ".": return "contains a dot, which separates the steps of a key path"
      case "@": return "contains an at sign, which begins an operator of a key path"
      default: continue
      }
    }
    return nil
  }
}

extension ModelCheck {
  /// Entities: names, owners, number.
  mutating func checkEntities() {
    var names: Set<String> = []
    var seen: Set<ObjectIdentifier> = []
    for entity in model.entities {
      guard seen.insert(ObjectIdentifier(entity)).inserted else {
        report("The entity is listed twice in the model.", entity)
        continue
      }
      let name = entity.name ?? ""
      if let fault = ModelName.fault(in: name) { report("The entity's name \(fault).", entity) }
      if !name.isEmpty, !names.insert(name).inserted {
        report("Two entities have the name “\(name)”.", entity)
      }
      if entity.managedObjectModel !== model {
        report("The entity belongs to another model; copy it for this one.", entity)
      }
    }
    if model.entities.count > RecordKey.largestEntityCode {
      report("The model has more than \(RecordKey.largestEntityCode) entities.")
    }
  }

  /// Properties: names, doubles, redefinition of what is inherited (B300).
  mutating func checkPropertyNames(of entity: EntityDescription) {
    let inherited = entity.superentity.map { properties[$0] } ?? [:]
    var names: Set<String> = []
    for property in entity.declaredProperties {
      let name = property.name
      if let fault = ModelName.fault(in: name) {
        report("The property's name \(fault).", entity, name)
      } else if ModelName.reserved.contains(name) {
        report("“\(name)” is a member of every managed object.", entity, name)
      }
      if !name.isEmpty, !names.insert(name).inserted {
        report("Two properties have the name “\(name)”.", entity, name)
      }
      if let other = inherited[name], other.entity !== entity {
        let ancestor = other.entity?.name ?? ""
        report("“\(name)” is inherited from “\(ancestor)” already.", entity, name)
      }
    }
  }
}

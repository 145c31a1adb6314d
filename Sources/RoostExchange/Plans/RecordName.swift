// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// The name of a record in a file: the values of a uniqueness constraint, or an ID that is valid in the file.
struct RecordName {
  /// The attributes of the constraint and their values; nil for a record without a key.
  let key: (key: EntityKey, values: [Value])?
  let object: ManagedObject
  private let store: Int

  /// - Parameters:
  ///   - object: The record.
  ///   - plan: The plan of its entity.
  ///   - store: The index of its store among those that are exported.
  /// - Throws: The error of reading the record.
  init(of object: ManagedObject, _ plan: EntityPlan, store: Int) throws {
    self.object = object
    self.store = store
    guard let first = plan.keys.first else {
      key = nil
      return
    }
    let values = try first.attributes.map { try object.exchangeValue(forKey: $0.name) }
    key = values.contains(where: \.isNull) ? nil : (first, values)
  }

  /// The ID in the file; nil for a record with a key.
  var id: String? { key == nil ? fileID : nil }

  /// The record's ID in files, if it needs one.
  var fileID: String { FieldText.text(of: object.objectID, store: store) }

  /// Returns the JSON by which a relationship refers to the record.
  func reference(from destination: EntityDescription?) throws -> JSONNode {
    guard let (key, values) = key else {
      return .text(fileID)
    }
    var members = try zip(key.attributes, values).map {
      JSONNode.Member($0.name, try FieldText.node($1))
    }
    // A constraint of a subentity is not defined for the destination entity, so the record's entity is added.
    if destination.map({ !$0.isKindOf(entity: key.owner) }) ?? true {
      members.insert(JSONNode.Member("@entity", .text(object.entity.name ?? "")), at: 0)
    }
    return .object(members)
  }
}

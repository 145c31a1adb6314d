// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// How a record is named in a file: by the values of a uniqueness constraint, or by an ID that is valid in the file.
struct RecordName {
  /// The attributes of the constraint and their values; nil for a record that has no key.
  let key: (key: EntityKey, values: [Value])?
  let object: ManagedObject
  private let store: Int

  /// - Parameters:
  ///   - object: The record.
  ///   - plan: The plan of its entity.
  ///   - store: The place of its store among those that are exported.
  /// - Throws: What reading the record throws.
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

  /// The ID that the record has in files when it needs one.
  var fileID: String { FieldText.text(of: object.objectID, store: store) }

  /// How a relationship names the record.
  func reference(from destination: EntityDescription?) throws -> JSONNode {
    guard let (key, values) = key else {
      return .text(fileID)
    }
    var members = try zip(key.attributes, values).map {
      JSONNode.Member($0.name, try FieldText.node($1))
    }
    // A constraint that only the record's own entity has says nothing in the destination.
    if destination.map({ !$0.isKindOf(entity: key.owner) }) ?? true {
      members.insert(JSONNode.Member("@entity", .text(object.entity.name ?? "")), at: 0)
    }
    return .object(members)
  }
}

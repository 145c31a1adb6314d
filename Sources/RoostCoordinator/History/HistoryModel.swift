// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The entities that represent history transactions and changes in conditions. No store has records of them.
package enum HistoryModel {
  /// The entity of transactions.
  package static var transaction: EntityDescription { descriptions.transaction }
  /// The entity of changes.
  package static var change: EntityDescription { descriptions.change }
  /// The entity of changed objects.
  static var object: EntityDescription { descriptions.object }
  /// The entity of the properties that an update changed.
  static var property: EntityDescription { descriptions.property }
  /// The model of these entities.
  static var model: ManagedObjectModel { descriptions.model }

  private static let descriptions = Descriptions()

  /// The names of attributes, as programs use them in conditions.
  enum Key {
    static let author = "author"
    static let bundleID = "bundleID"
    static let contextName = "contextName"
    static let saveID = "saveID"
    static let processID = "processID"
    static let storeID = "storeID"
    static let timestamp = "timestamp"
    static let transactionNumber = "transactionNumber"
    static let changes = "changes"

    static let changeID = "changeID"
    static let changeType = "changeType"
    static let changedEntity = "changedEntity"
    static let changedObjectID = "changedObjectID"
    static let transaction = "transaction"
    static let updatedProperties = "updatedProperties"

    static let name = "name"
  }

  private struct Descriptions {
    let model: ManagedObjectModel
    let transaction = EntityDescription(name: "Transaction")
    let change = EntityDescription(name: "Change")
    // Here a changed object has only an identity, and a property only a name.
    let object = EntityDescription(name: "ChangedObject")
    let property = EntityDescription(name: "ChangedProperty")

    init() {
      let changes = RelationshipDescription(name: Key.changes, destination: change)
      let owner = RelationshipDescription(
        name: Key.transaction, destination: transaction, maxCount: 1)
      changes.inverseRelationship = owner
      owner.inverseRelationship = changes
      transaction.properties =
        [Key.author, Key.bundleID, Key.contextName, Key.processID, Key.storeID].map {
          AttributeDescription(name: $0, type: .string)
        } + [
          AttributeDescription(name: Key.timestamp, type: .date),
          AttributeDescription(name: Key.saveID, type: .uuid),
          AttributeDescription(name: Key.transactionNumber, type: .integer64), changes,
        ]
      change.properties = [
        AttributeDescription(name: Key.changeID, type: .integer64),
        AttributeDescription(name: Key.changeType, type: .integer64),
        AttributeDescription(name: Key.changedEntity, type: .string), owner,
        RelationshipDescription(name: Key.changedObjectID, destination: object, maxCount: 1),
        RelationshipDescription(name: Key.updatedProperties, destination: property),
      ]
      property.properties = [AttributeDescription(name: Key.name, type: .string)]
      model = ManagedObjectModel(entities: [transaction, change, object, property])
      do {
        try model.freeze()
      } catch {
        preconditionFailure("The entities of the history are no model: \(error)")
      }
    }
  }
}

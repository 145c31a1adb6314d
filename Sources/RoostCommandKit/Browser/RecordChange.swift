// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// A change that the page requests. It is made in the object graph and saved there, so that validation, delete rules,
/// constraints and conflicts work as in every program. Overrides of the program's own classes do not run.
struct RecordChange: Decodable, Sendable {
  enum Operation: String, Decodable, Sendable {
    case insert, update, delete
  }

  var operation: Operation
  /// The identifier of the store that the page shows: in another one the same ID is another record.
  var store: String?
  /// The entity of a new record.
  var entity: String?
  /// The record, as `Person/p42`.
  var id: String?
  /// The version of the record that the page shows: another one by now is a conflict.
  var version: Int64?
  /// Attributes by text, to-one relationships by ID; nil for no value.
  var values: [String: String?]?

  /// Reads a change from JSON.
  ///
  /// - Throws: ``BrowserFault`` with 400.
  init(_ body: Data) throws(BrowserFault) {
    do {
      self = try JSONDecoder().decode(RecordChange.self, from: body)
    } catch {
      throw BrowserFault(400, "The request is no change of a record.")
    }
  }

  /// Makes the change, and saves it.
  ///
  /// - Returns: The record after the save; an empty object for a deleted one.
  /// - Throws: ``BrowserFault``, with 422 for values that are not valid and 409 for a conflict or another store.
  ///   Nothing is changed then.
  func save(in session: StoreSession) throws -> OutputNode {
    guard let store else { throw BrowserFault(400, "“store” is missing.") }
    guard store == session.store.metadata.identifier else {
      throw BrowserFault(
        409,
        "Another store was put in the place of the one that the page shows. Load the page anew.")
    }
    let context = ManagedObjectContext(coordinator: session.coordinator)
    context.stalenessInterval = 0
    let id: ObjectID? = try context.performAndWait {
      let object = try object(in: context, session)
      if operation == .delete {
        context.delete(object)
      } else {
        try set(values ?? [:], of: object, in: context, session)
      }
      try context.save()
      return operation == .delete ? nil : object.objectID
    }
    guard let id else { return .object([] as [OutputNode.Member]) }
    return Self.saved(id) { try BrowserRecord(session, id).node() }
  }

  /// Returns the response to a save. The change is committed: a failure to read the record afterwards is not an error
  /// of the save.
  static func saved(_ id: ObjectID, _ read: () throws -> OutputNode) -> OutputNode {
    (try? read()) ?? .object(["id": .text(ValueOutput.text(of: id))])
  }

  private func object(
    in context: ManagedObjectContext, _ session: StoreSession
  ) throws -> ManagedObject {
    if operation == .insert {
      guard let entity else { throw BrowserFault(400, "“entity” is missing.") }
      let description = try session.entity(named: entity)
      guard !description.isAbstract else {
        throw BrowserFault(422, "\(entity) is abstract: add a record of one of its subentities.")
      }
      return ManagedObject(entity: description, insertInto: context)
    }
    guard let id, let version else {
      throw BrowserFault(400, "“id” and “version” are needed to change a record.")
    }
    let record = try session.record(id)
    // The object comes first: its row then has the version read below, or an earlier one that the save refuses. In
    // the other order, a write between the two reads would be overwritten.
    let object = try context.existingObject(with: record)
    guard try BrowserRecord(session, record).version() == version else {
      throw BrowserFault(
        409, "\(id) was changed by another writer since it was read. Look at it again first.")
    }
    return object
  }

  private func set(
    _ values: [String: String?], of object: ManagedObject, in context: ManagedObjectContext,
    _ session: StoreSession
  ) throws {
    var problems: [BrowserFault.Problem] = []
    for (name, text) in values.sorted(by: { UTF8Order.isLess($0.key, $1.key) }) {
      do throws(BrowserFault) {
        let value = try value(text, named: name, of: object.entity, in: context, session)
        do { try object.setValue(value, forKey: name) } catch { throw BrowserFault(error) }
      } catch {
        guard error.status == 422 || error.status == 400 else { throw error }
        problems.append(BrowserFault.Problem(key: name, message: error.message))
      }
    }
    guard !problems.isEmpty else { return }
    var fault = BrowserFault(422, problems.map(\.message).joined(separator: "\n"))
    fault.problems = problems
    throw fault
  }

  private func value(
    _ text: String?, named name: String, of entity: EntityDescription,
    in context: ManagedObjectContext, _ session: StoreSession
  ) throws(BrowserFault) -> Any? {
    if let attribute = entity.attributesByName[name] {
      if let obstacle = TypedText.obstacle(to: attribute) {
        throw BrowserFault(422, "\(name) is \(obstacle), and cannot be set here.")
      }
      guard let text else { return nil }
      return try TypedText.value(text, of: attribute)
    }
    guard let relationship = entity.relationshipsByName[name] else {
      throw BrowserFault(422, "\(entity.name ?? "") has no property “\(name)”.")
    }
    guard !relationship.isToMany else {
      throw BrowserFault(422, "\(name) leads to many records: set its inverse in each of them.")
    }
    guard let text else { return nil }
    let id = try session.record(text.trimmed)
    do {
      return try context.existingObject(with: id)
    } catch {
      throw BrowserFault(422, "\(name): there is no \(text).")
    }
  }
}

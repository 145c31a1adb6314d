// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// All that there is of one record.
struct BrowserRecord {
  let session: StoreSession
  let id: ObjectID
  /// The number of members of a to-many relationship that are shown with the record.
  private static let memberCount = 20

  /// - Throws: ``BrowserFault`` with 404 for a text that is no ID of the store.
  init(_ session: StoreSession, _ text: String) throws {
    self.init(session, try session.record(text))
  }

  init(_ session: StoreSession, _ id: ObjectID) {
    self.session = session
    self.id = id
  }

  /// - Throws: ``BrowserFault`` with 404 when there is no such record any more.
  func node() throws -> OutputNode {
    // The version first: values that are newer than it lead to a conflict too many, and never to one too few.
    let version = try version()
    let entity = id.entity
    let columns = QueryColumns(all: entity)
    let query = try StoreQuery(session, entity: entity.name ?? "", condition: nil)
    guard let row = try query.values(columns, of: [id])[id] else { throw missing }
    let values = Dictionary(
      zip(columns.names, row), uniquingKeysWith: { first, _ in first })
    let relationships = BrowserModel.relationships(of: entity)
    return .object([
      "id": .text(ValueOutput.text(of: id)), "entity": .text(entity.name ?? ""),
      "version": .integer(version),
      "label": try RecordLabels(session: session).labels(of: [id])[id].map(OutputNode.text),
      "attributes": .list(
        columns.names.dropFirst().filter { entity.relationshipsByName[$0] == nil }
          .sorted(by: UTF8Order.isLess).map { name in
            .object([
              "name": .text(name), "value": CellOutput.record.node(values[name] ?? .null),
            ])
          }),
      "toOne": .list(
        try relationships.filter { !$0.isToMany }.map { relationship in
          .object([
            "name": .text(relationship.name),
            "value": try destination(values[relationship.name] ?? .null),
          ])
        }),
      "toMany": .list(try relationships.filter(\.isToMany).map(toMany)),
    ])
  }

  /// The number of saves that wrote the record.
  func version() throws -> Int64 {
    guard let row = try session.coordinator.rows(for: [id], stalenessInterval: 0).first ?? nil
    else { throw missing }
    return row.version
  }

  private var missing: BrowserFault {
    BrowserFault(404, "There is no \(ValueOutput.text(of: id)) any more.")
  }

  private func destination(_ value: Value) throws -> OutputNode {
    guard case .objectID(let id) = value else { return .null }
    return CellOutput.record(id, label: try RecordLabels(session: session).labels(of: [id])[id])
  }

  private func toMany(_ relationship: RelationshipDescription) throws -> OutputNode {
    let link = RecordLink(session, owner: id, relationship: relationship)
    let ids: [ObjectID]
    let count: Int
    if relationship.isOrdered || relationship.inverseRelationship == nil {
      let members = try link.members()
      count = members.count
      ids = Array(members.prefix(Self.memberCount))
    } else {
      var query = try StoreQuery(
        session, entity: relationship.destinationEntity?.name ?? "", condition: nil)
      query.restrict(to: try link.condition())
      count = try query.count()
      query.limit(to: Self.memberCount, offset: nil)
      ids = try query.ids()
    }
    let labels = try RecordLabels(session: session).labels(of: ids)
    return .object([
      "name": .text(relationship.name),
      "destination": .text(relationship.destinationEntity?.name ?? ""),
      "count": .integer(count),
      "members": .list(ids.map { CellOutput.record($0, label: labels[$0]) }),
    ])
  }
}

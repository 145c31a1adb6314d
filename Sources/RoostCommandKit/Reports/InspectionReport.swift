// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostPostgreSQL
import RoostStore

/// The output of `inspect`: the metadata of a store, and its entities when its model is known.
struct InspectionReport {
  let title: String
  let type: String
  let metadata: StoreMetadata
  let files: [(name: String, size: Int)]
  /// The size on the server in bytes; nil for a file, and when the server does not tell it.
  let serverSize: Int?
  /// The entities with the numbers of their own records; nil when there is no model.
  let entities: [(entity: EntityDescription, count: Int)]?
  /// Why there are no entities.
  let note: String?

  /// Describes an open store.
  init(_ session: StoreSession) throws {
    title = session.title
    metadata = session.store.metadata
    type = metadata.storeType
    files = session.store.description.files
    serverSize = session.store.description.serverSize
    entities = try session.entities.map { entity in
      (entity, entity.isAbstract ? 0 : try session.coordinator.recordCount(of: entity))
    }
    note = nil
  }

  /// Describes a store that cannot be opened with a model.
  init(_ found: StoredModel, title: String, note: String) {
    self.title = title
    metadata = found.metadata
    type = metadata.storeType
    files = found.description.files
    serverSize = found.description.serverSize
    entities = nil
    self.note = note
  }

  // MARK: Text

  /// The report for people.
  var text: String {
    var lines = [title]
    var facts = [["type", type], ["UUID", metadata.identifier]]
    if !files.isEmpty {
      let parts = files.map { "\($0.name) \(Quantity.bytes($0.size))" }
      let total = Quantity.bytes(files.reduce(0) { $0 + $1.size })
      facts.append([
        "size", files.count == 1 ? total : "\(total): \(parts.joined(separator: ", "))",
      ])
    }
    if let serverSize { facts.append(["size", Quantity.bytes(serverSize)]) }
    if !metadata.versionChecksum.isEmpty { facts.append(["model", metadata.versionChecksum]) }
    if !metadata.versionIdentifiers.isEmpty {
      facts.append(["versions", metadata.versionIdentifiers.joined(separator: ", ")])
    }
    for (name, value) in metadata.userValues.sorted(by: { $0.key < $1.key }) {
      facts.append(["metadata", "\(name) = \(MetadataOutput.node(value).line)"])
    }
    for save in metadata.savesEndedByHand {
      facts.append([
        "by hand",
        "\(save.isCommitted ? "kept" : "discarded") \(Quantity.of(save.recordCount, "record")) of save "
          + "\(save.id), which \(save.deciderName) was to decide, on \(ValueOutput.text(.date(save.endedAt)))",
      ])
    }
    if let entities {
      let records = Quantity.of(entities.reduce(0) { $0 + $1.count }, "record")
      facts.append([
        "records", "\(records) of \(Quantity.of(entities.count, "entity", "entities"))",
      ])
    } else {
      let names = metadata.entityVersionHashes.keys.sorted(by: UTF8Order.isLess)
      facts.append(["entities", names.joined(separator: ", ")])
    }
    lines += Padding.table(facts).map { "  " + $0 }
    if let note { lines += ["", note] }
    for (entity, count) in entities ?? [] {
      lines += [""] + EntityOutput(entity).lines(count: count)
    }
    return lines.joined(separator: "\n")
  }

  // MARK: JSON

  /// The report for programs.
  var node: OutputNode {
    .object([
      "store": .text(title), "type": .text(type), "uuid": .text(metadata.identifier),
      "files": .list(
        files.map { .object(["name": .text($0.name), "bytes": .integer($0.size)]) }),
      "serverBytes": serverSize.map { .integer(Int64($0)) },
      "modelChecksum": .text(metadata.versionChecksum),
      "versionIdentifiers": .texts(metadata.versionIdentifiers),
      "metadata": .object(
        metadata.userValues.sorted { $0.key < $1.key }.map {
          OutputNode.Member(name: $0.key, value: MetadataOutput.node($0.value))
        }),
      "savesEndedByHand": metadata.endedSaves.map { saves in
        .list(saves.map(Self.node))
      },
      "entities": entities.map { entities in
        .list(entities.map { EntityOutput($0.entity).node(count: $0.count) })
      },
      "entityNames": entities == nil
        ? .texts(metadata.entityVersionHashes.keys.sorted(by: UTF8Order.isLess)) : nil,
      "note": note.map(OutputNode.text),
    ])
  }

  private static func node(_ save: SaveEndedByHand) -> OutputNode {
    .object([
      "save": .text(save.id.uuidString), "committed": .boolean(save.isCommitted),
      "decider": .text(save.decider), "deciderName": .text(save.deciderName),
      "since": ValueOutput.node(.date(save.since)),
      "ended": ValueOutput.node(.date(save.endedAt)),
      "records": .integer(Int64(save.recordCount)),
    ])
  }
}

extension PersistentStoreDescription {
  /// The size of a store on a server in bytes; nil for a file. A report does not fail for want of it.
  fileprivate var serverSize: Int? {
    guard StoreAddress.Kind(type) == .postgresql else { return nil }
    return try? PostgreSQLDriver.size(of: self)
  }
}

/// How values of metadata are printed.
enum MetadataOutput {
  static func node(_ value: MetadataValue) -> OutputNode {
    switch value {
    case .string(let text): .text(text)
    case .integer(let number): .integer(number)
    case .double(let number): ValueOutput.node(.double(number))
    case .boolean(let truth): .boolean(truth)
    case .date(let date): ValueOutput.node(.date(date))
    case .data(let data): ValueOutput.node(.data(data))
    case .list(let values): .list(values.map(node))
    case .dictionary(let values):
      .object(
        values.sorted { $0.key < $1.key }.map {
          OutputNode.Member(name: $0.key, value: node($0.value))
        })
    }
  }
}

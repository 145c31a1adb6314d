// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostMigration
import RoostModel
import RoostSQL
import RoostSimulation

/// Reads damaged texts of models, journals and mapping models: each is accepted as it stands, or is a typed error
/// (M53, A11).
struct FormatFuzz {
  /// A format.
  enum Format: String {
    case model, journal, mapping
    /// The file `xcmapping.xml` of Xcode's editor.
    case xcode
  }

  let format: Format
  let count: Int
  let seed: UInt64
  /// The file that is damaged; nil for one that is made.
  let file: URL?

  /// How many were accepted and refused.
  struct Report {
    var accepted = 0
    var refused = 0
  }

  func run() throws -> Report {
    let whole = try file.map { Array(try Data(contentsOf: $0)) } ?? made()
    var random = SplitMix64(seed: seed)
    var report = Report()
    for round in 0..<count {
      var bytes = whole
      for _ in 0...Int(random.next() % 4) { damage(&bytes, &random) }
      do {
        try read(bytes)
        report.accepted += 1
      } catch let error as PersistenceError where codes.contains(error.code) {
        report.refused += 1
      } catch {
        throw Finding("\(format), seed \(seed), round \(round): \(error)")
      }
    }
    return report
  }

  private var codes: Set<PersistenceError.Code> {
    switch format {
    case .model, .journal: [.corruptStore]
    case .mapping, .xcode: [.invalidModel, .invalidPredicate, .limitExceeded]
    }
  }

  private func made() throws -> [UInt8] {
    switch format {
    case .model: return try CanonicalModel(Self.model(isSecond: true)).bytes
    case .journal:
      return Array(
        #"{"additions":[{"kind":"column","part":"c12","place":"Person"},{"kind":"table","place":"x"}],"#
          .utf8)
        + Array(
          #""destination":"abc","isAbandoned":false,"plan":"1f","position":77,"#.utf8)
        + Array(#""sources":{"Person":"12 34"},"step":3}"#.utf8)
    case .mapping:
      return Array(
        try MappingModel.inferredMappingModel(
          forSourceModel: Self.model(isSecond: false), destinationModel: Self.model(isSecond: true)
        ).jsonData())
    case .xcode: throw Finding("a file of Xcode's editor is needed")
    }
  }

  private static func model(isSecond: Bool) -> ManagedObjectModel {
    let person = EntityDescription(name: "Person")
    let team = EntityDescription(name: isSecond ? "Group" : "Team")
    team.renamingIdentifier = "Team"
    let there = RelationshipDescription(name: "team", destination: team, maxCount: 1)
    let back = RelationshipDescription(name: "members", destination: person, maxCount: 0)
    there.inverseRelationship = back
    back.inverseRelationship = there
    let age = AttributeDescription(name: "age", type: .integer64)
    if isSecond {
      age.isOptional = false
      age.defaultValue = -3
    }
    person.properties = [AttributeDescription(name: "name", type: .string), age, there]
    person.uniquenessConstraints = [["name"]]
    team.properties = [AttributeDescription(name: "title", type: .string), back]
    return ManagedObjectModel(entities: [person, team])
  }

  private func read(_ bytes: [UInt8]) throws {
    switch format {
    case .model:
      let text = try CanonicalModel(bytes: bytes)
      let again = try CanonicalModel(try text.model()).bytes
      guard again == bytes else { throw Finding("a text of a model is another one when written") }
    case .journal:
      let journal = try EvolutionJournal(json: String(decoding: bytes, as: UTF8.self))
      guard try EvolutionJournal(json: journal.json()) == journal else {
        throw Finding("a journal is another one when written")
      }
    case .mapping: try look(MappingModel(jsonData: Data(bytes)))
    case .xcode:
      let place = FileManager.default.temporaryDirectory
        .appending(path: "fuzz-\(ProcessInfo.processInfo.processIdentifier)/xcmapping.xml")
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: place.deletingLastPathComponent()) }
      try Data(bytes).write(to: place)
      try look(MappingModel(contentsOf: place))
    }
  }

  private func look(_ mapping: MappingModel) throws {
    for entity in mapping.entityMappings {
      _ = entity.description
      for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
        _ = property.valueExpression?.description
      }
    }
  }

  private static let pieces = [
    "true", "false", "null", "\"", "{", "}", "[", "]", ",", ":", "-1", "99999999999999999999",
    "\\u0000", "\u{0}", "<", "</object>", "&#x110000;", "idrefs=\"z1 z2 z999\"",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>&b;", "FUNCTION($manager, ", "{[{[", "1e400", "\"name\"",
    "\"table\"", "\"index\"", "superentity", "destination", "inverse", "\u{FEFF}",
    String(repeating: "[", count: 5_000),
  ].map { Array($0.utf8) }

  private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    guard !bytes.isEmpty else { return }
    let index = Int(random.next() % UInt64(bytes.count))
    let end = min(bytes.count, index + 1 + Int(random.next() % 200))
    let piece = Self.pieces[Int(random.next() % UInt64(Self.pieces.count))]
    switch random.next() % 7 {
    case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes[index] ^= 1 << UInt8(random.next() % 8)
    case 2: bytes.removeSubrange(index..<end)
    case 3:
      bytes.insert(contentsOf: bytes[index..<end], at: Int(random.next() % UInt64(bytes.count)))
    case 4: bytes.insert(contentsOf: piece, at: index)
    case 5: bytes.replaceSubrange(index..<min(index + 1, bytes.count), with: piece)
    default: bytes.removeSubrange(end...)
    }
  }
}

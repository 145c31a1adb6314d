// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import Testing

@Suite(
  "Models that Xcode compiled",
  .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
struct CompiledModelTests {
  private static let swiftGen = "SwiftGen+SwiftGen/SwiftGen.playground__Resources__Model"
  private static let sample =
    "alemar11+CoreDataPlus/Tests__Resources__SampleModel__Fixtures__SampleModel"
  private static let users =
    "alemar11+CoreDataPlus/Tests__Resources__SampleModel3__Fixtures__SampleModel3"

  /// Copies the files of a compiled model from the fixtures, where they have flat names, into a folder as Xcode makes
  /// it.
  private func folder(_ prefix: String, in folder: ModelFolder) throws -> URL {
    let source = try #require(Fixtures.folder).appending(path: "compiled/\(prefix)")
    let start = source.lastPathComponent + ".momd__"
    let name = String(start.dropLast(2).split(separator: "_").last ?? "")
    for file in try FileManager.default.contentsOfDirectory(
      atPath: source.deletingLastPathComponent().path)
    where file.hasPrefix(start) {
      let data = try Data(
        contentsOf: source.deletingLastPathComponent().appending(path: file))
      try folder.write(data, to: "\(name)/\(file.dropFirst(start.count))")
    }
    return folder.url.appending(path: name)
  }

  @Test(
    "every version has the hashes that the compiler wrote beside it (I41, B248)",
    arguments: [swiftGen, sample, users])
  func hashes(prefix: String) throws {
    let files = try ModelFolder()
    let url = try folder(prefix, in: files)
    let info = try PropertyListDecoder().decode(
      VersionInfo.self, from: Data(contentsOf: url.appending(path: "VersionInfo.plist")))
    #expect(try ManagedObjectModel.currentVersionName(at: url) == info.current)
    #expect(try Set(ManagedObjectModel.versionNames(at: url)) == Set(info.hashes.keys))
    for (version, hashes) in info.hashes {
      let model = try ManagedObjectModel(contentsOf: url, version: version)
      #expect(Set(model.entitiesByName.keys) == Set(hashes.keys), "\(version)")
      for entity in model {
        #expect(entity.versionHash == hashes[entity.name ?? ""], "\(version) \(entity.name ?? "")")
      }
    }
  }

  private struct VersionInfo: Decodable {
    var current: String
    var hashes: [String: [String: Data]]

    enum CodingKeys: String, CodingKey {
      case current = "NSManagedObjectModel_CurrentVersionName"
      case hashes = "NSManagedObjectModel_VersionHashes"
    }
  }

  @Test("a compiled model is its source: entities, properties, requests, configurations (I41, I42)")
  func equalsSource() throws {
    let files = try ModelFolder()
    let compiled = try ManagedObjectModel(
      contentsOf: try folder(Self.swiftGen, in: files), version: "Model 2")
    let source = try ManagedObjectModel(
      contentsOf: try #require(Fixtures.folder).appending(
        path: "models/SwiftGen+SwiftGen/Sources__TestUtils__Fixtures__Resources__CoreData__"
          + "Model.xcdatamodeld__Model 2.xcdatamodel.contents"))
    for entity in source {
      let other = try #require(compiled.entitiesByName[entity.name ?? ""])
      #expect(other.managedObjectClassName == entity.managedObjectClassName)
      #expect(other.isAbstract == entity.isAbstract)
      #expect(other.superentity?.name == entity.superentity?.name)
      #expect(other.uniquenessConstraints == entity.uniquenessConstraints)
      #expect(other.userInfo.keys.sorted() == entity.userInfo.keys.sorted())
      #expect(other.versionHash == entity.versionHash, "\(entity.name ?? "")")
      for property in entity.declaredProperties {
        let same = try #require(other.propertiesByName[property.name])
        #expect(same.isOptional == property.isOptional && same.isTransient == property.isTransient)
        if let attribute = property as? AttributeDescription {
          let twin = try #require(same as? AttributeDescription)
          #expect(twin.type == attribute.type, "\(property.name)")
          #expect(twin.defaultConstant == attribute.defaultConstant, "\(property.name)")
          #expect(twin.attributeValueClassName == attribute.attributeValueClassName)
        }
        if let relationship = property as? RelationshipDescription {
          let twin = try #require(same as? RelationshipDescription)
          #expect(twin.inverseRelationship?.name == relationship.inverseRelationship?.name)
          #expect(twin.deleteRule == relationship.deleteRule)
          #expect(twin.maxCount == relationship.maxCount && twin.minCount == relationship.minCount)
        }
        if let fetched = property as? FetchedPropertyDescription {
          let twin = try #require(same as? FetchedPropertyDescription)
          #expect(
            twin.fetchRequest?.templatePredicateFormat
              == fetched.fetchRequest?.templatePredicateFormat)
        }
      }
    }
    #expect(compiled.configurations == source.configurations)
    let templates = compiled.fetchRequestTemplatesByName
    #expect(templates.keys.sorted() == source.fetchRequestTemplatesByName.keys.sorted())
    for (name, template) in source.fetchRequestTemplatesByName {
      #expect(
        templates[name]?.templatePredicateFormat == template.templatePredicateFormat, "\(name)")
    }
  }

  @Test("a compiled model alone, one without a current version, and an .omo (I41)")
  func places() throws {
    let files = try ModelFolder()
    let url = try folder(Self.users, in: files)
    let single = url.appending(path: "SampleModel3_v2.mom")
    #expect(try ManagedObjectModel(contentsOf: single).entities.count == 2)
    let error = #expect(throws: PersistenceError.self) {
      try ManagedObjectModel(contentsOf: url.appending(path: "SampleModel3.omo"))
    }
    #expect(error?.message.contains("read the .mom beside it") == true)
    try FileManager.default.removeItem(at: url.appending(path: "VersionInfo.plist"))
    #expect(throws: PersistenceError(.invalidModel, "")) { try ManagedObjectModel(contentsOf: url) }
    for name in ["SampleModel3", "SampleModel3_v3"] {
      try FileManager.default.removeItem(at: url.appending(path: name + ".mom"))
    }
    #expect(try ManagedObjectModel(contentsOf: url).entities.count == 2)
  }

  @Test("a damaged compiled model is refused or read, and never ends the program (I44)")
  func damage() throws {
    let files = try ModelFolder()
    let url = try folder(Self.swiftGen, in: files)
    let bytes = try Data(contentsOf: url.appending(path: "Model 2.mom"))
    let target = files.url.appending(path: "Damaged.mom")
    var state: UInt64 = 88_172_645_463_325_252
    func random(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    var refused = 0
    for round in 0..<400 {
      var damaged = round % 5 == 0 ? bytes.prefix(random(bytes.count)) : bytes
      for _ in 0..<(1 + random(3)) where !damaged.isEmpty {
        damaged[damaged.startIndex + random(damaged.count)] = UInt8(random(256))
      }
      try Data(damaged).write(to: target)
      do {
        _ = try ManagedObjectModel(contentsOf: target)
      } catch let error as PersistenceError {
        #expect(error.code == .invalidModel || error.code == .limitExceeded, "\(error)")
        refused += 1
      }
    }
    #expect(refused > 100)
  }
}

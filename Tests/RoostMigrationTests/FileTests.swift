// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostMigration

/// Real files that are not part of the package.
enum Fixtures {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["ROOST_FIXTURES"] {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    return URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../shared/fixtures/", directoryHint: .isDirectory
    ).standardizedFileURL
  }()

  static var arePresent: Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "mappings").path)
  }

  static func files(in path: String, suffix: String) -> [URL] {
    let root = folder.appending(path: path)
    let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
    return (names ?? []).filter { $0.hasSuffix(suffix) }.sorted().map { root.appending(path: $0) }
  }

  static let sample = "compiled/alemar11+CoreDataPlus/Tests__Resources__SampleModel__Fixtures__"
}

private let model = "<object type=\"XDDEVMAPPINGMODEL\" id=\"z1\"/>"

@Suite("Mapping models in files") struct FileTests {
  @Test(
    "Xcode's mapping models are read, their expressions included",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with mappings"))
  func sources() throws {
    let files = Fixtures.files(in: "mappings", suffix: "xcmapping.xml")
    #expect(files.count == 4)
    for file in files {
      let mapping = try MappingModel(contentsOf: file)
      #expect(!mapping.entityMappings.isEmpty)
      #expect(mapping.entityMappings.allSatisfy { !$0.name.isEmpty })
      // Writing and reading it again gives the same mapping.
      let again = try MappingModel(jsonData: mapping.jsonData())
      #expect(try again.jsonData() == mapping.jsonData())
    }
    let first = try MappingModel(contentsOf: try #require(files.first { $0.path.contains("1to2") }))
    let post = try #require(first.entityMappingsByName["PostToPost"])
    let attributes = post.attributeMappings ?? []
    #expect(attributes.map(\.name) == ["date", "hexColor", "postID"])
    #expect(attributes.map { $0.valueExpression?.description } == [nil, "$source.color", nil])
  }

  @Test(
    "a compiled mapping model is read and leads from its source to its destination only (B268)",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with mappings"))
  func compiled() throws {
    let mapping = try MappingModel(
      contentsOf: Fixtures.folder.appending(path: Fixtures.sample + "V2toV3.cdm"))
    let models = try ["SampleModel", "SampleModel2", "SampleModel3"].map {
      try ManagedObjectModel(
        contentsOf: Fixtures.folder.appending(path: Fixtures.sample + "SampleModel.momd__\($0).mom")
      )
    }
    #expect(mapping.entityMappings.map(\.name).last == "Maker")
    #expect(mapping.leads(from: models[1], to: models[2]))
    #expect(!mapping.leads(from: models[0], to: models[1]))
    let person = try #require(mapping.entityMappingsByName["PersonToPerson"])
    #expect(
      person.relationshipMappings?.first?.valueExpression?.description
        == "FUNCTION($manager, "
        + "\"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"cars\", $source.cars)"
    )
    #expect(
      person.sourceExpression?.description
        == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
        + "\"Person\", \"TRUEPREDICATE\"), $manager.sourceContext, NO)")
  }

  @Test(
    "the source of a mapping model, compiled here, does what Xcode's compiler makes of it (A3)",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with mappings"),
    arguments: [true, false])
  func cars(isCompiled: Bool) throws {
    let folder = try TestFolder()
    let source = try ManagedObjectModel(
      contentsOf: Fixtures.folder.appending(
        path: Fixtures.sample + "SampleModel.momd__SampleModel2.mom"))
    let destination = try ManagedObjectModel(
      contentsOf: Fixtures.folder.appending(
        path: Fixtures.sample + "SampleModel.momd__SampleModel3.mom"))
    let file = try #require(
      Fixtures.files(in: "mappings", suffix: "xcmapping.xml").first { $0.path.contains("V2toV3") })
    let mapping = try MappingModel(
      contentsOf: isCompiled
        ? Fixtures.folder.appending(path: Fixtures.sample + "V2toV3.cdm") : file)
    #expect(mapping.leads(from: source, to: destination))
    let store = folder.sqlite("cars")
    try Staff.withStore(store, source) { context, _ in
      let person = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
      try person.setValue("Ada", forKey: "firstName")
      try person.setValue("Lovelace", forKey: "lastName")
      try person.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "updatedAt")
      for (number, entity) in ["Car", "SportCar", "LuxuryCar", "Car"].enumerated() {
        let car = try EntityDescription.insertNewObject(forEntityName: entity, into: context)
        try car.setValue(number < 2 ? "Fiat" : "Alfa", forKey: "maker")
        try car.setValue("N\(number)", forKey: "numberPlate")
        if number != 3 { try car.setValue(person, forKey: "owner") }
      }
      try context.save()
    }
    // A policy that is named but not provided is an error, without a fallback.
    var description = store
    description.migration = MappingModels([mapping])
    #expect(throws: PersistenceError(.entityMigrationPolicy, "")) {
      try Staff.withStore(description, destination) { _, _ in }
    }
    try mapping.setPolicies([V2to3MakerPolicy.self])
    description.migration = MappingModels([mapping])
    try Staff.withStore(description, destination) { context, _ in
      let makers = try context.fetch(FetchRequest<ManagedObject>(entityName: "Maker"))
      let names = try makers.map { try $0.value(forKey: "name") as? String ?? "-" }.sorted()
      #expect(names == ["Alfa", "Fiat"])
      let cars = try context.fetch(FetchRequest<ManagedObject>(entityName: "Car"))
      let plates = try cars.map { car in
        let owner = try car.value(forKeyPath: "owner.firstName") as? String ?? "-"
        let maker = try car.value(forKeyPath: "createdBy.name") as? String ?? "-"
        let plate = try car.value(forKey: "numberPlate") as? String ?? "-"
        return "\(car.entity.name ?? "") \(plate) \(owner) \(maker)"
      }
      #expect(
        plates.sorted() == [
          "Car N0 Ada Fiat", "Car N3 - Alfa", "LuxuryCar N2 Ada Alfa", "SportCar N1 Ada Fiat",
        ])
      let person = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first
      #expect((try person?.value(forKey: "cars") as? Set<ManagedObject>)?.count == 3)
    }
  }

  @Test("a mapping model is found in bundles by hashes, and the wrong ones are passed over (M7)")
  func bundles() throws {
    let folder = try TestFolder()
    let mapping = Staff.mapping()
    for entity in mapping.entityMappings {
      entity.sourceEntityVersionHash = entity.sourceEntityName.flatMap {
        Staff.old().entitiesByName[$0]?.versionHash
      }
    }
    let other = Staff.mapping()
    other.entityMappings[0].sourceEntityVersionHash = Data([1])
    try other.jsonData().write(to: folder.url.appending(path: "A.roostmapping.json"))
    try Data("no JSON".utf8).write(to: folder.url.appending(path: "B.roostmapping.json"))
    try mapping.jsonData().write(to: folder.url.appending(path: "C.roostmapping.json"))
    let bundle = try #require(Bundle(path: folder.url.path))
    let found = MappingModel(
      from: [bundle], forSourceModel: Staff.old(), destinationModel: Staff.new())
    #expect(try found?.jsonData() == mapping.jsonData())
    #expect(
      MappingModel(from: [bundle], forSourceModel: Staff.new(), destinationModel: Staff.new())
        == nil
    )
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 3)
    var description = store
    description.migration = MappingModels(in: [bundle])
    try Staff.withStore(description, Staff.new()) { _, _ in }
    #expect(try Staff.employees(store) == Staff.expected(3))
  }

  @Test(
    "files that are no mapping models are errors with their place (M53)",
    arguments: [
      "", "<?xml version=\"1.0\"?><model/>", "<?xml version=\"1.0\"?><database>",
      "<database><object type=\"X\"/></database>", "<database></database>",
      "<database>\(model)<object type=\"XDDEVENTITYMAPPING\" id=\"z2\"/></database>",
      "<database>\(model)<object type=\"XDDEVENTITYMAPPING\" id=\"z2\">"
        + "<attribute name=\"sourcename\">A</attribute>"
        + "<relationship name=\"attributemappings\" idrefs=\"z9\"/></object></database>",
      "bplist00nothing",
    ])
  func badFiles(content: String) throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "xcmapping.xml")
    try Data(content.utf8).write(to: file)
    #expect(throws: PersistenceError(.invalidModel, "")) { try MappingModel(contentsOf: file) }
    #expect(throws: PersistenceError(.invalidModel, "")) {
      try MappingModel(contentsOf: folder.url.appending(path: "none.xcmappingmodel"))
    }
    #expect(throws: PersistenceError(.invalidModel, "")) {
      try MappingModel(jsonData: Data(content.utf8))
    }
  }
}

/// Creates makers from the names of makers, as the sample's policy does.
final class V2to3MakerPolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    guard let name = try sInstance.value(forKey: "maker") as? String,
      let car = manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [sInstance]
      ).first
    else { return }
    let request = FetchRequest<ManagedObject>(entityName: "Maker")
    request.predicate = try FetchPredicate("name == %@", name)
    let known = try manager.destinationContext.fetch(request).first
    let maker =
      try known
      ?? EntityDescription.insertNewObject(forEntityName: "Maker", into: manager.destinationContext)
    try maker.setValue(name, forKey: "name")
    try car.setValue(maker, forKey: "createdBy")
  }
}

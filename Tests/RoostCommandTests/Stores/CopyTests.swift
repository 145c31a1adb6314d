// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of `roost copy`, `roost backup` and `roost restore`.
@Suite struct CopyTests {
  struct Pair: CustomTestStringConvertible {
    let from: SampleKind
    let to: SampleKind
    var testDescription: String { "\(from) to \(to)" }

    static let all = SampleKind.here.flatMap { from in
      SampleKind.here.map { Pair(from: from, to: $0) }
    }
  }

  private static let persons = [
    "query", "Person", "--csv", "--columns", "name,age,email,photo,joined,team.name,skills.@count",
    "--sort", "name",
  ]

  private func persons(_ sample: Sample, _ store: String) -> String {
    sample.run(
      [Self.persons[0], store] + Self.persons.dropFirst() + ["-m", sample.modelPath]
    ).output
  }

  @Test("a copy of any kind has the same records, relationships included", arguments: Pair.all)
  func copy(pair: Pair) throws {
    let sample = try Sample()
    let source = try sample.makeStore(pair.from)
    let copy = try sample.address(pair.to, "copy")
    let result = sample.roost("copy", source, copy, "-m", sample.modelPath)
    #expect(result.errors.isEmpty)
    #expect(result.code == 0)
    #expect(
      result.output == """
        entity   source  copy
        Manager       1     1
        Person        3     3
        Skill         1     1
        Team          2     2

        """)
    let records = persons(sample, copy)
    #expect(records == persons(sample, source))
    #expect(records.split(separator: "\n").count == 5)
  }

  @Test("a copy overwrites nothing")
  func occupied() throws {
    let sample = try Sample()
    let source = try sample.makeStore(.sqlite)
    let other = try sample.makeStore(.lmdb)
    let result = sample.roost("copy", source, other, "-m", sample.modelPath)
    #expect(result.code == 1)
    let path = other.dropFirst("lmdb:".count)
    #expect(result.errors.contains("There is a store at \(path) already"), "\(result.errors)")
    #expect(sample.roost("count", other, "Team", "-m", sample.modelPath).output == "2\n")
    #expect(sample.roost("copy", source, source, "-m", sample.modelPath).code == 1)
  }

  @Test("of what kind a copy is to be is asked, unless its name says it")
  func kindOfCopy() throws {
    let sample = try Sample()
    let source = try sample.makeStore(.sqlite)
    let result = sample.roost("copy", source, sample.path("copy"), "-m", sample.modelPath)
    #expect(result.code == 2)
    #expect(result.errors.contains("Of what kind the store \(sample.path("copy")) is to be"))
    let named = sample.roost("copy", source, sample.path("copy.lmdb"), "-m", sample.modelPath)
    #expect(named.code == 0)
    let count = sample.roost(
      "count", "lmdb:" + sample.path("copy.lmdb"), "Team", "-m", sample.modelPath)
    #expect(count.output == "2\n")
  }

  @Test("a backup is made while the store is used, and restored", arguments: SampleKind.here)
  func backup(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let before = persons(sample, store)
    let file = sample.path("backup")
    // Only a server needs the model: its backup is a file of another kind.
    let model = kind == .postgresql ? ["-m", sample.modelPath] : []
    let container = kind == .binary ? nil : try sample.container(store)
    let result = sample.run(["backup", store, file] + model)
    #expect(result.errors.isEmpty)
    #expect(result.code == 0)
    try container?.close()
    #expect(persons(sample, file) == before)

    try sample.rename("Ada", to: "Changed", in: store)
    #expect(persons(sample, store) != before)
    let refused = sample.run(["restore", file, store] + model)
    #expect(refused.code == 1)
    #expect(refused.errors.contains("already. --force overwrites it."), "\(refused.errors)")
    let restored = sample.run(["restore", file, store, "--force"] + model)
    #expect(restored.errors.isEmpty)
    #expect(restored.code == 0)
    #expect(persons(sample, store) == before)
  }

  @Test(
    "a backup of any kind and what is restored from it have the UUID and object IDs of the store",
    arguments: Pair.all)
  func identity(pair: Pair) throws {
    let sample = try Sample()
    let store = try sample.makeStore(pair.from)
    let original = try sample.description(store)
    var metadata = try #require(try original.type.driver.metadata(of: original))
    metadata.userValues["lastImport"] = .string("yesterday")
    try original.type.driver.setMetadata(metadata, of: original)
    let uris = try sample.uris(of: store)
    #expect(uris.count == 4)

    let file = try sample.address(pair.to, "backup")
    let made = sample.roost("backup", store, file, "-m", sample.modelPath)
    #expect(made.errors.isEmpty)
    #expect(made.output.hasSuffix("UUID \(metadata.identifier)\n"), "\(made.output)")
    try sample.rename("Ada", to: "Changed", in: store)
    let restored = sample.roost("restore", file, store, "--force", "-m", sample.modelPath)
    #expect(restored.errors.isEmpty)
    for address in [file, store] {
      let description = try sample.description(address)
      let found = try #require(try description.type.driver.metadata(of: description))
      #expect(found.identifier == metadata.identifier)
      #expect(found.userValues == metadata.userValues)
      #expect(found.entityCodes == metadata.entityCodes)
      #expect(!found.isUnfinishedCopy)
      #expect(try sample.uris(of: address) == uris)
    }
    #expect(persons(sample, store).contains("Ada"))
    // New records get numbers that no record had before.
    try sample.add("Eve", to: store)
    let later = try sample.uris(of: store)
    #expect(uris.allSatisfy { later[$0] == $1 })
    #expect(Set(later.values).count == 5)
    // A copy is a store of its own.
    let copy = try sample.address(pair.to, "copy")
    #expect(sample.roost("copy", store, copy, "-m", sample.modelPath).code == 0)
    let description = try sample.description(copy)
    #expect(
      try description.type.driver.metadata(of: description)?.identifier != metadata.identifier)
  }

  @Test(
    "a store restored from a backup of another kind keeps a history if it did", arguments: Pair.all)
  func history(pair: Pair) throws {
    let sample = try Sample()
    let store = try sample.makeStore(pair.from)
    var description = try sample.description(store)
    description.options[StoreOption.historyLevel] = .string("values")
    let container = try PersistentContainer(
      name: "HR", model: sample.model(), stores: [description])
    try container.loadPersistentStores()
    try container.close()
    let file = try sample.address(pair.to, "backup")
    let result = sample.roost("backup", store, file, "-m", sample.modelPath)
    #expect(result.errors.isEmpty)
    let copy = try sample.description(file)
    let metadata = try #require(try copy.type.driver.metadata(of: copy))
    #expect(metadata.keepsHistory && metadata.keepsPreviousValues)
  }

  @Test("a folder is no place for a store, and a place in a missing folder is told")
  func places() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    for command in ["copy", "backup"] {
      let folder = sample.roost(command, store, sample.folder.path)
      #expect(folder.code == 1)
      #expect(
        folder.errors.contains("\(sample.folder.path) is a folder, and a store is a file."),
        "\(folder.errors)")
      let missing = sample.path("none/copy.sqlite")
      let result = sample.roost(command, store, missing)
      #expect(result.code == 1)
      #expect(
        result.errors.contains(
          "\(missing) cannot be made: there is no folder \(sample.path("none"))."),
        "\(result.errors)")
    }
  }

  @Test("a backup overwrites another one when it is told to", arguments: SampleKind.files)
  func again(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let file = sample.path("backup")
    #expect(sample.roost("backup", store, file).code == 0)
    #expect(sample.roost("backup", store, file).code == 1)
    #expect(sample.roost("backup", store, file, "-f").code == 0)
  }

  @Test("a store that is in use is not overwritten", arguments: SampleKind.files)
  func inUse(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let file = sample.path("backup")
    #expect(sample.roost("backup", store, file).code == 0)
    let container = try sample.container(store)
    let result = sample.roost("restore", file, store, "--force")
    #expect(result.code == 1)
    #expect(!result.errors.isEmpty)
    try container.close()
    #expect(sample.roost("count", store, "Team", "-m", sample.modelPath).output == "2\n")
  }

  @Test(
    "a store stays as it is when it cannot be restored, whatever the kind of the backup",
    arguments: SampleKind.here.filter { $0 != .sqlite })
  func failedRestore(kind: SampleKind) throws {
    let sample = try Sample()
    let store = try sample.makeStore(kind)
    let file = try sample.address(.sqlite, "backup")
    #expect(sample.roost("backup", store, file, "-m", sample.modelPath).code == 0)
    try sample.rename("Ada", to: "Changed", in: store)
    let uris = try sample.uris(of: store)
    let damaged = try sample.address(.sqlite, "damaged")
    try FileManager.default.copyItem(
      atPath: sample.path("backup.sqlite"), toPath: sample.path("damaged.sqlite"))
    let names = try sample.names(of: damaged)
    let table = try #require(names["table/entity/Person"])
    let column = try #require(
      names.first { $0.key.hasPrefix("column:") && $0.key.hasSuffix("/Person/name") }?.value)
    try sample.execute("UPDATE \(table) SET \(column) = CAST(X'C328' AS TEXT)", on: damaged)
    let result = sample.roost("restore", damaged, store, "--force", "-m", sample.modelPath)
    #expect(result.code == 1)
    #expect(!result.errors.isEmpty)
    #expect(try sample.uris(of: store) == uris)
    #expect(uris["Changed"] != nil)

    let again = sample.roost("restore", file, store, "--force", "-m", sample.modelPath)
    #expect(again.errors.isEmpty)
    #expect(try sample.uris(of: store)["Ada"] == uris["Changed"])
    #expect(!FileManager.default.fileExists(atPath: sample.path("hr.\(kind.rawValue).migrating")))
  }

  @Test("what is no store is neither a backup nor overwritten by one")
  func wrongFiles() throws {
    let sample = try Sample()
    let store = try sample.makeStore()
    let text = sample.path("notes.txt")
    try Data("Not a store.".utf8).write(to: URL(filePath: text))
    #expect(sample.roost("restore", text, store, "--force").code == 1)
    #expect(sample.roost("restore", sample.path("none"), store, "--force").code == 1)
    #expect(sample.roost("backup", store, text, "--force").code == 1)
    #expect(try Data(contentsOf: URL(filePath: text)) == Data("Not a store.".utf8))
    #expect(sample.roost("count", store, "Team", "-m", sample.modelPath).output == "2\n")
  }
}

extension Sample {
  /// Returns the URI of each person, by name.
  func uris(of address: String) throws -> [String: URL] {
    let container = try container(address)
    let context = container.newBackgroundContext()
    let uris = try context.performAndWait {
      let persons = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
      return try Dictionary(
        uniqueKeysWithValues: persons.map { person in
          let name = try #require(try person.value(forKey: "name") as? String)
          return (name, person.objectID.uriRepresentation())
        })
    }
    try container.close()
    return uris
  }

  /// Adds a person.
  func add(_ name: String, to address: String) throws {
    let container = try container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let entity = try #require(container.managedObjectModel.entitiesByName["Person"])
      try ManagedObject(entity: entity, insertInto: context).setValue(name, forKey: "name")
      try context.save()
    }
    try container.close()
  }

  /// Gives a person another name.
  func rename(_ name: String, to other: String, in address: String) throws {
    let container = try container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate(format: "name == %@", argumentArray: [name])
      for person in try context.fetch(request) { try person.setValue(other, forKey: "name") }
      try context.save()
    }
    try container.close()
  }
}

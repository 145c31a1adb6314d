// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Stores that are destroyed by a coordinator.
extension MetadataCases {
  static let destructions: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "destroyed-attached", "a store is removed before it is destroyed (B239, B341)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let person = try stack.context.named("Person", "Ada")
      let store = stack.stores[0]
      try destroy(store, stack.coordinator)
      try expectEqual(stack.coordinator.persistentStores.count, 0, "the attached stores")
      try expectError(.noStore, "a fetch") { _ = try stack.context.names("Person") }
      try expect(person.managedObjectContext == nil, "its objects are gone")
      try expect(try store.type.driver.metadata(of: store) == nil, "there is no store")
      try stack.coordinator.addPersistentStore(with: store)
      try expectEqual(try stack.makeContext().names("Person"), [], "the people")
    },
    ConformanceCase(
      .metadata, "destroyed-file", "a destroyed file is empty, and can be removed or used (B341)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let store = stack.stores[0]
      stack.close()
      for removesFile in [false, true] {
        // Twice is as good as once.
        for _ in 0..<2 { try destroy(store, stack.coordinator) }
        if let url = store.url, url.isFileURL {
          let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
          try expectEqual((attributes[.size] as? NSNumber)?.intValue, 0, "the size of the file")
          let folder = url.deletingLastPathComponent()
          let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path)
          let name = url.lastPathComponent
          try expectEqual(rest.filter { $0.hasPrefix(name) }, [name], "the files")
          if removesFile { try FileManager.default.removeItem(at: url) }
        }
        try stack.reopen()
        try expectEqual(try stack.context.names("Person"), [], "the people")
        try stack.context.make("Person", ["name": "new"])
        try stack.context.save()
        try stack.reopen()
        try expectEqual(try stack.context.names("Person"), ["new"], "the people later")
        stack.close()
      }
    },
    ConformanceCase(
      .metadata, "destroyed-elsewhere",
      "a store that another coordinator uses is not destroyed (B239, B341)",
      needs: [.reopening, .secondHandle]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let other = try stage.open(stack.model, on: stack.stores)
      try expectError(.storeBusy) { try destroy(stack.stores[0], stack.coordinator) }
      try expectEqual(try other.context.names("Person").count, 5, "the people")
      stack.close()
    },
    ConformanceCase(
      .metadata, "not-destroyed",
      "a store that cannot be destroyed stays attached, with the changes of its objects (B239)",
      needs: [.reopening, .secondHandle]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let other = try stage.open(stack.model, on: stack.stores)
      let person = try stack.context.named("Person", "Ada")
      try person.set("name", "Augusta")
      try expectError(.storeBusy) { try destroy(stack.stores[0], stack.coordinator) }
      try expectEqual(stack.coordinator.persistentStores.count, 1, "the attached stores")
      try stack.context.save()
      other.context.stalenessInterval = 0
      try expectEqual(try other.context.all("Person", "name == 'Augusta'").count, 1, "the change")
      other.close()
      stack.close()
    },
    ConformanceCase(
      .metadata, "not-replaced",
      "a store that is not replaced after all stays attached, with the changes of its objects (B240)",
      needs: [.reopening]
    ) { stage in
      let source = try stage.open(CompanyModel.make())
      try CompanyModel.fill(source.context)
      source.close()
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let (store, copied) = (stack.stores[0], source.stores[0])
      guard let url = store.url, let place = copied.url else { return }
      let person = try stack.context.named("Person", "Ada")
      try person.set("name", "Augusta")
      var options = store.options
      options[StoreOption.forceDestroy] = .boolean(true)
      let type = PersistentStoreType(
        rawValue: store.type.rawValue, driver: RefusingDriver(base: store.type.driver))
      try expectError(.storeBusy, "replacing") {
        try stack.coordinator.replacePersistentStore(
          at: url, destinationOptions: options, withPersistentStoreFrom: place,
          sourceOptions: copied.options, type: type)
      }
      try expectError(.storeBusy, "destroying") {
        try stack.coordinator.destroyPersistentStore(at: url, type: type, options: options)
      }
      try expectEqual(stack.coordinator.persistentStores.count, 1, "the attached stores")
      try stack.context.save()
      try expectEqual(try person.text("name"), "Augusta", "the object")
      try stack.reopen()
      try expectEqual(try stack.context.all("Person", "name == 'Augusta'").count, 1, "the change")
      stack.close()
    },
    ConformanceCase(
      .metadata, "destroyed-foreign", "what is no store is left alone (B241, B341)"
    ) { stage in
      let store = try stage.makeStore()
      guard let url = store.url, url.isFileURL else { return }
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: CompanyModel.make())
      func expectUntouched(_ place: URL, _ what: String) throws {
        var description = store
        description.url = place
        try expectError(.persistentStoreTypeMismatch, "destroying \(what)") {
          try destroy(description, coordinator)
        }
        try expect(FileManager.default.fileExists(atPath: place.path), "\(what) is there")
      }
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(at: url) }
      try expectUntouched(url, "a folder")
      let letter = url.appending(path: "letter")
      let text = Data(String(repeating: "This is a letter. ", count: 1_000).utf8)
      try text.write(to: letter)
      try expectUntouched(letter, "another program's file")
      try expectEqual(try Data(contentsOf: letter), text, "the letter")
      let device = URL(filePath: "/dev/zero")
      if FileManager.default.fileExists(atPath: device.path) {
        try expectUntouched(device, "a device")
      }
      // A link to nothing is no store; neither is an empty file.
      let empty = url.appending(path: "empty")
      try Data().write(to: empty)
      var description = store
      description.url = empty
      try destroy(description, coordinator)
      try expect(FileManager.default.fileExists(atPath: empty.path), "the empty file is there")
    },
  ]

  private static func destroy(
    _ store: PersistentStoreDescription, _ coordinator: PersistentStoreCoordinator
  ) throws {
    let url = try require(store.url, "the place of the store")
    try coordinator.destroyPersistentStore(at: url, type: store.type, options: store.options)
  }
}

/// Opens stores, and neither destroys nor replaces one.
private struct RefusingDriver: PersistentStoreDriver {
  let base: any PersistentStoreDriver

  private var refusal: PersistenceError { PersistenceError(.storeBusy, "The store is in use.") }

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try base.open(description)
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try base.metadata(of: description)
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try base.setMetadata(metadata, of: description)
  }

  func destroy(_ description: PersistentStoreDescription) throws { throw refusal }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws { throw refusal }
}

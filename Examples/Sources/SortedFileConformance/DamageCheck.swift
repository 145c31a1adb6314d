// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import SortedFile

/// Checks that the conformance kit does not have, because it knows no files: damage, and a file that is already open.
struct DamageCheck {
  let url: URL
  private let model: ManagedObjectModel

  init(_ url: URL) {
    self.url = url
    let entity = EntityDescription(name: "Note")
    entity.declaredProperties = [AttributeDescription(name: "text", type: .string)]
    model = ManagedObjectModel(entities: [entity])
  }

  /// Returns the failures.
  func findings() throws -> [String] {
    var findings: [String] = []
    func expect(_ code: PersistenceError.Code, _ what: String) {
      do {
        try open().close()
        findings.append("\(what): the store is opened")
      } catch {
        let found = (error as? PersistenceError)?.code
        if found != code { findings.append("\(what): \(error), and not \(code)") }
      }
    }
    let store = try open()
    let context = ManagedObjectContext(.privateQueue, coordinator: store.coordinator)
    let entity = model.entities[0]
    for number in 0..<20 {
      let note = ManagedObject(entity: entity, insertInto: context)
      try note.setValue("note \(number)", forKey: "text")
    }
    try context.save()
    expect(.storeBusy, "a file that is open")
    store.close()

    let whole = try Data(contentsOf: url)
    for count in stride(from: 1, to: whole.count, by: 7) {
      try whole.prefix(count).write(to: url)
      expect(.corruptStore, "a file that is cut off after \(count) of \(whole.count) bytes")
    }
    for place in stride(from: 24, to: whole.count, by: 5) {
      var damaged = whole
      damaged[place] ^= 0x10
      try damaged.write(to: url)
      expect(.corruptStore, "a file with a bit changed at \(place)")
    }
    try Data("This is a letter, and no store.".utf8).write(to: url)
    expect(.persistentStoreTypeMismatch, "another program's file")
    try whole.write(to: url)
    try open().close()
    return findings
  }

  private struct Opened {
    let coordinator: PersistentStoreCoordinator

    func close() {
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
  }

  private func open() throws -> Opened {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    var description = PersistentStoreDescription.sortedFile(at: url)
    description.timeout = 0
    try coordinator.addPersistentStore(with: description)
    return Opened(coordinator: coordinator)
  }
}

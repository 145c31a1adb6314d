// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Tests of stores as objects of Core Data's class.
@Suite struct StoreClassTests {
  private func makeCoordinator() throws -> NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator(
      managedObjectModel: try NSManagedObjectModel(Recipe.self, Step.self, Tag.self))
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("a store is one object, whoever asks for it (F45)")
  func identity() throws {
    let coordinator = try makeCoordinator()
    let store: NSPersistentStore = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    #expect(coordinator.persistentStores.first === store)
    #expect(coordinator.persistentStores == [store])
    #expect(Set(coordinator.persistentStores) == [store])
    #expect(store.persistentStoreCoordinator === coordinator)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let recipe = Recipe(context: context)
    #expect(recipe.objectID.persistentStore == nil)
    context.assign(recipe, to: store)
    recipe.title = "Soup"
    try context.save()
    #expect(recipe.objectID.persistentStore === store)
    let request = NSFetchRequest<Recipe>(entityName: "Recipe")
    request.affectedStores = [store]
    #expect(request.affectedStores == [store])
    #expect(try context.count(for: request) == 1)
    request.affectedStores = []
    #expect(try context.count(for: request) == 0)
    try coordinator.remove(store)
    #expect(store.persistentStoreCoordinator == nil)
    #expect(store.type == NSInMemoryStoreType && !store.isReadOnly)
    #expect(throws: NSError.self) { try store.loadMetadata() }
  }

  @Test("a store is an object of Foundation: it is printed, hashed and asked for its class (F45)")
  func object() throws {
    let coordinator = try makeCoordinator()
    let store = try coordinator.addPersistentStore(
      type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    #expect(store.isKind(of: NSPersistentStore.self) && store.isEqual(store))
    #expect("\(store)".contains(store.identifier) && "\(store)".hasPrefix("<NSPersistentStore: "))
    #expect(NSSet(object: store).contains(store))
    #expect(store.configurationName == "PF_DEFAULT_CONFIGURATION_NAME")
    #expect(store.options == nil)
    store.willRemove(from: coordinator)
    store.didAdd(to: coordinator)
    #expect(coordinator.persistentStores == [store])
  }

  @Test("notifications carry the stores that the coordinator has (B106, F45)")
  func notifications() throws {
    let coordinator = try makeCoordinator()
    let added = Heard(.NSPersistentStoreCoordinatorStoresDidChange, of: coordinator)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    #expect(added.last?.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [store])
    let leaving = Heard(.NSPersistentStoreCoordinatorWillRemoveStore, of: nil)
    try coordinator.remove(store)
    #expect(leaving.notifications.contains { $0.object as? NSPersistentStore === store })
    let removed = added.last?.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore]
    #expect(removed == [store])
  }

  @Test("a migration is told with the old and the new store (B106, F45)")
  func migrationNotification() throws {
    try withFolder { folder in
      let coordinator = try makeCoordinator()
      let old = try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      let changed = Heard(.NSPersistentStoreCoordinatorStoresDidChange, of: coordinator)
      let new = try coordinator.migratePersistentStore(
        old, to: folder.appending(path: "new.sqlite"), withType: NSSQLiteStoreType)
      let stores = changed.last?.userInfo
      #expect(stores?[NSUUIDChangedPersistentStoresKey] as? [NSPersistentStore] == [old, new])
      #expect(stores?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [old])
      #expect(stores?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [new])
      try coordinator.remove(new)
    }
  }

  @Test("metadata of a store are set and kept by the next save (B244, F45)")
  func metadata() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a.sqlite")
      let coordinator = try makeCoordinator()
      let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
      store.metadata["imported"] = "today"
      #expect(store.metadata["imported"] as? String == "today")
      #expect(coordinator.metadata(for: store)["imported"] as? String == "today")
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.save()
      try coordinator.remove(store)
      #expect(store.metadata["imported"] as? String == "today")
      var found = try NSPersistentStore.metadataForPersistentStore(with: url)
      #expect(found["imported"] as? String == "today")
      #expect(found[NSStoreUUIDKey] as? String == store.identifier)
      found["imported"] = "yesterday"
      try NSPersistentStore.setMetadata(found, forPersistentStoreAt: url)
      let again = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: url)
      #expect(again["imported"] as? String == "yesterday")
      #expect(throws: NSError.self) {
        try NSPersistentStore.metadataForPersistentStore(with: folder.appending(path: "none"))
      }
    }
  }

  @Test("a store that was moved is the same object (B237, F45)")
  func moving() throws {
    try withFolder { folder in
      let (old, new) = (folder.appending(path: "a.sqlite"), folder.appending(path: "b.sqlite"))
      let coordinator = try makeCoordinator()
      let store = try coordinator.addPersistentStore(type: .sqlite, at: old)
      #expect(!coordinator.setURL(new, for: store) && coordinator.url(for: store) == old)
      try coordinator.replacePersistentStore(
        at: new, destinationOptions: nil, withPersistentStoreFrom: old, sourceOptions: nil,
        type: .sqlite)
      try FileManager.default.removeItem(at: new)
      try FileManager.default.copyItem(at: old, to: new)
      #expect(coordinator.setURL(new, for: store))
      #expect(coordinator.persistentStores == [store] && store.url == new)
      #expect(coordinator.persistentStore(for: new) === store)
      let other = try coordinator.migratePersistentStore(
        store, to: folder.appending(path: "c.sqlite"), options: nil, type: .sqlite)
      #expect(coordinator.persistentStores == [other] && other != store)
      #expect(store.persistentStoreCoordinator == nil)
    }
  }

  @Test("types are named by their strings, and unknown ones are refused (B242, F45)")
  func types() throws {
    let coordinator = try makeCoordinator()
    #expect(NSPersistentStore.StoreType.sqlite.rawValue == NSSQLiteStoreType)
    #expect(NSPersistentStore.StoreType(rawValue: NSInMemoryStoreType) == .inMemory)
    let url = URL(fileURLWithPath: "/dev/null")
    for type in [NSPersistentStore.StoreType.xml, .init(rawValue: "Nothing")] {
      let error = #expect(throws: NSError.self) {
        try coordinator.addPersistentStore(type: type, at: url)
      }
      #expect(error?.code == NSPersistentStoreInvalidTypeError)
    }
  }
}

/// The posted notifications, including those of tests that run at the same time.
private final class Heard: @unchecked Sendable {
  // Sendable: the list is reached behind the lock only, and the token is set once.
  private let lock = NSLock()
  private var heard: [Notification] = []
  private var token: NSObjectProtocol?

  var notifications: [Notification] { lock.withLock { heard } }
  var last: Notification? { notifications.last }

  init(_ name: Notification.Name, of object: AnyObject?) {
    token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
      [weak self] note in
      guard let self else { return }
      self.lock.withLock { self.heard.append(note) }
    }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

/// Versions of a model of posts: a colour becomes hexadecimal, and then texts are split into sections.
private enum PostModel {
  static func make(_ version: Int) -> NSManagedObjectModel {
    let post = NSEntityDescription()
    post.name = "Post"
    post.managedObjectClassName = "NSManagedObject"
    var properties: [NSPropertyDescription] = [attribute("postID", .stringAttributeType)]
    properties.append(attribute(version == 1 ? "color" : "hexColor", .stringAttributeType))
    var entities = [post]
    if version < 3 {
      properties.append(attribute("content", .stringAttributeType))
    } else {
      let section = NSEntityDescription()
      section.name = "Section"
      section.managedObjectClassName = "NSManagedObject"
      let sections = NSRelationshipDescription()
      sections.name = "sections"
      sections.destinationEntity = section
      let owner = NSRelationshipDescription()
      owner.name = "post"
      owner.destinationEntity = post
      owner.maxCount = 1
      sections.inverseRelationship = owner
      owner.inverseRelationship = sections
      section.properties = [attribute("body", .stringAttributeType), owner]
      properties.append(sections)
      entities.append(section)
    }
    post.properties = properties
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }
}

/// Splits the content of a post, as programs for Core Data do.
final class PostToSectionsPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    guard
      let dInstance = manager.destinationInstances(
        forEntityMappingName: mapping.name, sourceInstances: [sInstance]
      ).first
    else { fatalError("must return a post") }
    let content = sInstance.value(forKey: "content") as? String ?? ""
    let sections = content.components(separatedBy: "\n\n").map { body -> NSManagedObject in
      let section = NSEntityDescription.insertNewObject(
        forEntityName: "Section", into: dInstance.managedObjectContext!)
      section.setValue(body, forKey: "body")
      return section
    }
    dInstance.setValue(Set(sections), forKey: "sections")
  }
}

@Suite("Mapping models and stages, with Core Data's names")
struct MappingTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func withStore(
    _ url: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil,
    _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { try body(context) }
    try coordinator.remove(store)
  }

  private func fill(_ url: URL) throws {
    try withStore(url, PostModel.make(1)) { context in
      for number in 0..<3 {
        let post = NSEntityDescription.insertNewObject(forEntityName: "Post", into: context)
        post.setValue("p\(number)", forKey: "postID")
        post.setValue("red", forKey: "color")
        post.setValue("one\n\ntwo", forKey: "content")
      }
      try context.save()
    }
  }

  private func mapping() -> NSMappingModel {
    let post = NSEntityMapping()
    post.name = "PostToPost"
    post.mappingType = .customEntityMappingType
    post.sourceEntityName = "Post"
    post.destinationEntityName = "Post"
    post.sourceEntityVersionHash = PostModel.make(1).entitiesByName["Post"]?.versionHash
    post.destinationEntityVersionHash = PostModel.make(3).entitiesByName["Post"]?.versionHash
    post.entityMigrationPolicyClassName = "RoostCoreDataNamesTests.PostToSectionsPolicy"
    let identifier = NSPropertyMapping()
    identifier.name = "postID"
    identifier.valueExpression = NSExpression(format: "$source.postID")
    let color = NSPropertyMapping()
    color.name = "hexColor"
    color.valueExpression = NSExpression(format: "$source.color")
    post.attributeMappings = [identifier, color]
    let mapping = NSMappingModel()
    mapping.entityMappings = [post]
    return mapping
  }

  @Test("a manager migrates by a policy that is found by its name (B267, A3)")
  func manager() throws {
    try withFolder { folder in
      let source = folder.appending(path: "old.sqlite")
      let destination = folder.appending(path: "new.sqlite")
      try fill(source)
      let manager = NSMigrationManager(
        sourceModel: PostModel.make(1), destinationModel: PostModel.make(3))
      try manager.migrateStore(
        from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping(),
        toDestinationURL: destination, destinationType: NSSQLiteStoreType, destinationOptions: nil)
      try withStore(destination, PostModel.make(3)) { context in
        let posts = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Post"))
        #expect(posts.count == 3)
        for post in posts {
          #expect(post.value(forKey: "hexColor") as? String == "red")
          #expect((post.value(forKey: "sections") as? Set<NSManagedObject>)?.count == 2)
        }
      }
    }
  }

  @Test("errors of a migration have Core Data's numbers")
  func errors() throws {
    try withFolder { folder in
      let manager = NSMigrationManager(
        sourceModel: PostModel.make(1), destinationModel: PostModel.make(3))
      do {
        try manager.migrateStore(
          from: folder.appending(path: "none"), type: .sqlite, mapping: mapping(),
          to: folder.appending(path: "new"), type: .sqlite)
        Issue.record("There was no store.")
      } catch {
        #expect((error as NSError).code == NSMigrationManagerSourceStoreError)
        #expect((error as NSError).domain == NSCocoaErrorDomain)
      }
      #expect(NSMappingModel(contentsOf: folder.appending(path: "none.cdm")) == nil)
      #expect(NSMappingModel(contentsOf: nil) == nil)
    }
  }

  @Test("stages come as an option of the store (B265)")
  func stages() throws {
    try withFolder { folder in
      let url = folder.appending(path: "posts.sqlite")
      try withStore(url, PostModel.make(2)) { context in
        let post = NSEntityDescription.insertNewObject(forEntityName: "Post", into: context)
        post.setValue("one\n\ntwo", forKey: "content")
        try context.save()
      }
      let references = (2...3).map {
        NSManagedObjectModelReference(
          model: PostModel.make($0), versionChecksum: PostModel.make($0).versionChecksum)
      }
      #expect(references[0].resolvedModel.versionChecksum == references[0].versionChecksum)
      let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
      stage.label = "Sections"
      var texts: [String] = []
      stage.willMigrateHandler = { manager, stage in
        guard let context = manager.container?.newBackgroundContext() else { return }
        try context.performAndWait {
          let posts = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Post"))
          texts = posts.compactMap { $0.value(forKey: "content") as? String }
        }
      }
      stage.didMigrateHandler = { manager, stage in
        guard let context = manager.container?.newBackgroundContext() else { return }
        try context.performAndWait {
          for text in texts.flatMap({ $0.components(separatedBy: "\n\n") }) {
            let section = NSEntityDescription.insertNewObject(
              forEntityName: "Section", into: context)
            section.setValue(text, forKey: "body")
          }
          try context.save()
        }
      }
      let manager = NSStagedMigrationManager([stage])
      try withStore(
        url, PostModel.make(3), [NSPersistentStoreStagedMigrationManagerOptionKey: manager]
      ) { context in
        let sections = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Section"))
        #expect(Set(sections.compactMap { $0.value(forKey: "body") as? String }) == ["one", "two"])
      }
      #expect(texts.count == 1)
    }
  }
}

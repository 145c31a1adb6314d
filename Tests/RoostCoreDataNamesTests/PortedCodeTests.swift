// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("Code that was written for Core Data")
struct PortedCodeTests {
  private func makeStack() throws -> CoreDataStack { try CoreDataStack(inMemory: true) }

  @Test("objects are inserted, set by key and by property, saved and fetched")
  func basics() throws {
    let stack = try makeStack()
    let context = stack.mainContext
    let soup = Recipe(context: context)
    soup.title = "Soup"
    soup.minutes = 40
    let cake = NSEntityDescription.insertNewObject(forEntityName: "Recipe", into: context)
    cake.setValue("Cake", forKey: "title")
    cake.setValue(90, forKey: "minutes")
    let entity = try #require(NSEntityDescription.entity(forEntityName: "Step", in: context))
    let step = Step(entity: entity, insertInto: context)
    step.setValue("Boil", forKey: "text")
    step.setValue(soup, forKey: "recipe")
    #expect(context.insertedObjects.count == 3)
    #expect(soup.objectID.isTemporaryID)
    stack.saveContext()
    #expect(!soup.objectID.isTemporaryID)
    #expect((cake.value(forKey: "minutes") as? Int) == 90)
    #expect(cake.value(forKey: "created") is Date)
    #expect(soup.steps.map(\.text) == ["Boil"])
    let titles = try context.fetch(Recipe.sortedFetchRequest()).map(\.title)
    #expect(titles == ["Cake", "Soup"])
  }

  @Test("predicates with formats, arguments, compounds and variables select")
  func predicates() throws {
    let stack = try makeStack()
    let context = stack.mainContext
    for (title, minutes) in [("Soup", 40), ("Cake", 90), ("Salad", 10)] as [(String, Int16)] {
      let recipe = Recipe(context: context)
      recipe.title = title
      recipe.minutes = minutes
    }
    stack.saveContext()
    func titles(_ predicate: NSPredicate?) throws -> [String] {
      let request: NSFetchRequest<Recipe> = NSFetchRequest(entityName: "Recipe")
      request.predicate = predicate
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      return try context.fetch(request).compactMap(\.title)
    }
    #expect(try titles(nil) == ["Cake", "Salad", "Soup"])
    #expect(try titles(NSPredicate(format: "minutes > %d", 20)) == ["Cake", "Soup"])
    #expect(
      try titles(NSPredicate(format: "%K BEGINSWITH[c] %@", "title", "s")) == ["Salad", "Soup"])
    #expect(try titles(NSPredicate(format: "title IN %@", ["Soup", "Cake"])) == ["Cake", "Soup"])
    let long = NSPredicate(format: "minutes >= 40")
    let short = NSCompoundPredicate(notPredicateWithSubpredicate: long)
    #expect(try titles(short) == ["Salad"])
    let both = NSCompoundPredicate(
      andPredicateWithSubpredicates: [long, NSPredicate(format: "title != 'Cake'")])
    #expect(try titles(both) == ["Soup"])
    let template = NSPredicate(format: "title == $TITLE")
    #expect(try titles(template.withSubstitutionVariables(["TITLE": "Cake"])) == ["Cake"])
    let soup = try context.fetch(NSFetchRequest<Recipe>(entityName: "Recipe"))
      .first { long.evaluate(with: $0) && $0.title == "Soup" }
    #expect(soup != nil)
    #expect(NSPredicate(format: "a == 1") == NSPredicate(format: "a == 1"))
    let count = NSFetchRequest<NSNumber>(entityName: "Recipe")
    #expect(try context.fetch(count).first?.intValue == 3)
    let any = NSFetchRequest<NSFetchRequestResult>(entityName: "Recipe")
    any.fetchLimit = 2
    #expect((try context.fetch(any) as? [Recipe])?.count == 2)
    #expect(try context.count(for: any) == 2)
  }

  @Test("dictionaries are fetched with columns, groups and expressions")
  func dictionaries() throws {
    let stack = try makeStack()
    let context = stack.mainContext
    for (title, minutes) in [("Soup", 40), ("Cake", 90), ("Soup", 10)] as [(String, Int16)] {
      let recipe = Recipe(context: context)
      recipe.title = title
      recipe.minutes = minutes
    }
    stack.saveContext()
    let longest = NSExpressionDescription()
    longest.name = "longest"
    longest.expression = FetchExpression(format: "max:(minutes)")
    longest.expressionResultType = .integer16AttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Recipe")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["title", longest]
    request.propertiesToGroupBy = ["title"]
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let rows = try context.fetch(request)
    #expect(rows.map { $0["title"] as? String } == ["Cake", "Soup"])
    #expect(rows.map { $0["longest"] as? Int } == [90, 40])
  }

  @Test("errors have Core Data's domain, numbers and keys")
  func errors() throws {
    let stack = try makeStack()
    let step = Step(context: stack.mainContext)
    step.setValue(nil, forKey: "text")
    do {
      try stack.mainContext.save()
      Issue.record("a required attribute is missing")
    } catch let error as NSError {
      #expect(error.domain == NSCocoaErrorDomain)
      #expect(error.code == NSValidationMissingMandatoryPropertyError)
      #expect(error.code == CocoaError.Code.validationMissingMandatoryProperty.rawValue)
      #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "text")
    }
    let other = Step(context: stack.mainContext)
    other.setValue(nil, forKey: "text")
    do {
      try stack.mainContext.save()
      Issue.record("two required attributes are missing")
    } catch let error as NSError {
      #expect(error.code == NSValidationMultipleErrorsError)
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
      #expect(details?.map(\.code) == [1570, 1570])
    }
    stack.mainContext.rollback()
    #expect(!stack.mainContext.hasChanges)
  }

  @Test("a background context saves, and the other hears of it")
  func background() throws {
    let stack = try makeStack()
    let heard = Counter()
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { note in
      let inserted = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
      heard.add((inserted ?? []).filter { ($0 as? Tag)?.name == "fast" }.count)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let context = stack.newDerivedContext()
    var failure: Error?
    context.performAndWait {
      let tag = Tag(context: context)
      tag.name = "fast"
      do { try context.save() } catch { failure = error }
    }
    #expect(failure == nil)
    #expect(heard.value == 1)
    let request = NSFetchRequest<Tag>(entityName: "Tag")
    #expect(try stack.mainContext.fetch(request).map(\.name) == ["fast"])
  }

  @Test("a SQLite file keeps its objects from one stack to the next")
  func file() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let uri: URL
    do {
      let stack = try CoreDataStack(folder: folder)
      let recipe = Recipe(context: stack.mainContext)
      recipe.title = "Bread"
      stack.saveContext()
      uri = recipe.objectID.uriRepresentation()
    }
    let stack = try CoreDataStack(folder: folder)
    let coordinator = stack.container.persistentStoreCoordinator
    let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
    let recipe = try #require(try stack.mainContext.existingObject(with: id) as? Recipe)
    #expect(recipe.title == "Bread")
    #expect(recipe.isFault == false)
    stack.mainContext.refresh(recipe, mergeChanges: false)
    #expect(recipe.isFault)
    stack.mainContext.delete(recipe)
    stack.saveContext()
    #expect(try stack.mainContext.count(for: NSFetchRequest<Recipe>(entityName: "Recipe")) == 0)
  }

  @Test(
    "a model is built in code with the names of Core Data, and its container reports what is wrong")
  func modelInCode() throws {
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    name.isOptional = false
    name.defaultValue = "?"
    let owner = NSEntityDescription()
    owner.name = "Owner"
    owner.managedObjectClassName = NSStringFromClass(NSObject.self)
    let pets = NSRelationshipDescription()
    pets.name = "pets"
    pets.destinationEntity = owner
    pets.minCount = 0
    pets.maxCount = 0
    pets.deleteRule = .nullifyDeleteRule
    owner.properties = [name, pets]
    let model = NSManagedObjectModel()
    model.entities = [owner]
    let container = NSPersistentContainer(name: "Pets", managedObjectModel: model)
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let object = NSEntityDescription.insertNewObject(
      forEntityName: "Owner", into: container.viewContext)
    #expect(object.value(forKey: "name") as? String == "?")

    let broken = NSManagedObjectModel()
    broken.entities = [NSEntityDescription(name: "")]
    var reported: Error?
    NSPersistentContainer(name: "Broken", managedObjectModel: broken)
      .loadPersistentStores { _, error in reported = error }
    #expect(reported != nil)
    reported = nil
    NSPersistentContainer(name: "NoSuchModel").loadPersistentStores { _, error in reported = error }
    #expect("\(reported.map { "\($0)" } ?? "")".contains("NoSuchModel.xcdatamodeld"))
    #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere.momd")) == nil)
  }
}

/// A counter that a handler increments.
final class Counter: @unchecked Sendable {
  // Sendable: notifications are posted on the thread that saves, which is the test's.
  private(set) var value = 0

  func add(_ number: Int) { value += number }
}

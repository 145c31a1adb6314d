// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import XCTest

class BasicsTests: XCTestCase {

  var controller: PersistenceController!
  var context: NSManagedObjectContext!

  override func setUp() {
    super.setUp()
    controller = PersistenceController(inMemory: true)
    context = controller.container.viewContext
  }

  override func tearDown() {
    controller = nil
    context = nil
    super.tearDown()
  }

  func testInsertAndFetch() throws {
    let author = Author(context: context)
    author.name = "Ada"
    author.birthday = Date(timeIntervalSince1970: 0)
    author.rating = 4.5
    XCTAssertNotNil(author.uuid)
    XCTAssertTrue(author.isInserted)
    XCTAssertTrue(context.hasChanges)
    let book = Book(entity: Book.entity(), insertInto: context)
    book.title = "Algebra"
    book.pages = 120
    book.price = NSDecimalNumber(string: "12.50")
    book.author = author
    XCTAssertEqual(author.books?.count, 1)
    XCTAssertEqual((author.books?.allObjects as? [Book])?.first?.title, "Algebra")
    XCTAssertTrue(author.books!.contains(book))
    try context.save()
    XCTAssertFalse(context.hasChanges)
    XCTAssertFalse(author.objectID.isTemporaryID)

    let request: NSFetchRequest<Author> = Author.fetchRequest()
    request.predicate = NSPredicate(format: "name == %@", "Ada")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.fetchLimit = 1
    let results = try context.fetch(request)
    XCTAssertEqual(results.count, 1)
    XCTAssertEqual(results.first, author)
    XCTAssertEqual(results[0].rating, 4.5, accuracy: 0.0001)

    let booksRequest = NSFetchRequest<Book>(entityName: "Book")
    booksRequest.predicate = NSPredicate(format: "%K == %@", "author", author)
    XCTAssertEqual(try context.fetch(booksRequest).count, 1)
    XCTAssertEqual(try context.count(for: booksRequest), 1)
    let any: NSFetchRequest<NSFetchRequestResult> = Book.fetchRequest()
    let objects = try context.fetch(any) as! [Book]
    XCTAssertEqual(objects.first?.price, 12.5)
    any.resultType = .managedObjectIDResultType
    let ids = try context.fetch(any) as! [NSManagedObjectID]
    XCTAssertEqual(ids, [book.objectID])
    any.resultType = .dictionaryResultType
    any.propertiesToFetch = ["title", "pages"]
    let dictionaries = try context.fetch(any) as! [[String: Any]]
    XCTAssertEqual(dictionaries.first?["title"] as? String, "Algebra")
    XCTAssertEqual(dictionaries.first?["pages"] as? Int16, 120)
    any.resultType = .countResultType
    XCTAssertEqual(try context.fetch(any).first as? Int, 1)
  }

  func testGeneratedAccessors() throws {
    let author = Author(context: context)
    author.name = "Bob"
    let first = Book(context: context), second = Book(context: context)
    author.addToBooks(first)
    author.addToBooks(NSSet(array: [second]))
    XCTAssertEqual(author.books?.count, 2)
    author.removeFromBooks(first)
    XCTAssertNil(first.author)
    XCTAssertEqual(author.books, NSSet(object: second))
    let one = Chapter(context: context), two = Chapter(context: context),
      three = Chapter(context: context)
    one.heading = "1"; two.heading = "2"; three.heading = "3"
    second.addToChapters(one)
    second.addToChapters(NSOrderedSet(array: [two]))
    second.insertIntoChapters(three, at: 0)
    XCTAssertEqual(
      (second.chapters?.array as? [Chapter])?.map { $0.heading ?? "" }, ["3", "1", "2"])
    second.removeFromChapters(at: 0)
    XCTAssertEqual(second.chapters?.count, 2)
    second.replaceChapters(at: 0, with: three)
    XCTAssertEqual((second.chapters?.firstObject as? Chapter)?.heading, "3")
    let set = second.mutableOrderedSetValue(forKey: "chapters")
    set.add(one)
    XCTAssertEqual(second.chapters?.count, 3)
    XCTAssertEqual((second.chapters?.lastObject as? Chapter), one)
    set.insert(one, at: 0)
    set.removeObject(at: 0)
    set.union(NSOrderedSet(object: one))
    XCTAssertEqual(set.index(of: one), 1)
    let tag = Topic(context: context)
    tag.label = "math"
    second.tags = [tag]
    XCTAssertEqual(tag.books?.count, 1)
    tag.addToBooks(first)
    XCTAssertEqual(first.tags?.first?.label, "math")
    let tags = first.mutableSetValue(forKey: "tags")
    tags.remove(tag)
    XCTAssertEqual(tag.books?.count, 1)
    try context.save()
    XCTAssertEqual(second.kind, .novel)
    second.kind = .essay
    XCTAssertEqual(second.value(forKey: "kindRaw") as? Int16, 1)
    second.title = "Zoo"
    XCTAssertEqual(second.section, "Z")
    XCTAssertEqual(second.primitiveSectionName, "Z")
  }

  func testKVC() throws {
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context) as! Book
    book.setValue("Title", forKey: "title")
    book.setValue(NSNumber(value: 12), forKey: "pages")
    book.setValue(true, forKey: "isRead")
    XCTAssertEqual(book.value(forKey: "title") as! String, "Title")
    XCTAssertEqual(book.value(forKey: "pages") as! Int16, 12)
    XCTAssertEqual(book.value(forKey: "pages") as? NSNumber, 12)
    XCTAssertEqual(book.value(forKey: "isRead") as! Bool, true)
    XCTAssertNil(book.value(forKey: "author"))
    let author = NSManagedObject(
      entity: NSEntityDescription.entity(forEntityName: "Author", in: context)!, insertInto: context
    )
    author.setValue("Carl", forKey: "name")
    book.setValue(author, forKey: "author")
    XCTAssertEqual(book.value(forKeyPath: "author.name") as? String, "Carl")
    XCTAssertEqual((author.value(forKey: "books") as? Set<Book>)?.count, 1)
    XCTAssertEqual((author.value(forKey: "books") as? NSSet)?.count, 1)
    XCTAssertEqual(author.mutableSetValue(forKey: "books").count, 1)
    XCTAssertEqual(author.value(forKeyPath: "books.@count") as? Int, 1)
    let values = book.dictionaryWithValues(forKeys: ["title", "pages"])
    XCTAssertEqual(values["title"] as? String, "Title")
    XCTAssertEqual(Set(book.changedValues().keys).isSuperset(of: ["title", "pages"]), true)
    XCTAssertEqual(book.entity.name, "Book")
    XCTAssertEqual(book.entity.attributesByName["title"]?.attributeType, .stringAttributeType)
    XCTAssertTrue(book.hasChanges)
    try context.save()
    XCTAssertTrue(book.committedValues(forKeys: ["title"])["title"] as? String == "Title")
    book.title = "New"
    XCTAssertTrue(book.hasPersistentChangedValues)
    XCTAssertEqual(book.changedValues()["title"] as? String, "New")
    context.refresh(book, mergeChanges: false)
    XCTAssertTrue(book.isFault)
    XCTAssertEqual(book.title, "Title")
  }

  func testValidation() {
    let author = Author(context: context)
    author.name = "x"
    XCTAssertThrowsError(try context.save()) { error in
      let error = error as NSError
      XCTAssertEqual(error.domain, NSCocoaErrorDomain)
      XCTAssertEqual(error.code, NSValidationStringTooShortError)
      XCTAssertEqual(error.userInfo[NSValidationKeyErrorKey] as? String, "name")
      XCTAssertEqual(error.userInfo[NSValidationObjectErrorKey] as? Author, author)
      XCTAssertEqual(error.userInfo[NSValidationValueErrorKey] as? String, "x")
    }
    author.name = nil
    do {
      try author.validateForInsert()
      XCTFail()
    } catch let error as NSError {
      XCTAssertEqual(error.code, NSValidationMissingMandatoryPropertyError)
    }
    author.name = "Nobody"
    do {
      try context.save()
      XCTFail()
    } catch {
      let nserror = error as NSError
      XCTAssertEqual(nserror.domain, "Author")
      XCTAssertEqual(nserror.code, 42)
    }
    let book = Book(context: context)
    book.pages = 20000
    author.name = ""
    do {
      try context.save()
      XCTFail()
    } catch let error as NSError where error.code == NSValidationMultipleErrorsError {
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
      XCTAssertEqual(
        Set(details?.map(\.code) ?? []),
        [NSValidationNumberTooLargeError, NSValidationStringTooShortError])
    } catch {
      XCTFail("\(error)")
    }
    do { try context.save() } catch let error as CocoaError {
      XCTAssertEqual(error.code, .validationMultipleErrors)
    } catch { XCTAssertEqual((error as? CocoaError)?.code, .validationMultipleErrors) }
    context.rollback()
    XCTAssertFalse(context.hasChanges)
  }

  func testUniqueConstraint() throws {
    context.mergePolicy = NSErrorMergePolicy
    for _ in 0..<2 { Author(context: context).name = "Same" }
    XCTAssertThrowsError(try context.save()) { error in
      XCTAssertEqual((error as NSError).code, NSManagedObjectConstraintMergeError)
      let conflicts = (error as NSError).userInfo["conflictList"] as? [NSConstraintConflict]
      XCTAssertEqual(conflicts?.count, 1)
      XCTAssertEqual(conflicts?.first?.constraint, ["name"])
    }
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    try context.save()
    XCTAssertEqual(try context.count(for: Author.fetchRequest()), 1)
    context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    XCTAssertTrue(context.mergePolicy === NSMergePolicy.mergeByPropertyStoreTrump)
  }

  func testSortAndPredicates() throws {
    for (index, title) in ["Beta", "alpha", "Gamma", "delta"].enumerated() {
      let book = Book(context: context)
      book.title = title
      book.pages = Int16(index * 10)
      book.isRead = index % 2 == 0
    }
    try context.save()
    func titles(_ format: String, _ args: [Any] = []) throws -> [String] {
      let request: NSFetchRequest<Book> = Book.fetchRequest()
      request.predicate = NSPredicate(format: format, argumentArray: args)
      request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.pages, ascending: false)]
      return try context.fetch(request).compactMap { $0.title }
    }
    XCTAssertEqual(try titles("isRead == YES"), ["Gamma", "Beta"])
    XCTAssertEqual(try titles("isRead == %@", [NSNumber(value: false)]), ["delta", "alpha"])
    XCTAssertEqual(try titles("title CONTAINS[cd] %@", ["A"]), ["delta", "Gamma", "alpha", "Beta"])
    XCTAssertEqual(try titles("pages BETWEEN {5, 25}"), ["Gamma", "alpha"])
    XCTAssertEqual(try titles("title LIKE 'B*'"), ["Beta"])
    XCTAssertEqual(try titles("title MATCHES '.*ta'"), ["delta", "Beta"])
    XCTAssertEqual(
      try titles("author == nil AND NOT title IN %@", [["Beta", "delta"]]), ["Gamma", "alpha"])
    let predicates = [NSPredicate(format: "pages > 5"), NSPredicate(format: "isRead == NO")]
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.predicate = NSCompoundPredicate(type: .and, subpredicates: predicates)
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: true)]
    XCTAssertEqual(try context.fetch(request).map { $0.title! }, ["alpha", "delta"])
    request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: predicates)
    XCTAssertEqual(try context.count(for: request), 3)
    request.predicate = NSPredicate(value: false)
    XCTAssertEqual(try context.count(for: request), 0)
    request.predicate = nil
    let all = try context.fetch(request)
    request.predicate = NSPredicate(format: "SELF IN %@", [all[0], all[1]])
    XCTAssertEqual(try context.count(for: request), 2)
    request.predicate = NSPredicate(format: "SELF == %@", all[0].objectID)
    XCTAssertEqual(try context.fetch(request).first, all[0])
    request.predicate = NSPredicate(format: "pages > %d AND pages < %ld", 5, 25)
    XCTAssertEqual(try context.count(for: request), 2)
    request.predicate = NSPredicate(format: "ANY tags.label == %@", "x")
    XCTAssertEqual(try context.count(for: request), 0)
    request.predicate = NSPredicate(format: "tags.@count == 0")
    XCTAssertEqual(try context.count(for: request), 4)
    request.predicate = NSPredicate(format: "SUBQUERY(tags, $t, $t.label == 'x').@count > 0")
    XCTAssertEqual(try context.count(for: request), 0)
    let filtered = (all as NSArray).filtered(using: NSPredicate(format: "pages == 10"))
    XCTAssertEqual(filtered.count, 1)
    let sorted = all.filter { NSPredicate(format: "pages >= 10").evaluate(with: $0) }
    XCTAssertEqual(sorted.count, 3)
    let insensitive = NSFetchRequest<Book>(entityName: "Book")
    insensitive.sortDescriptors = [
      NSSortDescriptor(key: "title", ascending: true, selector: .caseInsensitive)
    ]
    XCTAssertEqual(
      try context.fetch(insensitive).map { $0.title! }, ["alpha", "Beta", "delta", "Gamma"])
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames

public enum Kind: Int16 { case novel, essay }

public class Book: NSManagedObject {
  public var kind: Kind {
    get { Kind(rawValue: kindRaw) ?? .novel }
    set { kindRaw = newValue.rawValue }
  }
  public var section: String? {
    willAccessValue(forKey: "sectionName")
    defer { didAccessValue(forKey: "sectionName") }
    if let cached = primitiveSectionName { return cached }
    let value = title.map { String($0.prefix(1)) }
    primitiveSectionName = value
    return value
  }
  public override func willSave() {
    super.willSave()
    if let title = title, title.hasSuffix(" ") {
      setPrimitiveValue(title.trimmingCharacters(in: .whitespaces), forKey: "title")
    }
  }
}

extension Book {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Book> {
    return NSFetchRequest<Book>(entityName: "Book")
  }
  @Managed public var isRead: Bool
  @Managed public var pages: Int16
  @Managed public var price: NSDecimalNumber?
  @Managed public var sectionName: String?
  @Managed var primitiveSectionName: String?
  @Managed public var title: String?
  @Managed public var kindRaw: Int16
  @Managed public var author: Author?
  @Managed public var chapters: NSOrderedSet?
  @Managed public var tags: Set<Topic>?
}

// MARK: Generated accessors for chapters
extension Book {
  @ManagedMethod public func insertIntoChapters(_ value: Chapter, at idx: Int)
  @ManagedMethod public func removeFromChapters(at idx: Int)
  @ManagedMethod public func insertIntoChapters(_ values: [Chapter], at indexes: NSIndexSet)
  @ManagedMethod public func removeFromChapters(at indexes: NSIndexSet)
  @ManagedMethod public func replaceChapters(at idx: Int, with value: Chapter)
  @ManagedMethod public func replaceChapters(at indexes: NSIndexSet, with values: [Chapter])
  @ManagedMethod public func addToChapters(_ value: Chapter)
  @ManagedMethod public func removeFromChapters(_ value: Chapter)
  @ManagedMethod public func addToChapters(_ values: NSOrderedSet)
  @ManagedMethod public func removeFromChapters(_ values: NSOrderedSet)
}

public class Chapter: NSManagedObject {
  @Managed public var heading: String?
  @Managed public var book: Book?
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Chapter> {
    return NSFetchRequest<Chapter>(entityName: "Chapter")
  }
}

final public class Topic: NSManagedObject, Identifiable {
  @Managed public var label: String?
  @Managed public var books: NSSet?
  @ManagedMethod public func addToBooks(_ value: Book)
}

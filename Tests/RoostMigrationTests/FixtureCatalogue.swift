// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore

/// A model with a rule of every kind, and the content of its stores.
enum Catalogue {
  /// The properties that some book or shelf must have.
  static let keys = [
    "title", "isbn", "grade", "pages", "copies", "weight", "ratio", "price", "isLent", "bought",
    "cover", "number", "link", "size", "shelf", "authors", "sequel", "code", "books", "note",
  ]

  static func model() throws -> ManagedObjectModel {
    let item = EntityDescription(name: "Item")
    item.isAbstract = true
    let book = EntityDescription(name: "Book")
    let atlas = EntityDescription(name: "Atlas")
    let author = EntityDescription(name: "Author")
    let shelf = EntityDescription(name: "Shelf")
    item.properties = [text("title", isOptional: false)]
    book.properties = try attributes()
    item.subentities = [book, atlas]
    book.uniquenessConstraints = [["isbn"], ["grade"]]
    author.properties = [text("name", isOptional: false)]
    author.uniquenessConstraints = [["name"]]
    let code = text("code", isOptional: false)
    (code.minLength, code.maxLength) = (4, 4)
    shelf.properties = [code]
    shelf.uniquenessConstraints = [["code"]]
    relate(book, author, shelf)
    return ManagedObjectModel(entities: [item, book, atlas, author, shelf])
  }

  private static func text(_ name: String, isOptional: Bool = true) -> AttributeDescription {
    let text = AttributeDescription(name: name, type: .string)
    text.isOptional = isOptional
    return text
  }

  private static func attributes() throws -> [PropertyDescription] {
    let isbn = text("isbn", isOptional: false)
    isbn.regularExpression = "97[89]-\\d{1,5}-(?:[A-F]|x)[a-z]{8}\\d?"
    let grade = AttributeDescription(name: "grade", type: .integer16)
    grade.isOptional = false
    (grade.minValue, grade.maxValue) = (.integer(1000), .integer(1100))
    let pages = AttributeDescription(name: "pages", type: .integer32)
    pages.minValue = .integer(50)
    try pages.setValidationPredicates(
      [UnparsedPredicate("SELF < 5000")], withValidationWarnings: [""])
    let weight = AttributeDescription(name: "weight", type: .double)
    weight.maxValue = .double(-1)
    let ratio = AttributeDescription(name: "ratio", type: .float)
    (ratio.minValue, ratio.maxValue) = (.double(0), .double(1))
    let price = AttributeDescription(name: "price", type: .decimal)
    price.minValue = .decimal(100)
    let bought = AttributeDescription(name: "bought", type: .date)
    bought.minValue = .date(Date(timeIntervalSinceReferenceDate: 1e9))
    let size = CompositeAttributeDescription(
      name: "size",
      elements: [
        AttributeDescription(name: "width", type: .integer32),
        AttributeDescription(name: "unit", type: .string),
      ])
    let mail = text("note")
    mail.regularExpression = "[^@]+@[a-z.]+"
    return [
      isbn, grade, pages, AttributeDescription(name: "copies", type: .integer64), weight, ratio,
      price, AttributeDescription(name: "isLent", type: .boolean), bought,
      AttributeDescription(name: "cover", type: .binaryData),
      AttributeDescription(name: "number", type: .uuid),
      AttributeDescription(name: "link", type: .uri), size, mail,
    ]
  }

  /// Relates the entities: a shelf has at least five ordered books, a book has one shelf and one or two authors.
  private static func relate(
    _ book: EntityDescription, _ author: EntityDescription, _ shelf: EntityDescription
  ) {
    let place = RelationshipDescription(name: "shelf", destination: shelf, maxCount: 1)
    place.isOptional = false
    let books = RelationshipDescription(name: "books", destination: book)
    (books.isOptional, books.minCount, books.isOrdered) = (false, 5, true)
    join(place, books)
    let authors = RelationshipDescription(name: "authors", destination: author)
    (authors.isOptional, authors.minCount, authors.maxCount) = (false, 1, 2)
    let works = RelationshipDescription(name: "works", destination: book)
    join(authors, works)
    let sequel = RelationshipDescription(name: "sequel", destination: book, maxCount: 1)
    let prequel = RelationshipDescription(name: "prequel", destination: book, maxCount: 1)
    join(sequel, prequel)
    book.properties += [place, authors, sequel, prequel]
    author.properties += [works]
    shelf.properties += [books]
  }

  private static func join(_ one: RelationshipDescription, _ other: RelationshipDescription) {
    one.inverseRelationship = other
    other.inverseRelationship = one
  }

  /// Returns a line for each object: its entity, its key and its values.
  static func contents(_ description: PersistentStoreDescription) throws -> [String] {
    let model = try model()
    return try Staff.withStore(description, model) { context, _ in
      var lines: [String] = []
      for entity in model.entities where !entity.isAbstract {
        let request = FetchRequest<ManagedObject>(entityName: entity.name ?? "")
        for object in try context.fetch(request) {
          lines.append("\(entity.name ?? "") \(object.objectID.key)\(try values(of: object))")
        }
      }
      return lines.sorted()
    }
  }

  private static func values(of object: ManagedObject) throws -> String {
    var text = ""
    for attribute in object.entity.attributesInOrder {
      switch try object.exchangeValue(forKey: attribute.name) {
      case .null: break
      case .composite(let elements):
        let parts = elements.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        text += " \(attribute.name)=\(parts.joined(separator: ","))"
      case let value: text += " \(attribute.name)=\(value)"
      }
    }
    for relationship in object.entity.relationshipsInOrder {
      switch try object.value(forKey: relationship.name) {
      case let object as ManagedObject: text += " \(relationship.name)=\(object.objectID.key)"
      case let objects as [ManagedObject] where !objects.isEmpty:
        text += " \(relationship.name)=\(objects.count) \(objects.map(\.objectID.key))"
      case let objects as Set<ManagedObject> where !objects.isEmpty:
        text += " \(relationship.name)=\(objects.count) \(objects.map(\.objectID.key).sorted())"
      default: break
      }
    }
    return text
  }
}

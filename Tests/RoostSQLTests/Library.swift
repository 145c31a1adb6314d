// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQL
import RoostStore

/// A frozen model of a library, and the SQL of its requests.
struct Library {
  let model: ManagedObjectModel
  let schema: SQLSchema
  /// The identifiers of the schema, all of them new.
  let names: SQLNames

  init(dialect: SQLDialect = .sqlite) throws {
    let item = EntityDescription(name: "Item")
    let book = EntityDescription(name: "Book")
    let film = EntityDescription(name: "Film")
    let author = EntityDescription(name: "Author")
    let written = RelationshipDescription(name: "author", destination: author, maxCount: 1)
    let books = RelationshipDescription(name: "books", destination: book)
    let actors = RelationshipDescription(name: "actors", destination: author)
    let films = RelationshipDescription(name: "films", destination: film)
    written.inverseRelationship = books
    books.inverseRelationship = written
    actors.inverseRelationship = films
    films.inverseRelationship = actors
    books.isOrdered = true
    item.isAbstract = true
    item.declaredProperties = [
      AttributeDescription(name: "title", type: .string),
      AttributeDescription(name: "year", type: .integer16),
      AttributeDescription(name: "price", type: .decimal),
      AttributeDescription(name: "stock", type: .integer64),
      AttributeDescription(name: "weight", type: .double),
    ]
    book.declaredProperties = [AttributeDescription(name: "isbn", type: .string), written]
    film.declaredProperties = [
      AttributeDescription(name: "minutes", type: .integer32),
      AttributeDescription(name: "silent", type: .boolean), actors,
    ]
    author.declaredProperties = [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(name: "born", type: .date), books, films,
    ]
    item.subentities = [book, film]
    book.uniquenessConstraints = [["isbn"]]
    author.uniquenessConstraints = [["name", "born"]]
    item.indexes = [
      FetchIndexDescription(
        name: "byYear",
        elements: [
          FetchIndexElementDescription(propertyName: "year", isAscending: false),
          FetchIndexElementDescription(propertyName: "title"),
        ]),
      Self.partialIndex("stocked", "stock", "stock > 0 AND title != nil"),
      Self.partialIndex("cheap", "price", "price < 2.5"),
    ]
    model = ManagedObjectModel(entities: [item, book, film, author])
    try model.freeze()
    let store = StoreSchema(
      identity: StoreIdentity(identifier: "LIBRARY", type: "SQL"), model: model,
      entities: model.entities, linkTables: model.linkTables,
      codes: ["Item": 1, "Book": 2, "Film": 3, "Author": 4])
    var names = SQLNames(lengthLimit: 63)
    schema = SQLSchema(store, dialect: dialect, names: &names)
    self.names = names
  }

  private static func partialIndex(
    _ name: String, _ property: String, _ condition: String
  ) -> FetchIndexDescription {
    let index = FetchIndexDescription(
      name: name, elements: [FetchIndexElementDescription(propertyName: property)])
    index.partialIndexPredicate = UnparsedPredicate(condition)
    return index
  }

  /// Returns the query of a request.
  func query(
    _ entityName: String, _ format: String = "TRUEPREDICATE", _ arguments: Any?...,
    change: (inout FetchCriteria) -> Void = { _ in }
  ) throws -> SQLQuery {
    let request = FetchRequest<ObjectID>(entityName: entityName)
    var criteria = request.criteria
    criteria.predicate = try FetchPredicate(format: format, argumentArray: arguments)
    change(&criteria)
    let resolved = try RequestResolver(model: model).resolve(criteria)
    return try FetchGenerator.query(for: resolved, in: schema)
  }
}

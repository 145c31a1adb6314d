// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import Testing

@Suite("Templates of merged models (B17, B18)")
struct MergedTemplateTests {
  private func model(
    _ change: (FetchRequest<[String: Any]>) throws -> Void
  ) throws -> ManagedObjectModel {
    let book = EntityDescription(name: "Book")
    let request = FetchRequest<[String: Any]>(entityName: "Book")
    request.predicate = try FetchPredicate("title == 'a'")
    try change(request)
    let same = FetchedPropertyDescription(name: "same")
    same.fetchRequest = request.criteria
    book.properties = [AttributeDescription(name: "title", type: .string), same]
    let model = ManagedObjectModel(entities: [book])
    try model.setFetchRequestTemplate(request.criteria, forName: "books")
    return model
  }

  private static let oldest = ExpressionDescription(
    name: "x", expression: FetchExpression.function(.minimum, [.keyPath(["title"])]),
    resultType: .string)

  @Test("templates and fetched properties that ask for the same are taken once")
  func alike() throws {
    let change: (FetchRequest<[String: Any]>) -> Void = {
      $0.fetchLimit = 3
      $0.propertiesToFetch = ["title", Self.oldest]
    }
    let merged = try ManagedObjectModel(byMerging: [model(change), model(change)])
    let template = merged.fetchRequestTemplatesByName["books"] as? FetchCriteria
    #expect(template?.fetchLimit == 3)
  }

  @Test("those that differ in anything are named", arguments: 0..<8)
  func different(_ number: Int) throws {
    let changes: [(FetchRequest<[String: Any]>) throws -> Void] = [
      { $0.fetchLimit = 3 }, { $0.fetchOffset = 1 }, { $0.fetchBatchSize = 20 },
      { $0.sortDescriptors = [SortOrdering("title")] }, { $0.includesSubentities = false },
      { $0.propertiesToFetch = ["title"] }, { $0.returnsDistinctResults = true },
      { $0.predicate = try FetchPredicate("title == 'b'") },
    ]
    let error = #expect(throws: PersistenceError.self) {
      try ManagedObjectModel(byMerging: [model { _ in }, model(changes[number])])
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.underlyingErrors.count == 2, "the template and the entity")
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel
@testable import RoostQuery

/// Requests, their defaults, their contradictions, and templates.
@Suite struct FetchRequestTests {
  @Test("a new request has Core Data's defaults")
  func defaults() {
    let request = FetchRequest<TypedPerson>()
    #expect(request.entity == nil)
    #expect(request.entityName == nil)
    #expect(request.predicate == nil)
    #expect(request.sortDescriptors == nil)
    #expect(request.fetchLimit == 0)
    #expect(request.fetchOffset == 0)
    #expect(request.fetchBatchSize == 0)
    #expect(request.resultType == .managedObjectResultType)
    #expect(request.includesSubentities)
    #expect(request.includesPendingChanges)
    #expect(request.includesPropertyValues)
    #expect(request.returnsObjectsAsFaults)
    #expect(!request.returnsDistinctResults)
    #expect(!request.shouldRefreshRefetchedObjects)
    #expect(request.relationshipKeyPathsForPrefetching == nil)
    #expect(request.propertiesToFetch == nil)
    #expect(request.propertiesToGroupBy == nil)
    #expect(request.havingPredicate == nil)
    #expect(request.affectedStoreIdentifiers == nil)
  }

  @Test("the result types have Core Data's numbers, and follow what is fetched (B130)")
  func resultTypes() {
    #expect(FetchRequestResultType.managedObjectResultType.rawValue == 0)
    #expect(FetchRequestResultType.managedObjectIDResultType.rawValue == 1)
    #expect(FetchRequestResultType.dictionaryResultType.rawValue == 2)
    #expect(FetchRequestResultType.countResultType.rawValue == 4)
    #expect(FetchRequest<ObjectID>(entityName: "Person").resultType == .managedObjectIDResultType)
    #expect(FetchRequest<[String: Any]>(entityName: "Person").resultType == .dictionaryResultType)
    #expect(FetchRequest<Int>(entityName: "Person").resultType == .countResultType)
  }

  @Test("a copy says the same and is changed separately")
  func copy() throws {
    let request = FetchRequest<TypedPerson>(entityName: "Person").limit(5)
    request.predicate = try FetchPredicate("age > 3")
    let copy = request.copy()
    #expect(copy.predicate == request.predicate)
    #expect(copy.fetchLimit == 5)
    copy.fetchLimit = 7
    #expect(request.fetchLimit == 5)
    #expect(request.description == "fetch Person where age > 3 limit 5")
  }

  @Test("entity and name follow each other")
  func entity() {
    let company = Company()
    let request = FetchRequest<TypedPerson>(entityName: "Person")
    request.entity = company.manager
    #expect(request.entityName == "Manager")
    request.entityName = "Person"
    #expect(request.entity == nil)
  }

  @Test("a request resolves to entities, condition, order and window (B120, B125, B128)")
  func resolving() throws {
    let company = Company()
    let request = FetchRequest<TypedPerson>(entityName: "Person").limit(5).offset(2).sorted(
      by: "name")
    let fetch = try company.resolver.resolve(request)
    #expect(fetch.entity === company.person)
    #expect(Set(fetch.entities.compactMap(\.name)) == ["Person", "Manager", "Robot"])
    #expect(fetch.predicate == nil)
    #expect(fetch.sort.count == 1)
    #expect(fetch.limit == 5)
    #expect(fetch.offset == 2)
    guard case .rows = fetch.result else {
      Issue.record("not rows")
      return
    }
    request.includesSubentities = false
    request.fetchLimit = 0
    request.predicate = .constant(true)
    let exact = try company.resolver.resolve(request)
    #expect(exact.entities.map(\.name) == ["Person"])
    #expect(exact.limit == nil)
    #expect(exact.predicate == nil)
    request.resultType = .managedObjectIDResultType
    guard case .keys = try company.resolver.resolve(request).result else {
      Issue.record("not keys")
      return
    }
    request.resultType = .countResultType
    guard case .count = try company.resolver.resolve(request).result else {
      Issue.record("not a count")
      return
    }
  }

  static let refused:
    [(String, PersistenceError.Code, @Sendable (FetchRequest<TypedPerson>) throws -> Void)] = [
      ("no entity", .invalidRequest, { $0.entityName = nil }),
      ("unknown entity (B138)", .unknownEntity, { $0.entityName = "Ghost" }),
      ("entity of another model (B138)", .unknownEntity, { $0.entity = Company().person }),
      ("negative limit", .invalidRequest, { $0.fetchLimit = -1 }),
      ("negative offset", .invalidRequest, { $0.fetchOffset = -1 }),
      ("negative batch size", .invalidRequest, { $0.fetchBatchSize = -1 }),
      (
        "combined result type", .invalidRequest,
        { $0.resultType = [.managedObjectIDResultType, .countResultType] }
      ),
      ("groups of objects (B134)", .invalidRequest, { $0.propertiesToGroupBy = ["name"] }),
      (
        "expression for objects (B132)", .invalidRequest,
        {
          $0.propertiesToFetch = [
            ExpressionDescription(name: "n", expression: FetchExpression.keyPath(["age"]))
          ]
        }
      ),
      ("unknown property for objects (B132)", .unknownKey, { $0.propertiesToFetch = ["nme"] }),
      ("unknown key", .unknownKey, { $0.predicate = try FetchPredicate("nme == 1") }),
      ("unknown order", .unknownKey, { $0.sortDescriptors = [SortOrdering("nme")] }),
    ]

  @Test("a request that contradicts itself or the model is refused", arguments: refused.indices)
  func refusal(_ index: Int) throws {
    let (name, code, change) = Self.refused[index]
    let request = FetchRequest<TypedPerson>(entityName: "Person")
    try change(request)
    #expect(thrownCode { try Company().resolver.resolve(request) } == code, "\(name)")
  }

  @Test("naming columns before the entity is an error (B133)")
  func columnsTooEarly() throws {
    let request = FetchRequest<[String: Value]>()
    request.propertiesToFetch = ["name"]
    request.entityName = "Person"
    #expect(thrownCode { try Company().resolver.resolve(request) } == .invalidRequest)
    let other = FetchRequest<[String: Value]>(entityName: "Person")
    other.propertiesToFetch = ["name"]
    _ = try Company().resolver.resolve(other)
  }

  @Test("prefetching follows relationships only (B127)")
  func prefetching() throws {
    let company = Company()
    let paths = try company.resolver.prefetchPaths(
      ["boss.department", "friends"], of: company.person)
    #expect(paths.map { $0.map(\.name) } == [["boss", "department"], ["friends"]])
    for path in ["name", "boss.name", "ghost", "", "boss..friends"] {
      #expect(
        thrownCode { try company.resolver.prefetchPaths([path], of: company.person) } == .unknownKey
      )
    }
  }

  @Test("a template is copied with all variables replaced, and stays as it is (B18)")
  func templates() throws {
    let model = ManagedObjectModel(entities: [EntityDescription(name: "Person")])
    let request = FetchRequest<TypedPerson>(entityName: "Person").limit(3)
    request.predicate = try FetchPredicate(
      "name == $name AND SUBQUERY(friends, $f, $f.age > $age).@count > 0 AND nick IN $nicks")
    try model.setFetchRequestTemplate(request, forName: "byName")
    request.fetchLimit = 99
    let made = try #require(
      try model.fetchRequestFromTemplate(
        withName: "byName", substitutionVariables: ["name": "Ada", "age": 5, "nicks": ["a", "b"]],
        as: TypedPerson.self))
    #expect(
      made.predicate?.predicateFormat
        == #"name == "Ada" AND SUBQUERY(friends, $f, $f.age > 5).@count > 0 AND nick IN {"a", "b"}"#
    )
    #expect(made.fetchLimit == 3)
    let stored = try #require(
      try model.fetchRequestTemplate(forName: "byName", as: TypedPerson.self))
    #expect(stored.predicate?.variableNames == ["name", "age", "nicks"])
    #expect(Array(model.fetchRequestTemplatesByName.keys) == ["byName"])
    let nothing = try model.fetchRequestFromTemplate(
      withName: "ghost", substitutionVariables: [:], as: TypedPerson.self)
    #expect(nothing == nil)
  }

  @Test("a missing variable is an error, NSNull and nil test nil, other types are refused (B18)")
  func templateErrors() throws {
    let model = ManagedObjectModel(entities: [EntityDescription(name: "Person")])
    let request = FetchRequest<TypedPerson>(entityName: "Person")
    request.predicate = try FetchPredicate("name == $name AND age > $age")
    try model.setFetchRequestTemplate(request, forName: "byName")
    func made(_ variables: [String: Any?]) throws -> String? {
      try model.fetchRequestFromTemplate(
        withName: "byName", substitutionVariables: variables, as: TypedPerson.self)?.predicate?
        .predicateFormat
    }
    #expect(thrownCode { try made(["name": "Ada"]) } == .invalidRequest)
    #expect(
      thrownCode { try made(["name": "Ada", "age": FileManager.default]) } == .invalidPredicate)
    #expect(try made(["name": NSNull(), "age": 3, "more": 1]) == "name == <null> AND age > 3")
    #expect(try made(["name": nil, "age": 3]) == "name == nil AND age > 3")
    try model.setFetchRequestTemplate(nil as FetchRequest<TypedPerson>?, forName: "byName")
    #expect(model.fetchRequestTemplatesByName.isEmpty)
  }

  @Test("a template's variable can be an object, whose key paths are looked up later (B306)")
  func fetchSource() throws {
    let company = Company()
    let predicate = try FetchPredicate(
      "department == $FETCH_SOURCE.department AND SELF != $FETCH_SOURCE"
    )
    .withSubstitutionVariables(["FETCH_SOURCE": company.id(4097)])
    var resolver = company.resolver
    resolver.objectValue = { _, path in
      #expect(path == ["department"])
      return .null
    }
    _ = try resolver.predicate(predicate, of: company.person)
  }

  @Test(
    "a template made with an entity's description works in a copy of the model, and in a merged one (B2, B17, B18)"
  )
  func templatesOfCopies() throws {
    let company = Company()
    let source = company.model.copy()
    let person = try #require(source.entitiesByName["Person"])
    let request = FetchRequest<[String: Value]>(entity: person)
    request.fetchLimit = 3
    try source.setFetchRequestTemplate(request, forName: "three")
    let merged = try ManagedObjectModel(byMerging: [source])
    for model in [source, source.copy(), merged] {
      let template = try #require(model.fetchRequestTemplate(forName: "three") as? FetchCriteria)
      #expect(template.entity == nil && template.fetchLimit == 3)
      let resolver = RequestResolver(model: model, now: Date())
      let entity = try resolver.entity(of: template)
      #expect(entity === model.entitiesByName["Person"])
    }
  }

  @Test("a validation predicate may choose by a condition on the value (B150)")
  func conditionsOnValues() throws {
    let predicate = try FetchPredicate("TERNARY(SELF > 5, 1, 0) == 1")
    let resolver = Company().resolver
    #expect(try resolver.evaluate(predicate, with: 6))
    #expect(try !resolver.evaluate(predicate, with: 5))
  }

  @Test("what a model knows as text is parsed when it is asked for")
  func unparsed() throws {
    #expect(try FetchPredicate(UnparsedPredicate("age = 5")).predicateFormat == "age == 5")
    #expect(
      try FetchExpression(UnparsedExpression("count:(pages)")).expressionFormat == "count:(pages)")
    #expect(thrownCode { try FetchPredicate(UnparsedPredicate("age =")) } == .invalidPredicate)
    let derived = DerivedAttributeDescription(name: "n", type: .integer64)
    derived.derivationExpression = try FetchExpression(format: "now()")
    #expect(derived.derivationExpression?.expressionFormat == "now()")
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct EntityClassTests {
  private let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel(Business.self, Item.self)
  }

  private func attribute(_ name: String) throws -> AttributeDescription {
    try #require(model.entitiesByName["Contact"]?.attributesByName[name])
  }

  private func relationship(_ entity: String, _ name: String) throws -> RelationshipDescription {
    try #require(model.entitiesByName[entity]?.relationshipsByName[name])
  }

  private func makeContext() throws -> ManagedObjectContext {
    let container = try PersistentContainer(name: "a", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    return ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  // MARK: - The model

  @Test("a model holds the classes, their superclasses and the destinations of relationships")
  func classes() throws {
    #expect(
      model.entities.map(\.name) == ["Business", "Contact", "Order", "Item", "Shelf"]
        || Set(model.entities.map(\.name)) == ["Business", "Contact", "Order", "Item", "Shelf"])
    let business = try #require(model.entitiesByName["Business"])
    #expect(business.superentity?.name == "Contact")
    #expect(business.managedObjectClass == Business.self)
    #expect(Business._entityDeclaration?.propertyNames.suffix(2) == ["size", "orders"])
    #expect(Business._entityDeclaration?.propertyNames.first == "email")
    #expect(throws: Never.self) { try model.check() }
  }

  @Test("what the macro says of the entity is in its description (B11, B14, B16, B248)")
  func entity() throws {
    let entity = try #require(model.entitiesByName["Contact"])
    #expect(entity.renamingIdentifier == "Person")
    #expect(entity.versionHashModifier == "2")
    let constraints = [["email"], ["name", "age"], ["nick", "age"], ["title"]]
    #expect(entity.uniquenessConstraints == constraints)
    let indexes = entity.indexes.map { $0.elements.map(\.propertyName) }
    #expect(indexes == [["age"], ["age", "name"], ["nick", "name"]])
    #expect(entity.userInfo["colour"] as? String == "red")
    #expect(model.configurations == ["Cloud", "Local"])
    #expect(model.entities(forConfigurationName: "Cloud") == [entity])
    #expect(!entity.isAbstract)
  }

  @Test("options and limits of attributes are in their descriptions (B8, B10)")
  func options() throws {
    let email = try attribute("email")
    #expect(!email.isOptional && email.preservesValueInHistoryOnDeletion)
    #expect(email.renamingIdentifier == "mail" && email.regularExpression == ".+@.+")
    #expect(email.defaultConstant.isNull)
    let name = try attribute("name")
    #expect(name.minLength == 1 && name.maxLength == 40 && name.minValue == nil)
    let age = try attribute("age")
    #expect(age.type == .integer32 && age.userInfo["unit"] as? String == "years")
    #expect(age.minValue == .integer(0) && age.maxValue == .integer(150))
    #expect(try attribute("weight").minValue == .double(0.5))
    let picture = try attribute("picture")
    #expect(picture.isOptional && picture.allowsExternalBinaryDataStorage)
    #expect(try attribute("draft").isTransient)
    #expect(try attribute("nick").isOptional && attribute("title").isOptional)
    let derived = try #require(try attribute("folded") as? DerivedAttributeDescription)
    #expect(derived.derivationExpression?.expressionFormat == "lowercase:(name)")
  }

  @Test("initial values are the defaults of the model (B10)")
  func defaults() throws {
    #expect(try attribute("name").defaultConstant == .string("Ada 2"))
    #expect(try attribute("age").defaultConstant == .integer(36))
    #expect(try attribute("nick").defaultConstant == .null)
    #expect(try attribute("membership").defaultConstant == .string("none"))
    #expect(try attribute("default").defaultConstant == .double(1.5))
  }

  @Test("raw values and codecs give an attribute its type (B64)")
  func conversions() throws {
    #expect(try attribute("membership").type == .string)
    #expect(try !attribute("membership").isOptional && attribute("earlier").isOptional)
    #expect(try attribute("level").type == .integer16)
    for name in ["address", "summer", "tags", "scores"] {
      #expect(try attribute(name).type == .transformable)
      #expect(throws: Never.self) { try attribute(name).codec() }
    }
    #expect(try attribute("summer").isOptional && !attribute("address").isOptional)
  }

  @Test("properties between conditions belong to the model when they are compiled")
  func conditions() throws {
    #if DEBUG
    let names = (there: "debugNote", notThere: "releaseNote")
    #else
    let names = (there: "releaseNote", notThere: "debugNote")
    #endif
    #expect(throws: Never.self) { try attribute(names.there) }
    #expect(model.entitiesByName["Contact"]?.attributesByName[names.notThere] == nil)
  }

  @Test("a relationship is what its type and its macro say (B7, B8, B9)")
  func relationships() throws {
    let orders = try relationship("Business", "orders")
    #expect(orders.isToMany && orders.isOrdered && orders.isOptional)
    let seller = try relationship("Order", "seller")
    #expect(!seller.isToMany && !seller.isOptional && seller.maxCount == 1)
    let items = try relationship("Order", "items")
    #expect(items.deleteRule == .deny && items.minCount == 1 && items.maxCount == 5)
    #expect(!items.isOptional && !items.isOrdered)
    let hints = try relationship("Order", "hints")
    #expect(hints.isOrdered && hints.isTransient && hints.inverseRelationship == nil)
    #expect(try relationship("Order", "unrelated").inverseRelationship == nil)
  }

  @Test("inverses are found, whichever side names them")
  func inverses() throws {
    let pairs = [
      ("Business", "orders", "Order", "seller"), ("Order", "items", "Item", "orders"),
      ("Shelf", "items", "Item", "shelf"), ("Item", "whole", "Item", "parts"),
    ]
    for (entity, name, other, inverse) in pairs {
      let first = try relationship(entity, name)
      let second = try relationship(other, inverse)
      #expect(first.inverseRelationship == second && second.inverseRelationship == first)
      #expect(first.destinationEntity == second.entity)
    }
  }

  @Test("a class that declares no entity is refused with a sentence")
  func missingMacro() throws {
    class Plain: ManagedObject {}
    final class Derived: ContactCard {}
    for objectClass in [Plain.self, Derived.self] as [ManagedObject.Type] {
      #expect(code { _ = try ManagedObjectModel(objectClass) } == .invalidModel)
    }
  }

  // MARK: - Objects

  @Test("new objects have the initial values (B10)")
  func newObject() throws {
    let context = try makeContext()
    let object = Business(context: context)
    #expect(object.name == "Ada 2" && object.age == 36 && object.nick == nil)
    #expect(object.title == "Dr" && object.default == 1.5 && object.picture == Data([1, 2]))
    #expect(object.membership == .none && object.earlier == nil)
    #expect(object.address == Address(street: "Main", lines: ["1"]) && object.summer == nil)
    #expect(object.tags == ["a"] && object.scores.isEmpty && object.email.isEmpty)
    #expect(object.born == Date(timeIntervalSinceReferenceDate: 1) && object.size == 3)
    #expect(object.draft == 7 && object.constant == 3 && object.computed == "Ada 2 36")
  }

  @Test("an initial value that is no literal is made anew for each object")
  func renewedDefaults() throws {
    let context = try makeContext()
    let tokens = Set((0..<10).map { _ in Business(context: context).token })
    #expect(tokens.count == 10)
    guard case .uuid = try attribute("token").defaultConstant else {
      Issue.record("the model has a default for records of an earlier version")
      return
    }
  }

  @Test("every kind of property is saved and read again in another context")
  func roundTrip() throws {
    let context = try makeContext()
    let object = Business(context: context)
    object.email = "ada@example.org"
    object.name = "Ada"
    object.level = .high
    object.membership = .member
    object.earlier = .guest
    object.address.lines.append("2")
    object.summer = Address(street: "Sea")
    object.tags += ["b"]
    object.scores["x"] = 1
    object.title = nil
    object.counter += 5
    object.size = 99
    object.observed = 1
    object.observed = 2
    #expect(object.changes == 2)
    try context.save()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let other = ManagedObjectContext(coordinator: coordinator)
    let found = try #require(try other.fetch(Business.fetchRequest()).first)
    #expect(found.email == "ada@example.org" && found.name == "Ada" && found.size == 99)
    #expect(found.level == .high && found.membership == .member && found.earlier == .guest)
    #expect(found.address == Address(street: "Main", lines: ["1", "2"]))
    #expect(found.summer == Address(street: "Sea") && found.tags == ["a", "b"])
    #expect(found.scores == ["x": 1] && found.title == nil && found.counter == 5)
    #expect(found.observed == 0)
  }

  @Test("a raw value that stands for nothing reads as the initial value, or as nil")
  func unknownRawValue() throws {
    let context = try makeContext()
    let object = Business(context: context)
    try object.setValue("something new", forKey: "membership")
    try object.setValue("something new", forKey: "earlier")
    #expect(object.membership == .none)
    #expect(object.earlier == nil)
  }

  @Test("both sides of a relationship follow one another (B65, B68)")
  func graph() throws {
    let context = try makeContext()
    let business = Business(context: context)
    let orders = [Order(context: context), Order(context: context)]
    business.orders = orders
    #expect(orders.allSatisfy { $0.seller === business })
    let item = Item(context: context)
    item.orders = [orders[0]]
    #expect(orders[0].items == [item] && orders[1].items.isEmpty)
    let part = Item(context: context)
    part.whole = item
    #expect(item.parts == [part])
    business.orders.reverse()
    #expect(
      business.orders.map(ObjectIdentifier.init) == orders.reversed().map(ObjectIdentifier.init))
  }

  @Test("key paths of entity classes have names")
  func names() {
    #expect(Business.propertyPath(for: \Business.size) == ["size"])
    #expect(Business.propertyPath(for: \Business.email) == ["email"])
    #expect(Business.propertyPath(for: \Business.membership) == ["membership"])
    #expect(Item.propertyPath(for: \Item.whole?.shelf) == ["whole", "shelf"])
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Roost
import RoostInMemory
import Synchronization
import Testing

@Suite("Structs as composite attributes") struct CompositeTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try PersistentContainer(
      name: "clients",
      model: ManagedObjectModel(Client.self, VIPClient.self, Purchase.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  private func seed(_ cities: String?...) throws {
    for (index, city) in cities.enumerated() {
      let client = Client(context: context)
      client.name = "\(index)"
      client.address.city = city
    }
    try context.save()
  }

  private func names(_ request: FetchRequest<Client>) throws -> [String] {
    try context.fetch(request.sorted(by: \.name)).map(\.name)
  }

  // MARK: - The model

  @Test("each property of the struct is an element with its own rules and default (B311)")
  func descriptions() throws {
    let model = try ManagedObjectModel(Client.self)
    let entity = try #require(model.entitiesByName["Client"])
    let address = try #require(
      entity.attributesByName["address"] as? CompositeAttributeDescription)
    #expect(
      address.elements.map(\.name) == [
        "street", "city", "zip", "kind", "otherKind", "position", "entrance", "isChecked",
        "isPrivate", "tags", "remark", "otherRemark", "id",
      ])
    let elements = address.elements.compactMap { $0 as? AttributeDescription }
    #expect(elements[0].defaultValue as? String == "Main" && elements[0].maxLength == 20)
    #expect(!elements[0].isOptional && elements[1].isOptional && !address.isOptional)
    #expect(elements[2].type == .integer32 && elements[3].type == .string)
    #expect(elements[10].type == .transformable)
    let billing = try #require(
      entity.attributesByName["billing"] as? CompositeAttributeDescription)
    let optional = billing.elements.compactMap { $0 as? AttributeDescription }
    #expect(billing.isOptional && optional.allSatisfy { $0.isOptional })
    #expect(optional.allSatisfy { $0.defaultValue == nil })
    #expect(
      entity.indexes.flatMap(\.elements).compactMap(\.propertyName) == [
        "address.city", "billing.city",
      ])
    #expect(throws: Never.self) { try model.check() }
  }

  @Test("a class whose struct has elements that its entity does not have is refused")
  func mismatch() throws {
    let entity = EntityDescription(name: "Client")
    let place = CompositeAttributeDescription()
    place.name = "address"
    place.elements = [AttributeDescription(name: "street", type: .string)]
    entity.properties = [AttributeDescription(name: "name", type: .string), place]
    let model = ManagedObjectModel(entities: [entity])
    try model.setClasses(Client.self)
    let error = #expect(throws: PersistenceError.self) {
      let container = try PersistentContainer(name: "x", model: model, stores: [.inMemory()])
      try container.loadPersistentStores()
    }
    #expect("\(try #require(error))".contains("city"))
  }

  // MARK: - Values

  @Test("a new object has the initial values, and an optional composite is nil (B10, B311)")
  func initialValues() throws {
    let client = VIPClient(context: context)
    #expect(client.address.street == "Main" && client.address.city == "Bern")
    #expect(client.address.zip == 1000 && client.address.kind == .home)
    #expect(client.address.position == MapPosition() && client.address.entrance == nil)
    #expect(client.address.remark == PostalRemark() && client.address.otherRemark == nil)
    #expect(client.billing == nil && client.span == nil)
    #expect(client.home == MapPosition(latitude: 1, longitude: 2))
    #expect(client.plain.street == "" && client.plain.zip == 1000)
    let other = VIPClient(context: context)
    #expect(client.address.id != other.address.id, "the expression runs for each object")
    #expect(client.plain.id != other.plain.id)
    #expect(client.plain.id == client.plain.id)
  }

  @Test("every element is saved and read again (B311)")
  func saving() throws {
    let client = VIPClient(context: context)
    let address = PostalAddress(
      street: "Side", city: nil, zip: 7, kind: .depot, otherKind: .office,
      position: MapPosition(latitude: 1.5, longitude: -2, height: 3),
      entrance: MapPosition(latitude: 9),
      isChecked: true, isPrivate: false, tags: ["a", "b"], remark: PostalRemark(text: "x"),
      otherRemark: PostalRemark(), id: UUID())
    client.address = address
    client.billing = address
    client.span = YearSpan(first: 1, last: 2)
    client.home.height = 12
    try context.save()
    let other = container.newBackgroundContext()
    try other.performAndWait {
      let stored = try #require(try other.fetch(VIPClient.fetchRequest()).first)
      #expect(stored.address == address && stored.billing == address)
      #expect(stored.span == YearSpan(first: 1, last: 2))
      #expect(stored.home == MapPosition(latitude: 1, longitude: 2, height: 12))
      stored.billing = nil
      stored.span = nil
      try other.save()
    }
    try context.refresh(client, mergeChanges: false)
    #expect(client.billing == nil && client.span == nil && client.address == address)
  }

  @Test("an optional composite is nil exactly when all its elements are (B311)")
  func nothing() throws {
    let client = Client(context: context)
    client.billing = PostalAddress(city: "Bern")
    #expect(client.billing?.street == "" && client.billing?.entrance == nil)
    client.billing?.entrance = MapPosition(height: 2)
    #expect(client.billing?.entrance?.height == 2)
    try client.setValue(nil, forKey: "billing")
    #expect(client.billing == nil)
    try client.setValue("Chur", forKey: "billing.city")
    #expect(client.billing?.city == "Chur")
    // What is missing reads as the initial value of the struct.
    #expect(client.billing?.zip == 1000 && client.billing?.kind == .home)
    #expect(client.billing?.remark == PostalRemark() && client.billing?.isShown == true)
    try client.setValue(nil, forKey: "billing.city")
    #expect(client.billing == nil)
  }

  // MARK: - Changes

  @Test("setting an element is a change of the composite, and can be undone (B311)")
  func changes() throws {
    try seed("Bern")
    context.undoManager = ChangeUndoManager()
    let client = try #require(try context.fetch(Client.fetchRequest()).first)
    client.address.city = "Paris"
    #expect(client.hasChanges && Array(client.changedValues().keys) == ["address"])
    context.processPendingChanges()
    context.undo()
    #expect(client.address.city == "Bern")
    context.redo()
    #expect(client.address.city == "Paris")
    context.rollback()
    #expect(client.address.city == "Bern" && !client.hasChanges)
  }

  @Test("observers are told of elements")
  func observation() throws {
    try seed("Bern")
    context.allowsObservation = true
    let client = try #require(try context.fetch(Client.fetchRequest()).first)
    let flag = Mutex(false)
    let city = withObservationTracking {
      client.address.city
    } onChange: {
      flag.withLock { $0 = true }
    }
    #expect(city == "Bern" && !flag.withLock { $0 })
    client.address.zip = 3
    #expect(flag.withLock { $0 } && client.address.zip == 3)
  }

  @Test("elements have rules, and a method of the class checks the struct (B150, B151)")
  func validation() throws {
    let client = Client(context: context)
    client.address.street = String(repeating: "x", count: 21)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .validationStringTooLong && error?.key == "address.street")
    client.address.street = "x"
    client.span = YearSpan(first: 3, last: 1)
    try context.save()
    #expect(client.span == YearSpan(first: 1, last: 3))
    try client.setValue(nil, forKey: "address.street")
    let missing = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(missing?.code == .validationMissingMandatoryProperty)
  }

  // MARK: - Requests

  @Test("conditions and orders name elements by key paths (B311)")
  func conditions() throws {
    try seed("Bern", "Chur", nil, "Bern")
    #expect(try names(Client.where { $0.address.city == "Bern" }) == ["0", "3"])
    #expect(try names(Client.where { $0.address.city == nil }) == ["2"])
    #expect(try names(Client.where { $0.address.kind == .office }) == [])
    #expect(try names(Client.where { $0.address.otherKind == .office }) == [])
    #expect(try names(Client.where { $0.address.position.latitude < 1 }).count == 4)
    #expect(try names(Client.where { $0.address.street.hasPrefix("Ma") }).count == 4)
    let client = try #require(try context.first(Client.where { $0.address.city == "Chur" }))
    client.billing = PostalAddress(city: "Genf", entrance: MapPosition(latitude: 4))
    let order = Purchase(context: context)
    order.client = client
    try context.save()
    #expect(try names(Client.where { $0.billing == nil }) == ["0", "2", "3"])
    #expect(try names(Client.where { $0.billing != nil }) == ["1"])
    #expect(try names(Client.where { $0.billing.entrance.latitude == 4 }) == ["1"])
    #expect(try names(Client.where { $0.span == nil && $0.billing.city == "Genf" }) == ["1"])
    let position = MapPosition()
    #expect(try names(Client.where { $0.address.position == position }).count == 4)
    #expect(try names(Client.where { $0.address.position != position }) == [])
    let orders = try context.fetch(Purchase.where { $0.client.billing.city == "Genf" })
    #expect(orders == [order])
    let sorted = try context.fetch(
      Client.fetchRequest().sorted(by: \.address.city, ascending: false).sorted(by: \.name))
    #expect(sorted.map(\.name) == ["1", "0", "3", "2"])
    #expect(try context.find(Client.self, \.address.city, "Chur") == client)
    let rows = try context.select(Client.self) { ($0.name, $0.address.city, $0.billing.city) }
      .where { $0.address.city != nil }.sorted(by: \.name).fetch()
    #expect(rows.map { "\($0.0)\($0.1 ?? "")\($0.2 ?? "-")" } == ["0Bern-", "1ChurGenf", "3Bern-"])
  }

  @Test("key paths name elements, and those that compute are refused (B311)")
  func keyPaths() {
    let paths: [(AnyKeyPath, String?)] = [
      (\Client.address.city, "address.city"), (\Client.address, "address"),
      (\Client.billing?.city, "billing.city"), (\Client.billing, "billing"),
      (\Client.address.isChecked, "address.isChecked"),
      (\Client.address.isPrivate, "address.isPrivate"), (\Client.address.kind, "address.kind"),
      (\Client.address.otherKind, "address.otherKind"), (\Client.address.id, "address.id"),
      (\Client.address.tags, "address.tags"), (\Client.address.remark, "address.remark"),
      (\Client.address.position.latitude, "address.position.latitude"),
      (\Client.address.position.longitude, "address.position.longitude"),
      (\Client.address.position, "address.position"),
      (\Client.address.entrance, "address.entrance"),
      (\Client.billing?.entrance?.height, "billing.entrance.height"),
      (\Client.billing!.zip, "billing.zip"), (\Client.span?.last, "span.last"),
      (\Purchase.client?.address.city, "client.address.city"),
      (\Purchase.client?.billing?.position.longitude, "client.billing.position.longitude"),
      (\Client.address.line, nil), (\Client.address.street.count, nil),
      (\Client.address.isShown, nil), (\Client.address.city?.count, nil),
    ]
    for (keyPath, name) in paths {
      let root = keyPath is PartialKeyPath<Purchase> ? Purchase.self : Client.self
      #expect(root.propertyPath(for: keyPath)?.joined(separator: ".") == name, "\(keyPath)")
    }
  }

  @Test("a request for some elements makes objects that have them (B132)")
  func partialObjects() throws {
    try seed("Bern")
    let other = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
    let request = Client.fetchRequest()
    request.propertiesToFetch = ["address"]
    let client = try #require(try other.fetch(request).first)
    #expect(client.address.city == "Bern" && client.isFault)
    #expect(client.name == "0" && !client.isFault)
    let third = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
    let fewer = Client.fetchRequest()
    fewer.propertiesToFetch = ["address.city"]
    let half = try #require(try third.fetch(fewer).first)
    #expect(half.address.street == "Main" && !half.isFault)
  }

  // MARK: - Values beside objects

  @Test("the values of a class have composites, as nested objects in JSON")
  func values() throws {
    let values = Client.Values(
      name: "a", address: PostalAddress(street: "s", city: nil, zip: 5, tags: ["t"]),
      billing: PostalAddress(city: "Genf", entrance: MapPosition(height: 1)), span: nil)
    #expect(values.address.zip == 5 && values.billing?.entrance?.height == 1)
    #expect(values.span == nil)
    let client = Client(values, context: context)
    #expect(client.address == values.address && client.billing == values.billing)
    #expect(client.values == values)
    let json = try JSONEncoder().encode(values)
    #expect(try JSONDecoder().decode(Client.Values.self, from: json) == values)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""entrance":{"#) && !text.contains("span"))
    let short = try JSONDecoder().decode(
      Client.Values.self, from: Data(#"{"name": "b", "address": {"city": "Chur"}}"#.utf8))
    #expect(short.address.city == "Chur" && short.address.zip == 1000 && short.billing == nil)
    context.delete(client)
    try context.insertBatch([values, short])
    #expect(try names(Client.where { $0.billing.entrance.height == 1 }) == ["a"])
    #expect(try names(Client.where { $0.address.city == "Chur" }) == ["b"])
    var vip = VIPClient.Values(
      values, home: MapPosition(latitude: 8), plain: PostalAddress(street: "q"))
    #expect(vip.address == values.address && vip.plain.street == "q")
    vip.address.city = "X"
    #expect(VIPClient(vip, context: context).address.city == "X")
  }

  @Test("an object's values are printed element by element")
  func printing() throws {
    let client = Client(context: context)
    var text = ""
    dump(client, to: &text)
    #expect(text.contains("Bern") && text.contains("street"))
  }
}

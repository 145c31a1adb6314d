// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCoreDataNames
import Testing

/// An object with attributes of any type, some of which name one of Foundation's transformers.
final class Parcel: NSManagedObject {
  @Managed var content: Any?
  @Managed var link: URL?
  @Managed var key: UUID?
  @Managed var labels: Set<String>?
}

@Suite("Transformable attributes without a transformer of their own")
struct TransformableTests {
  private func makeContext() throws -> NSManagedObjectContext {
    let entity = NSEntityDescription()
    entity.name = "Parcel"
    entity.managedObjectClassName = "Parcel"
    let names = [
      "content": nil, "link": "NSSecureUnarchiveFromData",
      "key": "NSSecureUnarchiveFromDataTransformer", "labels": "NSKeyedUnarchiveFromData",
    ]
    entity.properties = names.sorted { $0.key < $1.key }.map { name, transformer in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .transformableAttributeType
      attribute.valueTransformerName = transformer
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Returns the value read at once, and the value read after a save by another context.
  private func readings(_ value: Any) throws -> [Any?] {
    let context = try makeContext()
    let parcel = Parcel(context: context)
    parcel.content = value
    let first = parcel.content
    try context.save()
    let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    let parcels = try other.fetch(NSFetchRequest<Parcel>(entityName: "Parcel"))
    return [first, parcels.first?.content]
  }

  @Test("a value keeps its type: a URL, a UUID, a date, bytes, collections (B64)")
  func types() throws {
    let url = try #require(URL(string: "https://example.org/a"))
    let uuid = UUID()
    for value in try readings(url) { #expect(value as? URL == url) }
    for value in try readings(uuid) { #expect(value as? UUID == uuid) }
    for value in try readings(Date(timeIntervalSinceReferenceDate: 0.1)) {
      #expect(value as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
    }
    for value in try readings(Data([1, 2])) { #expect(value as? Data == Data([1, 2])) }
    for value in try readings(["a", "b"] as Set) { #expect(value as? Set<String> == ["a", "b"]) }
    for value in try readings(["a": [url]]) { #expect(value as? [String: [URL]] == ["a": [url]]) }
    for value in try readings(["a": NSNull()]) {
      #expect((value as? [String: Any])?["a"] is NSNull)
    }
  }

  @Test("a number is what it was: no truth value for 1, no integer for 2.0 (B64)")
  func numbers() throws {
    for value in try readings(NSNumber(value: 1)) {
      #expect(value as? Int == 1)
      #expect("\(value ?? "")" == "1")
    }
    for value in try readings(NSNumber(value: 2.0)) { #expect(value as? Double == 2) }
    for value in try readings(2.0) { #expect(value as? Double == 2) }
    for value in try readings(true) { #expect(value as? Bool == true) }
    for value in try readings(Int16(7)) { #expect(value as? Int == 7) }
    for value in try readings(Double.infinity) { #expect(value as? Double == .infinity) }
    for value in try readings([1, 2] as [Int16]) { #expect(value as? [Int] == [1, 2]) }
    let exact = try #require(Decimal(string: "12345678901234567890.123456789"))
    for value in try readings(exact) { #expect(value as? Decimal == exact) }
  }

  @Test("typed properties read what was set, whatever the name of the transformer")
  func typed() throws {
    let context = try makeContext()
    let parcel = Parcel(context: context)
    let url = try #require(URL(string: "https://example.org/a"))
    parcel.link = url
    parcel.key = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    parcel.labels = ["fragile", "heavy"]
    try context.save()
    context.refresh(parcel, mergeChanges: false)
    #expect(parcel.link == url)
    #expect(parcel.key?.uuidString == "01020304-0506-0708-090A-0B0C0D0E0F10")
    #expect(parcel.labels == ["fragile", "heavy"])
  }

  @Test("an equal collection is no change, in whatever order it is gone through (B55)")
  func equalCollections() throws {
    let context = try makeContext()
    let parcel = Parcel(context: context)
    let words = (0..<40).map { "word \($0)" }
    parcel.labels = Set(words)
    parcel.content = Dictionary(uniqueKeysWithValues: words.map { ($0, 1) })
    try context.save()
    for _ in 0..<10 {
      parcel.labels = Set(words.shuffled())
      parcel.content = Dictionary(uniqueKeysWithValues: words.shuffled().map { ($0, 1) })
      #expect(parcel.changedValues().isEmpty)
    }
  }

  @Test("what is no property list ends the program when it is set: it could not be read again")
  func refused() async {
    await #expect(processExitsWith: .failure) {
      struct Point { var x = 0 }
      let context = try TransformableTests().makeContext()
      let parcel = Parcel(context: context)
      parcel.content = Point()
    }
  }

  @Test("a transformer that was removed is used no more")
  func removal() throws {
    final class Plain: ValueTransformer, @unchecked Sendable {
      // Sendable: it has no state.
      override func transformedValue(_ value: Any?) -> Any? {
        (value as? String).map { Data($0.utf8) }
      }
      override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(decoding: $0, as: UTF8.self) }
      }
    }
    let attribute = NSAttributeDescription()
    attribute.attributeType = .transformableAttributeType
    attribute.valueTransformerName = "TransformableTests.Plain"
    let name = NSValueTransformerName("TransformableTests.Plain")
    ValueTransformer.setValueTransformer(Plain(), forName: name)
    let value = try attribute.makeValue(from: "a")
    #expect(try attribute.makeAny(from: value) as? String == "a")
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
    let error = #expect(throws: PersistenceError.self) { try attribute.makeValue(from: "a") }
    #expect(error?.code == .transformation)
  }

  @Test("an option is the number that was given, not a truth value")
  func options() throws {
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    description.setOption(NSNumber(value: 1), forKey: NSPersistentStoreTimeoutOption)
    #expect(try description.makeDescription().timeout == 1)
    description.setOption(NSNumber(value: 2.5), forKey: NSPersistentStoreTimeoutOption)
    #expect(try description.makeDescription().timeout == 2.5)
    description.setOption(NSNumber(value: true), forKey: NSReadOnlyPersistentStoreOption)
    #expect(try description.makeDescription().isReadOnly)
  }
}

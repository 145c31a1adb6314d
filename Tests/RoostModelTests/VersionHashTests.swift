// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Version hashes")
struct VersionHashTests {
  @Test(
    "entities have the hashes that Apple's framework wrote into real stores (B248, B249)",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
  func vectors() throws {
    let rows = try Fixtures.table("hash-vectors.tsv")
    #expect(rows.count > 30)
    for row in rows {
      let model = try Fixtures.model(row[0])
      let entity = try #require(model.entitiesByName[row[1]], "\(row[0]) has no \(row[1])")
      #expect(hexadecimal(entity.versionHash) == row[2], "\(row[0]) \(row[1])")
    }
  }

  @Test("digest and checksum of a whole model are those that Apple's framework wrote (B252)")
  func digests() throws {
    let hash: [UInt8] = [
      0x6b, 0x31, 0xf4, 0xe9, 0x7b, 0x69, 0x1d, 0x16, 0xc4, 0xc8, 0x20, 0xba, 0xe5, 0x5f, 0x89,
      0x40, 0x8d, 0x47, 0x01, 0x3b, 0xd4, 0x21, 0x51, 0xec, 0xfd, 0xe1, 0xea, 0xc7, 0xfe, 0x4b,
      0xe7, 0x98,
    ]
    let hashes = ["User": Data(hash)]
    #expect(
      ManagedObjectModel.versionHashesDigest(of: hashes)
        == "0KLB/FnL8roMcgeszeCxnPnvYqnn4VzB2DpFP6csqrDKzLB6fyG5rrVf"
        + "jY5DtnQxx4355oWuKFublPf2Jo1UWg=="
    )
    #expect(
      ManagedObjectModel.versionChecksum(of: hashes)
        == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
  }

  @Test("SHA-256 gives the digests of FIPS 180-4")
  func sha256() {
    #expect(
      hexadecimal(SHA256.hash("".utf8))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      hexadecimal(SHA256.hash("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hexadecimal(SHA256.hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      hexadecimal(SHA256.hash(repeatElement(UInt8(ascii: "a"), count: 1_000_000)))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("SHA-512 gives the digests of FIPS 180-4")
  func sha512() {
    #expect(
      hexadecimal(SHA512.hash("abc".utf8))
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    #expect(
      hexadecimal(SHA512.hash(repeatElement(UInt8(ascii: "a"), count: 1_000_000)))
        == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
        + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
  }

  @Test(
    "digests do not depend on where blocks end",
    arguments: [0, 1, 54, 55, 56, 63, 64, 65, 110, 111, 112, 127, 128, 129, 200])
  func blocks(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    var split256 = SHA256()
    var split512 = SHA512()
    for byte in bytes {
      split256.update([byte])
      split512.update([byte])
    }
    #expect(split256.finish() == SHA256.hash(bytes))
    #expect(split512.finish() == SHA512.hash(bytes))
  }
}

@Suite("What a version hash sees")
struct VersionHashRelevanceTests {
  /// Returns the names of the entities whose hashes an edit changes.
  private func changed(_ edit: (Company) throws -> Void) rethrows -> Set<String> {
    let company = Company()
    let before = company.model.entityVersionHashesByName
    try edit(company)
    let after = company.model.entityVersionHashesByName
    return Set(Set(before.keys).union(after.keys).filter { before[$0] != after[$0] })
  }

  @Test("an entity's name, parent, abstractness, properties, modifier and constraints count (B248)")
  func entityRelevant() {
    #expect(changed { $0.tag.name = "Label" } == ["Tag", "Label", "Person", "Employee"])
    #expect(changed { $0.person.subentities = [] } == ["Employee"])
    #expect(changed { $0.tag.subentities = [$0.department] } == ["Department"])
    #expect(changed { $0.person.isAbstract = true } == ["Person", "Employee"])
    #expect(changed { $0.employee.properties = [] } == ["Employee"])
    #expect(changed { $0.tag.versionHashModifier = "2" } == ["Tag"])
    #expect(changed { $0.person.uniquenessConstraints = [["name"]] } == ["Person", "Employee"])
  }

  @Test(
    "class names, rules, indexes, defaults and labels do not count (B248, B10, B12, B250)"
  )
  func entityIrrelevant() throws {
    let edits: [(Company) throws -> Void] = [
      { $0.person.managedObjectClassName = "Human" },
      { $0.person.userInfo = ["a": 1] },
      { $0.name.userInfo = ["a": 1] },
      {
        try $0.name.setValidationPredicates(
          [UnparsedPredicate("SELF != ''")], withValidationWarnings: ["empty"])
      },
      { $0.age.minValue = 1 },
      { $0.age.defaultValue = 5 },
      {
        $0.person.indexes = [
          FetchIndexDescription(
            name: "i", elements: [FetchIndexElementDescription(property: $0.name)])
        ]
      },
      { try $0.model.setFetchRequestTemplate(Template("Tag"), forName: "tags") },
      { $0.model.versionIdentifiers = ["2.0"] },
      { try $0.model.setEntities([$0.tag], forConfigurationName: "Tags") },
      { $0.person.renamingIdentifier = "Human" },
      { $0.name.renamingIdentifier = "fullName" },
      { $0.people.deleteRule = .deny },
      { $0.name.valueTransformerName = "x" },
    ]
    for edit in edits { #expect(try changed(edit).isEmpty) }
  }

  @Test("a property's name, optionality, transience, modifier and type count (B249)")
  func attributesRelevant() {
    let edits: [(Company) -> Void] = [
      { $0.age.name = "years" }, { $0.age.isOptional = false }, { $0.age.isTransient = true },
      { $0.age.versionHashModifier = "2" }, { $0.age.type = .integer32 },
      { $0.age.allowsExternalBinaryDataStorage = true },
      { $0.age.preservesValueInHistoryOnDeletion = true },
    ]
    for edit in edits { #expect(changed(edit) == ["Person", "Employee"]) }
  }

  @Test("a relationship's destination, inverse, counts and order count (B249)")
  func relationshipsRelevant() {
    #expect(changed { $0.people.destinationEntity = $0.employee } == ["Department"])
    #expect(changed { $0.people.inverseRelationship = nil } == ["Department"])
    #expect(changed { $0.people.minCount = 1 } == ["Department"])
    #expect(changed { $0.people.maxCount = 9 } == ["Department"])
    #expect(changed { $0.people.isOrdered = false } == ["Department"])
    #expect(changed { $0.office.name = "place" } == ["Person", "Employee", "Department"])
  }

  @Test("fetched and transient properties do not count, composites do by their elements")
  func kinds() {
    #expect(
      changed {
        $0.tag.properties += [
          FetchedPropertyDescription(name: "f"), transient(AttributeDescription(name: "t")),
        ]
      } == [])
    let city = AttributeDescription(name: "city", type: .string)
    #expect(
      changed {
        $0.tag.properties.append(CompositeAttributeDescription(name: "a", elements: [city]))
      } == ["Tag"])
  }

  @Test(
    "the order of a composite's elements does not count, nor that of equal names within it (B248)")
  func elementOrder() {
    func route(isReversed: Bool) -> CompositeAttributeDescription {
      let ends = [("from", true), ("to", false)].map { name, isOptional in
        let city = AttributeDescription(name: "city", type: .string)
        city.isOptional = isOptional
        return CompositeAttributeDescription(name: name, elements: [city])
      }
      return CompositeAttributeDescription(
        name: "route", elements: isReversed ? ends.reversed() : ends)
    }
    #expect(route(isReversed: true).versionHash == route(isReversed: false).versionHash)
  }

  private func transient(_ attribute: AttributeDescription) -> AttributeDescription {
    attribute.isTransient = true
    return attribute
  }

  @Test("a configuration fits a store with its own entities' hashes only (B246, B251)")
  func configurations() throws {
    let company = Company()
    try company.model.setEntities([company.tag], forConfigurationName: "Tags")
    let all = company.model.entityVersionHashesByName
    let tags = all.filter { $0.key == "Tag" }
    for _ in 0..<2 {
      let model = company.model
      #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: all))
      #expect(model.isConfiguration(withName: "Tags", compatibleWithStoreMetadata: tags))
      #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: tags))
      #expect(!model.isConfiguration(withName: "Tags", compatibleWithStoreMetadata: all))
      #expect(!model.isConfiguration(withName: "None", compatibleWithStoreMetadata: tags))
      #expect(
        !model.isConfiguration(
          withName: "Tags", compatibleWithStoreMetadata: ["Tag": Data(count: 32)]))
      try model.freeze()
    }
  }

  @Test("the checksum changes exactly when the hash of an entity does (B252)")
  func checksum() {
    let company = Company()
    let checksum = company.model.versionChecksum
    #expect(Data(base64Encoded: checksum)?.count == 32)
    company.age.defaultValue = 3
    company.model.entities.reverse()
    #expect(company.model.versionChecksum == checksum)
    company.age.isOptional = false
    #expect(company.model.versionChecksum != checksum)
  }
}

func hexadecimal(_ data: Data) -> String {
  data.map { byte in
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }.joined()
}

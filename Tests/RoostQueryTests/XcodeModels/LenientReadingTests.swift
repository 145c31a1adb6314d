// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import Testing

/// Tests of files of real programs that Xcode has written or left in an apparently invalid state.
@Suite("Models that Xcode accepts")
struct LenientReadingTests {
  private func model(attribute: String) throws -> ManagedObjectModel {
    try ModelFolder().model(
      "<model><entity name='A'>\n<attribute name='x' optional='YES' \(attribute)/></entity></model>"
    )
  }

  private func attribute(_ text: String) throws -> AttributeDescription {
    try #require(try model(attribute: text).entitiesByName["A"]?.attributesByName["x"])
  }

  @Test("a derived attribute is hashed as Xcode's compiler spells its expression (I1)")
  func derivations() throws {
    let model = try ModelFolder().model(
      """
      <model><entity name="A">
        <attribute name="n" optional="YES" attributeType="Integer 64" derived="YES"
          derivationExpression="bs.@count"/>
        <attribute name="s" optional="YES" attributeType="Integer 64" derived="YES"
          derivationExpression="bs.@sum.x"/>
        <relationship name="bs" optional="YES" toMany="YES" destinationEntity="B" inverseName="a"
          inverseEntity="B"/>
      </entity><entity name="B">
        <attribute name="x" optional="YES" attributeType="Integer 64"/>
        <relationship name="a" optional="YES" maxCount="1" destinationEntity="A" inverseName="bs"
          inverseEntity="A"/>
      </entity></model>
      """)
    let attributes = try #require(model.entitiesByName["A"]?.attributesByName)
    let count = try #require(attributes["n"] as? DerivedAttributeDescription)
    let sum = try #require(attributes["s"] as? DerivedAttributeDescription)
    #expect(count.derivationExpression?.expressionFormat == "count:(bs)")
    #expect(sum.derivationExpression?.expressionFormat == "sum:(bs.x)")
    let spelled = DerivedAttributeDescription(name: "n", type: .integer64)
    spelled.derivationExpression = UnparsedExpression("count:(bs)")
    #expect(count.versionHash == spelled.versionHash)
  }

  @Test(
    "an expression that counts or sums up is spelled in one way, every other as it is (I1)",
    arguments: [
      ("a.@count", "count:(a)"), ("a.b.@count", "count:(a.b)"), ("a.@sum.b", "sum:(a.b)"),
      ("a.b.@sum", "sum:(a.b)"),
      ("count:(a)", "count:(a)"), ("canonical:(a)", "canonical:(a)"), ("a.b", "a.b"),
      ("now()", "now()"), ("a.@max.b", "a.@max.b"), ("a.@sum.@count", "a.@sum.@count"),
    ])
  func spelling(format: String, expected: String) throws {
    let expression = try FetchExpression(format: format, argumentArray: [])
    #expect(expression.derivationForm.predicateFormat == expected)
  }

  @Test("the date of a bound that is a number wins over one that is a text (I4)")
  func dateBounds() throws {
    let text = "attributeType='Date' minValueString='12/4/2013' minDateTimeInterval='-7200'"
    let model = try model(attribute: text)
    let attribute = try #require(model.entitiesByName["A"]?.attributesByName["x"])
    #expect(attribute.minValue == .date(Date(timeIntervalSinceReferenceDate: -7200)))
    #expect(model.readingNotes.count == 1)
    #expect(model.readingNotes.first?.contains("contents:2:1: “minValueString” is no date") == true)
    #expect(model.copy().readingNotes == model.readingNotes)
  }

  @Test("the text of a date alone is refused when it is no number of seconds (I4)")
  func dateText() throws {
    #expect(throws: PersistenceError.self) {
      try attribute("attributeType='Date' minValueString='12/4/2013'")
    }
  }

  @Test(
    "a truth value may be written as a number, and is 0 or 1 (I4)",
    arguments: [("0.0", false), ("1.0", true), ("0", false), ("YES", true)])
  func truthValues(text: String, expected: Bool) throws {
    let attribute = try attribute("attributeType='Boolean' defaultValueString='\(text)'")
    #expect(attribute.defaultConstant == .boolean(expected))
    #expect(throws: PersistenceError.self) {
      try self.attribute("attributeType='Boolean' defaultValueString='2'")
    }
  }

  @Test("a default of a UUID that is none is no default (I4)")
  func wrongUUID() throws {
    let model = try model(attribute: "attributeType='UUID' defaultValueString='empy'")
    let attribute = try #require(model.entitiesByName["A"]?.attributesByName["x"])
    #expect(attribute.defaultConstant == .null && model.readingNotes.count == 1)
  }

  private func currentVersion(of versions: [String], _ dictionary: String) throws -> String {
    let folder = try ModelFolder()
    for name in versions {
      try folder.write("<model/>", to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    try folder.write(
      "<plist version=\"1.0\">\(dictionary)</plist>", to: "M.xcdatamodeld/.xccurrentversion")
    let url = folder.url.appending(path: "M.xcdatamodeld")
    return try ManagedObjectModel.currentVersionName(at: url)
  }

  @Test(
    "a file that names no current version leaves the only one, or the one called as the folder (I5)"
  )
  func noCurrentVersion() throws {
    #expect(try currentVersion(of: ["X"], "<dict/>") == "X")
    #expect(try currentVersion(of: ["M 2", "M"], "<dict/>") == "M")
    let error = #expect(throws: PersistenceError.self) {
      try currentVersion(of: ["A", "B"], "<dict/>")
    }
    #expect(error?.message.contains("A, B") == true)
    #expect(throws: PersistenceError.self) {
      try currentVersion(of: ["A"], "<dict><key>_XCCurrentVersionName</key></dict>")
    }
  }

  @Test("a model of Xcode 3 is refused with what to do (I6)")
  func xcode3() throws {
    let folder = try ModelFolder()
    try folder.write("bplist00", to: "M.xcdatamodel/elements")
    let error = #expect(throws: PersistenceError.self) {
      try ManagedObjectModel(contentsOf: folder.url.appending(path: "M.xcdatamodel"))
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains("Save it once") == true)
  }
}

@Suite("Inverses that are not mutual")
struct OneSidedInverseTests {
  private static let images = """
    <model><entity name="Artist">
      <relationship name="thumbnail" optional="YES" maxCount="1" destinationEntity="Image"
        inverseName="thumbnailOf" inverseEntity="Image"/>
    </entity><entity name="Image">
      <relationship name="artist" optional="YES" maxCount="1" destinationEntity="Artist"
        inverseName="thumbnail" inverseEntity="Artist"/>
      <relationship name="thumbnailOf" optional="YES" maxCount="1" destinationEntity="Artist"
        inverseName="thumbnail" inverseEntity="Artist"/>
    </entity></model>
    """

  @Test("an inverse that names another relationship is kept, hashed and not maintained (I3)")
  func oneSided() throws {
    let model = try ModelFolder().model(Self.images)
    let image = try #require(model.entitiesByName["Image"]?.relationshipsByName)
    let artist = try #require(image["artist"])
    let thumbnail = try #require(artist.inverseRelationship)
    #expect(thumbnail.name == "thumbnail" && artist.maintainedInverse == nil)
    #expect(image["thumbnailOf"]?.maintainedInverse === thumbnail)
    #expect(thumbnail.maintainedInverse === image["thumbnailOf"])
    #expect(model.readingNotes.count == 1)
    try model.check()

    let without = model.copy()
    let copied = try #require(without.entitiesByName["Image"]?.relationshipsByName["artist"])
    #expect(copied.versionHash == artist.versionHash)
    copied.inverseRelationship = nil
    #expect(copied.versionHash != artist.versionHash)
  }
}

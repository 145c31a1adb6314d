// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import Testing

/// Tests of limits for model files: no file takes excessive time.
@Suite("Large and odd models of Xcode")
struct LargeXcodeModelTests {
  /// Returns a hierarchy in which each entity is the parent of the previous one, the root last.
  private func chain(_ count: Int) -> String {
    let entities = (0..<count).map { number in
      let parent = number + 1 < count ? " parentEntity=\"E\(number + 1)\"" : ""
      return """
        <entity name="E\(number)"\(parent)>
          <attribute name="a\(number)" attributeType="String" indexed="YES"/>
        </entity>
        """
    }
    return entities.joined(separator: "\n")
  }

  @Test("as many entities as a store can hold are read, and not one more")
  func entities() throws {
    let folder = try ModelFolder()
    let flat = (0..<4095).map { "<entity name=\"E\($0)\" parentEntity=\"Root\"/>" }
    let root = "<entity name=\"Root\"><attribute name=\"x\" attributeType=\"String\"/></entity>"
    let most = "<model>\(root)\n\(flat.dropLast().joined(separator: "\n"))</model>"
    let model = try folder.model(most)
    #expect(model.entities.count == 4095)
    try model.freeze()
    #expect(model.entitiesByName["E4093"]?.rootEntity.name == "Root")
    #expect(
      try folder.refusal("<model>\(root)\n\(flat.joined(separator: "\n"))</model>")
        .contains("contents:4096:1: There are more than 4095 entities."))
  }

  @Test("a deep hierarchy is read with its indexes, which are on what is inherited too")
  func depth() throws {
    let model = try ModelFolder().model("<model>\(chain(1000))</model>")
    let last = try #require(model.entitiesByName["E0"])
    #expect(last.rootEntity.name == "E999")
    #expect(last.allIndexes.count == 1000)
    #expect(last.properties.count == 1000)
  }

  @Test("entities whose rows would not fit into memory together are refused")
  func rows() throws {
    let attributes = (0..<600).map { "<attribute name=\"a\($0)\" attributeType=\"Double\"/>" }
    let entities = (0..<4000).map { "<entity name=\"E\($0)\" parentEntity=\"Root\"/>" }
    let root = "<entity name=\"Root\">\(attributes.joined())</entity>"
    let refusal = try ModelFolder().refusal("<model>\(root)\(entities.joined())</model>")
    #expect(refusal.contains("more than 2000000 values together"), "\(refusal)")
  }

  @Test("what composites are made of counts with all that stands in it")
  func composites() throws {
    let entries = String(repeating: "<entry key=\"k\" value=\"v\"/>", count: 1000)
    let attributes = (0..<30).map {
      "<attribute name=\"c\($0)\" attributeType=\"Composite\" composite=\"C\"/>"
    }
    let refusal = try ModelFolder().refusal(
      """
      <model><entity name="E">\(attributes.joined())</entity>
      <composite name="C">
        <attribute name="x" attributeType="Double"><userInfo>\(entries)</userInfo></attribute>
      </composite></model>
      """)
    #expect(refusal.contains("more than 20000 elements"), "\(refusal)")
  }

  @Test("a name can be long, but not so long that names made of names have no end")
  func names() throws {
    let folder = try ModelFolder()
    let long = String(repeating: "n", count: 1024)
    #expect(
      try folder.model("<model><entity name=\"\(long)\"/></model>").entitiesByName[long] != nil)
    #expect(
      try folder.refusal("<model><entity name=\"\(long)n\"/></model>")
        .contains("contents:1:8: The name is longer than 1024 bytes."))
  }

  @Test("no more than a thousand faults are listed, each at its place")
  func faults() throws {
    let folder = try ModelFolder()
    let attributes = (0..<1500).map { "<attribute name=\"a\($0)\"/>" }
    let file = try folder.write(
      "<model><entity name=\"E\">\n\(attributes.joined(separator: "\n"))\n</entity></model>",
      to: "Model.xcdatamodel/contents")
    let error = #expect(throws: PersistenceError.self) { try ManagedObjectModel(contentsOf: file) }
    let faults = error?.underlyingErrors ?? []
    #expect(faults.count == 1000)
    #expect(faults.first?.message.hasPrefix("contents:2:1: ") == true)
    #expect(faults.last?.message.hasPrefix("contents:1001:1: ") == true)
    #expect(faults.last?.key == "a999")
  }

  @Test("an attribute that was a date once is read, without the date that Xcode left")
  func leftDates() throws {
    let model = try ModelFolder().model(
      """
      <model><entity name="E">
        <attribute name="count" attributeType="Integer 32" defaultDateTimeInterval="7"
          minDateTimeInterval="3" maxDateTimeInterval="9"/>
        <attribute name="title" attributeType="String" defaultDateTimeInterval="7"/>
        <attribute name="day" attributeType="Date" defaultDateTimeInterval="7"/>
      </entity></model>
      """)
    let attributes = try #require(model.entitiesByName["E"]?.attributesByName)
    #expect(attributes["count"]?.defaultConstant == .null)
    #expect(attributes["count"]?.minValue == nil && attributes["count"]?.maxValue == nil)
    #expect(attributes["title"]?.defaultConstant == .null)
    let day = Date(timeIntervalSinceReferenceDate: 7)
    #expect(attributes["day"]?.defaultConstant == .date(day))
  }

  @Test(
    "a decimal is a number throughout, not only at its beginning",
    arguments: ["1-2", "1.2.3", "1e5e5", "1e", "-", "1e999"])
  func decimals(_ text: String) throws {
    let refusal = try ModelFolder().refusal(
      """
      <model><entity name="E">
        <attribute name="price" attributeType="Decimal" defaultValueString="\(text)"/>
      </entity></model>
      """)
    #expect(refusal.contains("“defaultValueString” is no decimal: “\(text)”."), "\(refusal)")
  }

  @Test("a decimal that was a truth value once has the number for it")
  func truths() throws {
    let model = try ModelFolder().model(
      """
      <model><entity name="E">
        <attribute name="a" attributeType="Decimal" defaultValueString="NO"/>
        <attribute name="b" attributeType="Decimal" defaultValueString="-1.50e1"/>
      </entity></model>
      """)
    let attributes = try #require(model.entitiesByName["E"]?.attributesByName)
    #expect(attributes["a"]?.defaultConstant == .decimal(0))
    #expect(attributes["b"]?.defaultConstant == .decimal(-15))
  }
}

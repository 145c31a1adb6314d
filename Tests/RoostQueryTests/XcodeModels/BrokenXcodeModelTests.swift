// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import Testing

@Suite("Models that Xcode did not write")
struct BrokenXcodeModelTests {
  @Test(
    "a fault is reported with file, line and column",
    arguments: [
      ("<model>\n  <entity/>\n</model>", "contents:2:3: “entity” has no “name”."),
      (
        "<model>\n <entity name='A'/>\n\n <entity name='A'/></model>", "contents:4:2: There are two"
      ),
      ("<model>\n<entity name='A' parentEntity='B'/></model>", "contents:2:1: The model has no"),
      ("<model>\n<entity name='A' parentEntity='A'/></model>", "contents:2:1: The parents"),
      (
        "<model><entity name='A'>\n<attribute name='x' attributeType='Int'/></entity></model>",
        "contents:2:1: “Int” is no type"
      ),
      (
        "<model><entity name='A'>\n<attribute name='x' attributeType='Integer 16' "
          + "defaultValueString='70000'/></entity></model>",
        "contents:2:1: The default value is refused"
      ),
      (
        "<model><entity name='A'>\n<attribute name='x' attributeType='Double' "
          + "defaultValueString='1,5'/></entity></model>",
        "contents:2:1: “defaultValueString” is no double"
      ),
      (
        "<model><entity name='A'>\n<attribute name='x' attributeType='String'/>\n"
          + "<attribute name='x' attributeType='String'/></entity></model>",
        "contents:3:1: There are two properties"
      ),
      (
        "<model><entity name='A'>\n<relationship name='r' destinationEntity='B'/></entity></model>",
        "contents:2:1: The model has no entity “B”"
      ),
      (
        "<model><entity name='A'>\n<relationship name='r' destinationEntity='A' "
          + "inverseName='s' inverseEntity='A'/></entity></model>",
        "contents:2:1: The inverse “A.s” does not exist"
      ),
      (
        "<model><entity name='A'>\n<relationship name='r' destinationEntity='A' "
          + "maxCount='99999999999'/></entity></model>",
        "contents:2:1: “maxCount” is no number"
      ),
      (
        "<model><entity name='A'/>\n<fetchRequest name='f' entity='A' predicateString='x =='/>"
          + "</model>",
        "contents:2:1: The request cannot be read “x ==”"
      ),
      (
        "<model><entity name='A'>\n<attribute name='x' attributeType='String' derived='YES' "
          + "derivationExpression='canonical:('/></entity></model>",
        "contents:2:1: The expression “canonical:(” cannot be read"
      ),
      (
        "<model><entity name='A'/>\n<configuration name='c'><memberEntity name='B'/>"
          + "</configuration></model>",
        "contents:2:25: The model has no entity “B”"
      ),
      (
        "<model><entity name='A'>\n<fetchIndex name='i'><fetchIndexElement property='x'/>"
          + "</fetchIndex></entity></model>",
        "contents:1:8: The index “i” names “x”"
      ),
      ("<plist/>", "contents:1:1: This is no model"),
      ("", "contents:1:1: There is no element."),
      ("<model>\n<entity name='A'>\n</model>", "contents:3:3: The tag “model” closes"),
      ("<model a='1'\n a='2'/>", "contents:1:1: The attribute “a” is given twice."),
      ("<model a=1/>", "contents:1:10: The value of “a” is not in quotes."),
      ("<model/>\n<model/>", "contents:2:1: There is a second root element."),
      ("<model>&copy;</model>", "contents:1:8: “&copy;” stands for no character."),
      ("<model a='&#0;'/>", "stands for no character"),
      ("<model a='\u{1}'/>", "contents:1:11: The file contains a control character."),
      ("<model", "contents:1:7: A tag is not closed."),
    ])
  func places(_ xml: String, _ message: String) throws {
    let refusal = try ModelFolder().refusal(xml)
    #expect(refusal.contains(message), "\(refusal)")
  }

  @Test("several faults come together, each with its line")
  func several() throws {
    let folder = try ModelFolder()
    let file = try folder.write(
      """
      <model>
        <entity name="A"><attribute name="x"/></entity>
        <entity name="B">
          <attribute name="y"/>
        </entity>
      </model>
      """, to: "Model.xcdatamodel/contents")
    let error = #expect(throws: PersistenceError.self) { try ManagedObjectModel(contentsOf: file) }
    let places = error?.underlyingErrors.map { $0.message.prefix(13) }
    #expect(places == ["contents:2:20", "contents:4:5:"])
  }

  @Test("entities cannot be expanded: definitions of a file's own are refused")
  func expansion() throws {
    let folder = try ModelFolder()
    let laughs = """
      <!DOCTYPE model [ <!ENTITY a "ha"> <!ENTITY b "&a;&a;&a;"> ]>
      <model><entity name="&b;"/></model>
      """
    #expect(try folder.refusal(laughs).contains("contents:1:1: A document type with definitions"))
    let external = """
      <!DOCTYPE model [ <!ENTITY x SYSTEM "file:///etc/passwd"> ]><model a="&x;"/>
      """
    #expect(try folder.refusal(external).contains("A document type with definitions"))
  }

  @Test("nesting, composites in composites, cycles and sizes have limits")
  func limits() throws {
    let folder = try ModelFolder()
    let deep = String(repeating: "<a>", count: 100_000)
    #expect(try folder.refusal("<model>" + deep).contains("nested more than 64 deep"))
    let itself = """
      <model><entity name="E"><attribute name="c" attributeType="Composite" composite="C"/></entity>
      <composite name="C"><attribute name="c" attributeType="Composite" composite="C"/></composite>
      </model>
      """
    #expect(try folder.refusal(itself).contains("Composites are nested too deep"))
    var wide = """
      <model><entity name="E"><attribute name="c" attributeType="Composite" composite="C0"/></entity>
      """
    for level in 0..<20 {
      let inner = (0..<10).map {
        "<attribute name=\"a\($0)\" attributeType=\"Composite\" composite=\"C\(level + 1)\"/>"
      }
      wide += "<composite name=\"C\(level)\">\(inner.joined())</composite>"
    }
    wide += "<composite name=\"C20\"><attribute name=\"a\" attributeType=\"String\"/></composite>"
    #expect(try folder.refusal(wide + "</model>").contains("more than 20000 elements"))
    let names = (0..<1000).map {
      "<entity name=\"E\($0)\" parentEntity=\"E\(($0 + 1) % 1000)\"/>"
    }
    #expect(
      try folder.refusal("<model>\(names.joined())</model>").contains("The parents of “E0” lead"))
  }

  @Test("a file of 100 MB, one in UTF-16 and one with NUL are refused")
  func encodings() throws {
    let folder = try ModelFolder()
    #expect(try folder.refusal(Data(count: 100 << 20)).contains("larger than 32 MB"))
    #expect(try folder.refusal(Data([0xFF, 0xFE, 0x3C, 0])).contains("not UTF-8"))
    #expect(try folder.refusal(Data("<model a='\u{0}'/>".utf8)).contains("control character"))
    #expect(
      try folder.refusal("<?xml version='1.0' encoding='ISO-8859-1'?><model/>")
        .contains("not UTF-8"))
    #expect(try folder.refusal(Data([0x3C, 0xC3, 0x28])).contains("contents:1:2"))
  }
}

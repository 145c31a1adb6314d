// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import Testing

@Suite("Models that Xcode writes")
struct XcodeModelTests {
  private static let library = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" userDefinedModelVersionIdentifier="v7">
      <entity name="Item" representedClassName=".Item" isAbstract="YES" elementID="Thing">
        <attribute name="title" attributeType="String" defaultValueString="a &lt;b&gt; &#233;"
          minValueString="2" maxValueString="40" regularExpressionString="[a-z]+.*"/>
        <attribute name="count" optional="YES" attributeType="Integer 16" defaultValueString="NO"
          minValueString="0" maxValueString="9" indexed="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="1.25"/>
        <attribute name="day" optional="YES" attributeType="Date" defaultDateTimeInterval="-3600"
          minDateTimeInterval="-7200"/>
        <attribute name="data" optional="YES" attributeType="Binary" preserveAfterDeletion="YES"
          allowsExternalBinaryDataStorage="YES" spotlightIndexingEnabled="YES"/>
        <attribute name="tags" optional="YES" attributeType="Transformable"
          valueTransformerName="Codes" customClassName="[String]" allowsCloudEncryption="YES"/>
        <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
        <attribute name="folded" optional="YES" attributeType="String" derived="YES"
          derivationExpression="canonical:(title)"/>
        <uniquenessConstraints><uniquenessConstraint>
          <constraint value="title"/><constraint value="count"/>
        </uniquenessConstraint></uniquenessConstraints>
        <fetchIndex name="byTitle" partialIndexPredicate="count &gt; 3">
          <fetchIndexElement property="title" type="Binary" order="descending"/>
        </fetchIndex>
        <userInfo><entry key="a" value="b"/></userInfo>
      </entity>
      <entity name="Book" representedClassName="Book" parentEntity="Item" versionHashModifier="x">
        <relationship name="shelf" optional="YES" maxCount="1" deletionRule="Deny"
          destinationEntity="Shelf" inverseName="books" inverseEntity="Shelf"/>
        <fetchedProperty name="same" optional="YES">
          <fetchRequest name="fetchedPropertyFetchRequest" entity="Book"
            predicateString="title == $FETCH_SOURCE.title"/>
        </fetchedProperty>
      </entity>
      <entity name="Shelf">
        <relationship name="books" optional="YES" toMany="YES" minCount="1" maxCount="8"
          ordered="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="shelf"
          inverseEntity="Book"/>
      </entity>
      <composite name="Place">
        <attribute name="lat" optional="YES" attributeType="Double"/>
        <attribute name="lon" optional="YES" attributeType="Double" defaultValueString="0.5"/>
      </composite>
      <fetchRequest name="byTitle" entity="Book" predicateString="title == $title"
        fetchLimit="5" includeSubentities="NO"/>
      <configuration name="Shelves"><memberEntity name="Shelf"/></configuration>
      <elements><element name="Item" positionX="0" width="1"/></elements>
    </model>
    """

  @Test("attributes have their types, defaults, bounds and flags")
  func attributes() throws {
    let item = try #require(try ModelFolder().model(Self.library).entitiesByName["Item"])
    let attributes = item.attributesByName
    let title = try #require(attributes["title"])
    #expect(title.defaultValue as? String == "a <b> é")
    #expect(title.minLength == 2 && title.maxLength == 40 && !title.isOptional)
    #expect(title.regularExpression == "[a-z]+.*")
    let count = try #require(attributes["count"])
    #expect(count.type == .integer16 && count.defaultConstant == .integer(0))
    #expect(count.minValue == .integer(0) && count.maxValue == .integer(9) && count.isOptional)
    #expect(attributes["price"]?.defaultConstant == .decimal(Decimal(5) / 4))
    let day = try #require(attributes["day"])
    #expect(day.defaultConstant == .date(Date(timeIntervalSinceReferenceDate: -3600)))
    #expect(day.minValue == .date(Date(timeIntervalSinceReferenceDate: -7200)))
    let data = try #require(attributes["data"])
    #expect(data.allowsExternalBinaryDataStorage && data.preservesValueInHistoryOnDeletion)
    #expect(data.isIndexedBySpotlight)
    let tags = try #require(attributes["tags"])
    #expect(tags.valueTransformerName == "Codes" && tags.attributeValueClassName == "[String]")
    #expect(tags.allowsCloudEncryption)
    let place = try #require(attributes["place"] as? CompositeAttributeDescription)
    #expect(place.elements.map(\.name) == ["lat", "lon"])
    let folded = try #require(attributes["folded"] as? DerivedAttributeDescription)
    #expect(folded.derivationExpression?.expressionFormat == "canonical:(title)")
  }

  @Test("entities have their class, parent, constraints, indexes, labels and user info")
  func entities() throws {
    let model = try ModelFolder().model(Self.library)
    let item = try #require(model.entitiesByName["Item"])
    let book = try #require(model.entitiesByName["Book"])
    #expect(item.isAbstract && item.managedObjectClassName == "Item")
    #expect(item.renamingIdentifier == "Thing" && item.userInfo["a"] as? String == "b")
    #expect(book.superentity === item && book.versionHashModifier == "x")
    #expect(item.uniquenessConstraints == [["title", "count"]])
    #expect(item.indexes.map(\.name) == ["byTitle", "by_count"])
    #expect(item.indexes[0].partialIndexPredicate?.predicateFormat == "count > 3")
    #expect(item.indexes[0].elements[0].isAscending == false)
    #expect(model.versionIdentifiers == ["v7"] && model.configurations == ["Shelves"])
    #expect(model.entities(forConfigurationName: "Shelves")?.map(\.name) == ["Shelf"])
  }

  @Test("relationships have their counts, rule, order and inverse")
  func relationships() throws {
    let model = try ModelFolder().model(Self.library)
    let books = try #require(model.entitiesByName["Shelf"]?.relationshipsByName["books"])
    let shelf = try #require(model.entitiesByName["Book"]?.relationshipsByName["shelf"])
    #expect(books.minCount == 1 && books.maxCount == 8 && books.isOrdered)
    #expect(books.deleteRule == .cascade && shelf.deleteRule == .deny)
    #expect(books.inverseRelationship === shelf && shelf.inverseRelationship === books)
    #expect(!shelf.isToMany && books.isToMany)
  }

  @Test("templates and fetched properties are requests whose variables can be filled in (B18)")
  func requests() throws {
    let model = try ModelFolder().model(Self.library)
    let request = try #require(
      try model.fetchRequestFromTemplate(
        withName: "byTitle", substitutionVariables: ["title": "x"], as: [String: Any].self))
    #expect(request.predicate?.predicateFormat == #"title == "x""#)
    #expect(request.fetchLimit == 5 && !request.includesSubentities)
    let same = model.entitiesByName["Book"]?.fetchedPropertiesByName["same"]?.fetchRequest
    #expect(same?.templatePredicateFormat == "title == $FETCH_SOURCE.title")
  }

  @Test("a folder of versions tells their names, and reads the current one or any other")
  func versions() throws {
    let folder = try ModelFolder()
    func xml(_ entity: String) -> String { "<model><entity name=\"\(entity)\"/></model>" }
    for (name, entity) in [("M", "A"), ("M 2", "B"), ("M 10", "C")] {
      try folder.write(xml(entity), to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    let url = folder.url.appending(path: "M.xcdatamodeld")
    #expect(try ManagedObjectModel.versionNames(at: url) == ["M", "M 2", "M 10"])
    #expect(throws: PersistenceError(.invalidModel, "")) { try ManagedObjectModel(contentsOf: url) }
    func setCurrent(_ name: String) throws {
      try folder.write(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/x.dtd">
        <plist version="1.0"><dict>
          <key>_XCCurrentVersionName</key><string>\(name)</string>
        </dict></plist>
        """, to: "M.xcdatamodeld/.xccurrentversion")
    }
    try setCurrent("M 2.xcdatamodel")
    #expect(try ManagedObjectModel.currentVersionName(at: url) == "M 2")
    #expect(try ManagedObjectModel(contentsOf: url).entities.map(\.name) == ["B"])
    let last = try ManagedObjectModel(contentsOf: url, version: "M 10")
    #expect(last.entities.map(\.name) == ["C"])
    try folder.write(xml("Secret"), to: "Secret.xcdatamodel/contents")
    for name in ["../Secret.xcdatamodel", "/etc/passwd", "M 3.xcdatamodel", ""] {
      try setCurrent(name)
      #expect(throws: PersistenceError(.invalidModel, "")) {
        try ManagedObjectModel(contentsOf: url)
      }
    }
    #expect(throws: PersistenceError(.invalidModel, "")) {
      try ManagedObjectModel(contentsOf: url, version: "../Secret")
    }
  }

  @Test("damaged compiled and missing models are refused with a sentence that says so")
  func compiled() throws {
    let folder = try ModelFolder()
    try folder.write("bplist00", to: "M.momd/M.mom")
    try folder.write("<?xml version='1.0'?><plist/>", to: "X.mom")
    try folder.write("bplist00", to: "M.xcdatamodel/contents")
    for (path, part) in [
      ("M.momd", "M.mom is no binary property list"), ("M.momd/M.mom", "M.mom is no binary"),
      ("X.mom", "X.mom is no binary property list"), ("M.xcdatamodel", "compiled"),
    ] {
      let error = #expect(throws: PersistenceError.self) {
        try ManagedObjectModel(contentsOf: folder.url.appending(path: path))
      }
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
    for path in ["None.xcdatamodeld", "None"] {
      #expect(throws: PersistenceError(.invalidModel, "")) {
        try ManagedObjectModel(contentsOf: folder.url.appending(path: path))
      }
    }
  }
}

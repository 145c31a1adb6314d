// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The model of the tests in Xcode's format: several versions, the first one current.
enum SampleModel {
  static let first = contents(
    person: """
      <attribute name="age" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
      """)

  static let second = contents(
    person: """
      <attribute name="age" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
      <attribute name="score" attributeType="Integer 64" defaultValueString="7" usesScalarValueType="YES"/>
      """)

  /// The version without the age.
  static let third = contents(person: "")

  /// The version whose age is a text.
  static let fourth = contents(
    person: """
      <attribute name="age" optional="YES" attributeType="String"/>
      """)

  private static func contents(person: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"
      userDefinedModelVersionIdentifier="">
      <entity name="Person" representedClassName="PersonOfTheApp" syncable="YES">
        <attribute name="email" optional="YES" attributeType="String"/>
        <attribute name="joined" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <attribute name="name" attributeType="String"/>
        <attribute name="photo" optional="YES" attributeType="Binary"/>
        \(person)
        <relationship name="skills" optional="YES" toMany="YES" deletionRule="Nullify"
          destinationEntity="Skill" inverseName="people" inverseEntity="Skill"/>
        <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify"
          destinationEntity="Team" inverseName="members" inverseEntity="Team"/>
        <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary"
          order="ascending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint
          value="email"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="Manager" representedClassName="ManagerOfTheApp" parentEntity="Person" syncable="YES">
        <attribute name="level" attributeType="Integer 16" defaultValueString="1" usesScalarValueType="YES"/>
      </entity>
      <entity name="Skill" representedClassName="SkillOfTheApp" syncable="YES">
        <attribute name="title" attributeType="String"/>
        <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify"
          destinationEntity="Person" inverseName="skills" inverseEntity="Person"/>
      </entity>
      <entity name="Team" representedClassName="TeamOfTheApp" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="members" optional="YES" toMany="YES" deletionRule="Cascade"
          destinationEntity="Person" inverseName="team" inverseEntity="Person"/>
      </entity>
    </model>
    """
  }

  /// Writes all versions into a folder.
  ///
  /// - Returns: The path of the model.
  static func write(into folder: URL) throws -> String {
    let bundle = folder.appending(path: "HR.xcdatamodeld")
    for (name, text) in [("HR", first), ("HR 2", second), ("HR 3", third), ("HR 4", fourth)] {
      let version = bundle.appending(path: "\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: version.appending(path: "contents"))
    }
    try Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>_XCCurrentVersionName</key><string>HR.xcdatamodel</string></dict></plist>
      """.utf8
    ).write(to: bundle.appending(path: ".xccurrentversion"))
    return bundle.path(percentEncoded: false)
  }
}

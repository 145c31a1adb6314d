// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
public import RoostQuery

/// Records the properties read, and the value returned for each. Key paths of computed properties have no names, so a
/// key path is evaluated on an object that only records.
final class PathRecorder {
  /// A property read.
  struct Read {
    let name: String
    /// The object whose property was read.
    let object: ObjectIdentifier
    let answer: PathAnswer
  }

  private struct Place: Hashable {
    let object: ObjectIdentifier
    let name: String
  }

  private(set) var reads: [Read] = []
  private var destinations: [Place: ManagedObject] = [:]
  /// Whether a key path is being evaluated; false while an override of the initializer runs, which may read any
  /// property.
  let isFollowing: Bool
  /// The round that selects the values of properties.
  let round: PathProbe.Round
  /// The value type of the key path.
  let valueType: Any.Type
  /// The number of values available for the property that was read last.
  private(set) var valueCount = 1

  /// Creates a recorder that ignores reads, for the time until the object is created.
  init() {
    isFollowing = false
    round = .value(0)
    valueType = Never.self
  }

  init(_ round: PathProbe.Round, valueType: Any.Type) {
    isFollowing = true
    self.round = round
    self.valueType = valueType
  }

  func note(_ name: String, of object: ManagedObject, _ answer: PathAnswer) {
    reads.append(Read(name: name, object: ObjectIdentifier(object), answer: answer))
  }

  /// Returns the destination of an object's relationship: always the same one, so that a lazy property of it is
  /// detected.
  func destination(
    _ name: String, of object: ManagedObject, as type: ManagedObject.Type
  ) -> ManagedObject {
    let place = Place(object: ObjectIdentifier(object), name: name)
    if let known = destinations[place], Swift.type(of: known) == type { return known }
    let destination = type.makeRecorder(self)
    destinations[place] = destination
    return destination
  }

  /// Returns a value for an attribute of a type.
  func attribute<T: AttributeValue>(_ type: T.Type) -> T {
    let values = PathValues.values(of: type, for: valueType)
    valueCount = values.count
    guard case .value(let number) = round, !values.isEmpty else {
      return values.first ?? RecorderMemory.read()
    }
    return values[number % values.count]
  }

  /// Returns the number of destinations of a to-many relationship.
  func memberCount() -> Int {
    valueCount = 3
    guard case .value(let number) = round else { return 2 }
    return [2, 0, 1][number % 3]
  }
}

/// The value that a recorder returned for a read.
enum PathAnswer {
  /// A value of an attribute, or any value compared by equality.
  case value(Any)
  /// The destination of a to-one relationship; nil for none.
  case destination(ManagedObject?, isOptional: Bool)
  /// The destinations of a to-many relationship, in order if it is ordered.
  case members([ManagedObject], type: Any.Type)
  /// A composite attribute.
  case composite(ElementSample, isOptional: Bool)
  /// A value of a type for which only one value is available, such as a transformable attribute's.
  case anything(of: Any.Type)
}

extension ManagedObject: KeyPathNaming {
  /// Returns the names of the properties along a key path; nil when it reads anything but stored properties.
  ///
  /// ```swift
  /// Person.propertyPath(for: \Person.department?.name)  // ["department", "name"]
  /// ```
  public static func propertyPath(for keyPath: AnyKeyPath) -> [String]? {
    try? storedPath(for: keyPath)
  }

  /// Returns the names of the stored properties along a key path.
  ///
  /// A getter that returns a stored property unchanged is accepted; any other is rejected.
  ///
  /// - Parameter keyPath: A key path that begins at a managed object class.
  /// - Throws: The reason, for a key path that computes its value.
  /// - Complexity: The first time a key path is used, its getters run a few times on an object without a context.
  public static func storedPath(
    for keyPath: AnyKeyPath
  ) throws(RefusedKeyPath) -> [String] {
    try PathProbe.path(of: keyPath)
  }

  static func makeRecorder(_ recorder: PathRecorder) -> ManagedObject {
    let object = self.init(entity: RecorderEntity.entity, insertInto: nil)
    object.recorder = recorder
    return object
  }

  @inline(never) @usableFromInline
  func recordAttribute<T: AttributeValue>(_ property: Int) -> T {
    guard let recorder, recorder.isFollowing else { return RecorderMemory.read() }
    let value = recorder.attribute(T.self)
    let declared = type(of: self)._entityDeclaration?.property(numbered: property)
    if T.attributeType == .transformable, case .attribute(let attribute)? = declared?.content {
      recorder.note(recording.name(property), of: self, .anything(of: attribute.valueType))
    } else {
      recorder.note(recording.name(property), of: self, .value(value))
    }
    return value
  }
}

extension ManagedObject {
  /// The path recorder that records the reads of this object.
  final var recorder: PathRecorder? {
    get {
      guard case .recording(let recorder) = attachment else { return nil }
      return recorder
    }
    set { attachment = newValue.map { .recording($0) } ?? .none }
  }
}

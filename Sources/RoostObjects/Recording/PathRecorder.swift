// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
public import RoostQuery

/// Notes which properties are read, and what was handed out for each: key paths of computed properties have no names,
/// so a key path is applied to an object that only listens.
final class PathRecorder {
  /// A property that was read.
  struct Read {
    let name: String
    /// The object that was asked.
    let object: ObjectIdentifier
    let answer: PathAnswer
  }

  private struct Place: Hashable {
    let object: ObjectIdentifier
    let name: String
  }

  private(set) var reads: [Read] = []
  private var destinations: [Place: ManagedObject] = [:]
  /// Whether a key path is being followed; not while an override of the initializer runs, which may read what it likes.
  let isFollowing: Bool
  /// Which of its values each property answers with.
  let round: PathProbe.Round
  /// The type of what the key path leads to.
  let valueType: Any.Type
  /// How many values the property that was read last can answer with.
  private(set) var valueCount = 1

  /// Makes one that follows nothing, for the time until the object is made.
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

  /// The destination of an object's relationship: the same one however often it is read, so that a lazy property of it
  /// is found out.
  func destination(
    _ name: String, of object: ManagedObject, as type: ManagedObject.Type
  ) -> ManagedObject {
    let place = Place(object: ObjectIdentifier(object), name: name)
    if let known = destinations[place], Swift.type(of: known) == type { return known }
    let destination = type.makeRecorder(self)
    destinations[place] = destination
    return destination
  }

  /// A value for an attribute of a type.
  func attribute<T: AttributeValue>(_ type: T.Type) -> T {
    let values = PathValues.values(of: type, for: valueType)
    valueCount = values.count
    guard case .value(let number) = round, !values.isEmpty else {
      return values.first ?? RecorderMemory.read()
    }
    return values[number % values.count]
  }

  /// How many destinations a to-many relationship has.
  func memberCount() -> Int {
    valueCount = 3
    guard case .value(let number) = round else { return 2 }
    return [2, 0, 1][number % 3]
  }
}

/// What a recorder answered.
enum PathAnswer {
  /// A value of an attribute, or anything that is compared by its value.
  case value(Any)
  /// The destination of a to-one relationship; nil where it leads nowhere.
  case destination(ManagedObject?, isOptional: Bool)
  /// The destinations of a to-many relationship, in their order where they have one.
  case members([ManagedObject], type: Any.Type)
  /// A value of a type of which only one is known, as of a transformable attribute's.
  case anything(of: Any.Type)
}

extension ManagedObject: KeyPathNaming {
  /// Returns the names of the properties along a key path; nil when it reads something else than stored properties.
  ///
  /// ```swift
  /// Person.propertyPath(for: \Person.department?.name)  // ["department", "name"]
  /// ```
  public static func propertyPath(for keyPath: AnyKeyPath) -> [String]? {
    try? storedPath(for: keyPath)
  }

  /// Returns the names of the stored properties along a key path.
  ///
  /// A getter that returns a stored property as it is may stand for it; any other is refused.
  ///
  /// - Parameter keyPath: A key path that begins at a managed object class.
  /// - Throws: What is wrong with the key path, for one that computes something.
  /// - Complexity: The first time a key path is seen, its getters run a few times on an object without a context.
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
  /// Where a path recorder notes what is read.
  final var recorder: PathRecorder? {
    get {
      guard case .recording(let recorder) = attachment else { return nil }
      return recorder
    }
    set { attachment = newValue.map { .recording($0) } ?? .none }
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
public import RoostQuery
import Synchronization

/// Notes which properties are read: key paths of computed properties have no names, so a key path is applied to an
/// object that only listens.
final class PathRecorder: ObjectCompany {
  var path: [String] = []
  /// Whether a key path is being followed; not while an override of the initializer runs, which may read what it likes.
  let isFollowing: Bool

  init(isFollowing: Bool = true) {
    self.isFollowing = isFollowing
  }
}

extension ManagedObject: KeyPathNaming {
  /// Returns the names of the properties along a key path; nil when it reads something else than properties.
  ///
  /// ```swift
  /// Person.propertyPath(for: \Person.department?.name)  // ["department", "name"]
  /// ```
  public static func propertyPath(for keyPath: AnyKeyPath) -> [String]? {
    guard let objectClass = type(of: keyPath).rootType as? ManagedObject.Type else { return nil }
    let recorder = PathRecorder()
    let object = objectClass.makeRecorder(recorder)
    _ = object[keyPath: keyPath]
    return recorder.path.isEmpty ? nil : recorder.path
  }

  static func makeRecorder(_ recorder: PathRecorder) -> ManagedObject {
    let object = self.init(entity: RecorderEntity.entity, insertInto: nil)
    object.recorder = recorder
    return object
  }

  private func note(_ property: Int) {
    let names = type(of: self)._entityDeclaration?.propertyNames ?? []
    recorder?.path.append(property < names.count ? names[property] : "?")
  }

  @inline(never) @usableFromInline
  func recordAttribute<T: AttributeValue>(_ property: Int) -> T {
    note(property)
    return RecorderMemory.read()
  }

  func recordDestination<T: ManagedObject>(_ property: Int) -> T {
    note(property)
    guard let recorder, let object = T.makeRecorder(recorder) as? T else {
      preconditionFailure("A path recorder is an object of the class that it was made by.")
    }
    return object
  }

  func recordDestination<T: ManagedObject>(_ property: Int) -> T? {
    guard recorder?.isFollowing ?? false else { return nil }
    let object: T = recordDestination(property)
    return object
  }

  func recordDestinations<T: ManagedObject>(_ property: Int) -> Set<T> {
    note(property)
    return []
  }

  func recordDestinations<T: ManagedObject>(_ property: Int) -> [T] {
    note(property)
    return []
  }
}

/// The entity that recorders claim to have.
enum RecorderEntity {
  static let entity: EntityDescription = {
    let entity = EntityDescription()
    entity.name = "PathRecorder"
    let model = ManagedObjectModel()
    model.entities = [entity]
    do {
      try model.freeze()
    } catch {
      preconditionFailure("A model of one empty entity is consistent: \(error)")
    }
    models.withLock { $0.append(model) }
    return entity
  }()

  // Entities do not keep their model alive.
  private static let models = Mutex<[ManagedObjectModel]>([])
}

/// Memory in which every attribute reads as a value of its type.
enum RecorderMemory {
  /// A value of an attribute's type, zero or empty, never nil: a key path goes on through an optional that has a value.
  static func read<T: AttributeValue>() -> T {
    let kind = T.attributeType.slotKind ?? .integer
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("The buffer is not empty.") }
      base.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
      let slot = RowSlot(offset: 16, nullOffset: 0, bit: 0, index: 0, kind: kind)
      switch kind {
      case .string: (base + 16).initializeMemory(as: String.self, to: "")
      case .data: (base + 16).initializeMemory(as: Data.self, to: Data())
      default: break
      }
      return T._load(base, slot)
    }
  }
}

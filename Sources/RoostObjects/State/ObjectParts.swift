// SPDX-License-Identifier: Apache-2.0

// The operations on an object, by subject. Each part is a struct over one object without state of its own.

/// Reads the relationships of an object: single destinations, members, and the data needed before a side is changed.
struct RelationshipReader {
  let owner: ManagedObject
}

/// Changes the relationships of an object and maintains the inverse sides.
struct RelationshipEditor {
  let owner: ManagedObject
}

/// The current, committed and earlier values of one object, as `Value`s.
struct PropertyValues {
  let owner: ManagedObject
}

/// Key-value coding of one object: the common part of the public methods with keys and key paths.
struct KeyedAccess {
  let owner: ManagedObject
}

/// Converts stored values to the values of an object's transformable attributes, by their codecs.
struct AttributeConversion {
  let owner: ManagedObject
}

/// Records the properties that a key path visits, on the object that stands for its class.
struct PathRecording {
  let owner: ManagedObject
}

/// Reports reads and changes to the observers of an object.
struct ObjectObservation {
  let owner: ManagedObject
}

/// Restores earlier values of an object, or takes over newer ones: rollback, refresh, undo, merging, conflicts.
struct RestoreState {
  let owner: ManagedObject
}

/// Behaviour of an object whose context is gone.
struct OrphanState {
  let owner: ManagedObject
}

/// Runs the validation methods and rules of the properties of one object.
struct ValidationRunner {
  let owner: ManagedObject
}

/// Internals of an object for the product with Core Data's names; the object's own methods have Roost's names.
package struct ObjectBridge {
  let owner: ManagedObject
}

/// Reads the fetched properties of an object, and keeps their results until it is refreshed.
struct FetchedPropertyReader {
  let owner: ManagedObject
}

extension ManagedObject {
  @inline(__always) final var fetchedProperties: FetchedPropertyReader {
    FetchedPropertyReader(owner: self)
  }
  @inline(__always) final var related: RelationshipReader { RelationshipReader(owner: self) }
  @inline(__always) final var editor: RelationshipEditor { RelationshipEditor(owner: self) }
  @inline(__always) final var values: PropertyValues { PropertyValues(owner: self) }
  @inline(__always) final var keyed: KeyedAccess { KeyedAccess(owner: self) }
  @inline(__always) final var conversion: AttributeConversion { AttributeConversion(owner: self) }
  @inline(__always) final var recording: PathRecording { PathRecording(owner: self) }
  @inline(__always) final var observers: ObjectObservation { ObjectObservation(owner: self) }
  @inline(__always) final var restoring: RestoreState { RestoreState(owner: self) }
  @inline(__always) final var orphan: OrphanState { OrphanState(owner: self) }
  @inline(__always) final var validator: ValidationRunner { ValidationRunner(owner: self) }
  @inline(__always) package final var bridge: ObjectBridge { ObjectBridge(owner: self) }
}

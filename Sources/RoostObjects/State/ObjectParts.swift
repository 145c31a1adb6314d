// SPDX-License-Identifier: Apache-2.0

// What can be done with an object, by subject. Each part is a value over one object and keeps nothing itself.

/// Reads the relationships of an object: single destinations, members, and what must be known before a side is
/// changed.
struct RelationshipReader {
  let owner: ManagedObject
}

/// Changes the relationships of an object, and keeps the inverse sides in step.
struct RelationshipEditor {
  let owner: ManagedObject
}

/// The current, committed and earlier values of one object, as exchange values.
struct PropertyValues {
  let owner: ManagedObject
}

/// Key-value coding of one object: what the public methods with keys and key paths share.
struct KeyedAccess {
  let owner: ManagedObject
}

/// Makes the values of an object's transformable attributes of what is stored, by their codecs.
struct AttributeConversion {
  let owner: ManagedObject
}

/// Notes which properties a key path goes through, on the object that stands for its class.
struct PathRecording {
  let owner: ManagedObject
}

/// Tells the observers of an object what is read and changed.
struct ObjectObservation {
  let owner: ManagedObject
}

/// Brings an object back to earlier values, or to newer ones: rollback, refresh, undo, merging, conflicts.
struct RestoreState {
  let owner: ManagedObject
}

/// What an object does whose context is gone.
struct OrphanState {
  let owner: ManagedObject
}

/// Runs the validation methods and rules of the properties of one object.
struct ValidationRunner {
  let owner: ManagedObject
}

/// What the product with Core Data's names calls of an object; its own methods have the names of ours.
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

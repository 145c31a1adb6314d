// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Relationship accessors, called by the code that `@Entity` generates. The number is the property's index in the
// class.
extension ManagedObject {
  /// Reads a to-one relationship.
  public final func _get<T: ManagedObject>(_ property: Int) -> T? {
    if flags.contains(.recorder) { return recording.recordDestination(property) }
    if isObserved { observers.tellRead(property: property) }
    return ManagedObject.typed(related.destination(slots[property].index))
  }

  /// Casts an object to a class, if it is an instance of it.
  @inline(__always) private static func typed<T: ManagedObject>(_ object: ManagedObject?) -> T? {
    guard let object else { return nil }
    // Nearly always it is of this very class, which is cheaper to check than a cast.
    return Swift.type(of: object) == T.self ? unsafeDowncast(object, to: T.self) : object as? T
  }

  /// Reads a to-one relationship whose Swift type is not optional. Without a destination, it returns a stand-in that
  /// is never saved, and the next save throws.
  public final func _get<T: ManagedObject>(_ property: Int) -> T {
    if flags.contains(.recorder) { return recording.recordDestination(property) }
    if isObserved { observers.tellRead(property: property) }
    let ordinal = slots[property].index
    guard let object = related.destination(ordinal) as? T else {
      return related.standIn(for: binding.relationships[ordinal])
    }
    return object
  }

  /// Sets a to-one relationship and its inverse.
  public final func _set<T: ManagedObject>(_ property: Int, _ value: T?) {
    if flags.contains(.recorder) { return }
    editor.setDestination(binding.relationships[slots[property].index], value)
  }

  /// Sets a to-one relationship and its inverse.
  public final func _set<T: ManagedObject>(_ property: Int, _ value: T) {
    if flags.contains(.recorder) { return }
    editor.setDestination(binding.relationships[slots[property].index], value)
  }

  /// Reads a to-many relationship; loads the destinations of all objects that were fetched with this one.
  public final func _get<T: ManagedObject>(_ property: Int) -> Set<T> {
    if flags.contains(.recorder) { return recording.recordDestinations(property) }
    if isObserved { observers.tellRead(property: property) }
    let links = related.loadedLinks(binding.relationships[slots[property].index])
    if let known = links.typedCollection as? TypedCollection<Set<T>> { return known.value }
    let result = related.typedSet(links.members, of: T.self)
    if links.isLoaded { links.typedCollection = TypedCollection(result) }
    return result
  }

  /// Replaces the destinations of a to-many relationship, and maintains the inverses.
  public final func _set<T: ManagedObject>(_ property: Int, _ value: Set<T>) {
    if flags.contains(.recorder) { return }
    let relationship = binding.relationships[slots[property].index]
    let links = related.loadedLinks(relationship)
    guard links.isLoaded else { return }
    // A set has no order: existing destinations keep their order, new ones follow in the order of their creation.
    var wanted = ContiguousArray<ManagedObject>()
    for case let member as T in links.members where value.contains(member) { wanted.append(member) }
    if wanted.count < value.count {
      let known = Set(wanted.map(ObjectIdentifier.init))
      let new = value.filter { !known.contains(ObjectIdentifier($0)) }
      for object in new.sorted(by: { $0.related.isBefore($1) }) { wanted.append(object) }
    }
    editor.setDestinations(relationship, wanted)
  }

  /// Reads an ordered to-many relationship.
  public final func _get<T: ManagedObject>(_ property: Int) -> [T] {
    if flags.contains(.recorder) { return recording.recordDestinations(property) }
    if isObserved { observers.tellRead(property: property) }
    let links = related.loadedLinks(binding.relationships[slots[property].index])
    if let known = links.typedCollection as? TypedCollection<[T]> { return known.value }
    let result = links.members.compactMap { $0 as? T }
    if links.isLoaded { links.typedCollection = TypedCollection(result) }
    return result
  }

  /// Replaces the destinations of an ordered to-many relationship, and maintains the inverses.
  public final func _set<T: ManagedObject>(_ property: Int, _ value: [T]) {
    if flags.contains(.recorder) { return }
    editor.setDestinations(
      binding.relationships[slots[property].index], ContiguousArray(value.map { $0 }))
  }
}

/// A typed copy of a relationship's destinations, kept until they change.
final class TypedCollection<Content> {
  let value: Content

  init(_ value: Content) {
    self.value = value
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostObjects

/// A to-many relationship as Foundation's set that writes through.
final class RelationshipSet: NSMutableSet {
  private let objects: MutableObjectSet<ManagedObject>?

  init(_ objects: MutableObjectSet<ManagedObject>) {
    self.objects = objects
    super.init(capacity: 0)
  }

  required init?(coder: NSCoder) { nil }

  required init(capacity: Int) {
    objects = nil
    super.init(capacity: capacity)
  }

  override var count: Int { objects?.count ?? super.count }

  override func member(_ object: Any) -> Any? {
    guard let objects else { return super.member(object) }
    guard let object = object as? ManagedObject, objects.contains(object) else { return nil }
    return object
  }

  override func objectEnumerator() -> NSEnumerator {
    guard let objects else { return super.objectEnumerator() }
    return NSArray(array: Array(objects)).objectEnumerator()
  }

  override func add(_ object: Any) {
    guard let objects else { return super.add(object) }
    objects.insert(ManagedValue.object(object))
  }

  override func remove(_ object: Any) {
    guard let objects else { return super.remove(object) }
    if let object = object as? ManagedObject { objects.remove(object) }
  }

  override func copy(with zone: NSZone? = nil) -> Any {
    NSSet(array: allObjects)
  }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableSet(array: allObjects)
  }
}

/// An ordered relationship as Foundation's ordered set that writes through.
final class RelationshipOrderedSet: NSMutableOrderedSet {
  private let objects: MutableObjectList<ManagedObject>?

  init(_ objects: MutableObjectList<ManagedObject>) {
    self.objects = objects
    super.init(capacity: 0)
  }

  required init?(coder: NSCoder) { nil }

  required init(arrayLiteral elements: Any...) {
    objects = nil
    super.init(capacity: 0)
    for element in elements { add(element) }
  }

  override var count: Int { objects?.count ?? super.count }

  override func object(at index: Int) -> Any {
    objects?[index] ?? super.object(at: index)
  }

  override func index(of object: Any) -> Int {
    guard let objects else { return super.index(of: object) }
    return (object as? ManagedObject).flatMap { objects.index(of: $0) } ?? NSNotFound
  }

  override func insert(_ object: Any, at index: Int) {
    guard let objects else { return super.insert(object, at: index) }
    objects.insert(ManagedValue.object(object), at: index)
  }

  override func removeObject(at index: Int) {
    guard let objects else { return super.removeObject(at: index) }
    objects.remove(at: index)
  }

  override func replaceObject(at index: Int, with object: Any) {
    guard let objects else { return super.replaceObject(at: index, with: object) }
    objects.replaceObject(at: index, with: ManagedValue.object(object))
  }

  override func copy(with zone: NSZone? = nil) -> Any {
    NSOrderedSet(array: array)
  }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableOrderedSet(array: array)
  }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostObjects

/// A to-many relationship as a mutable set of Foundation that writes through.
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

  override var allObjects: [Any] { objects.map { Array($0) } ?? super.allObjects }

  override func contains(_ object: Any) -> Bool { member(object) != nil }

  override func addObjects(from array: [Any]) { for object in array { add(object) } }

  override func union(_ other: Set<AnyHashable>) { for object in other { add(object.base) } }

  override func minus(_ other: Set<AnyHashable>) { for object in other { remove(object.base) } }

  override func intersect(_ other: Set<AnyHashable>) {
    for case let object as AnyHashable in allObjects where !other.contains(object) {
      remove(object.base)
    }
  }

  override func removeAllObjects() { for object in allObjects { remove(object) } }

  override func copy(with zone: NSZone? = nil) -> Any {
    NSSet(array: allObjects)
  }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableSet(array: allObjects)
  }
}

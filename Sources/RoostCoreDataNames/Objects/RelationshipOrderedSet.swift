// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostObjects

/// An ordered relationship as Foundation's ordered set that writes through. It has the destinations as they were when
/// it was made, and what was done to it since.
final class RelationshipOrderedSet: NSMutableOrderedSet {
  private var objects: MutableObjectList<ManagedObject>?

  init(_ objects: MutableObjectList<ManagedObject>) {
    super.init(capacity: 0)
    super.addObjects(from: objects.array)
    self.objects = objects
  }

  required init?(coder: NSCoder) { nil }

  required init(arrayLiteral elements: Any...) {
    super.init(capacity: 0)
    for element in elements { add(element) }
  }

  /// Foundation's methods call one another; the last one leaves the relationship right.
  private func write() {
    objects?.set(array.map(ManagedValue.object))
  }

  override func add(_ object: Any) {
    super.add(object)
    write()
  }

  override func addObjects(from array: [Any]) {
    super.addObjects(from: array)
    write()
  }

  override func insert(_ object: Any, at index: Int) {
    super.insert(object, at: index)
    write()
  }

  override func remove(_ object: Any) {
    super.remove(object)
    write()
  }

  override func removeObject(at index: Int) {
    super.removeObject(at: index)
    write()
  }

  override func removeAllObjects() {
    super.removeAllObjects()
    write()
  }

  override func replaceObject(at index: Int, with object: Any) {
    super.replaceObject(at: index, with: object)
    write()
  }

  override func union(_ other: NSOrderedSet) {
    super.union(other)
    write()
  }

  override func minus(_ other: NSOrderedSet) {
    super.minus(other)
    write()
  }

  override func copy(with zone: NSZone? = nil) -> Any {
    NSOrderedSet(array: array)
  }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableOrderedSet(array: array)
  }
}

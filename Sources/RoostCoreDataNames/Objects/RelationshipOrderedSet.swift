// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostObjects

/// An ordered relationship as an ordered set of Foundation that reads and writes the relationship itself.
///
/// Outside of Apple's systems, Foundation answers some calls from its own storage, and subclasses cannot override
/// them: iteration, `firstObject`, `lastObject` and `reversed`. For these the set has the destinations as of its
/// creation or the last other access.
final class RelationshipOrderedSet: NSMutableOrderedSet {
  private let objects: MutableObjectList<ManagedObject>

  init(_ objects: MutableObjectList<ManagedObject>) {
    self.objects = objects
    super.init(capacity: 0)
    show()
  }

  required init?(coder: NSCoder) { nil }

  required init(arrayLiteral elements: Any...) {
    preconditionFailure(
      "The set of a relationship is what mutableOrderedSetValue(forKey:) returns.")
  }

  // MARK: Primitive methods

  override var count: Int {
    show()
    return objects.count
  }

  override func object(at index: Int) -> Any { objects[index] }

  override func contains(_ object: Any) -> Bool {
    isShowing ? super.contains(object) : place(of: object) { objects.contains($0) } ?? false
  }

  override func index(of object: Any) -> Int {
    place(of: object) { objects.index(of: $0) } ?? NSNotFound
  }

  override func insert(_ object: Any, at index: Int) {
    let object = ManagedValue.object(object)
    guard !objects.contains(object) else { return }
    objects.insert(object, at: index)
    show()
  }

  override func removeObject(at index: Int) {
    objects.remove(at: index)
    show()
  }

  override func replaceObject(at index: Int, with object: Any) {
    objects.replaceObject(at: index, with: ManagedValue.object(object))
    show()
  }

  private func place<Place>(of object: Any, _ find: (ManagedObject) -> Place?) -> Place? {
    (object as? ManagedObject).flatMap(find)
  }

  // MARK: Methods for several objects

  override func add(_ object: Any) {
    let object = ManagedValue.object(object)
    guard !objects.contains(object) else { return }
    // Foundation adds only objects that are not in the set yet.
    super.add(object)
    shown.append(object)
    objects.append(object)
  }

  override func addObjects(from array: [Any]) {
    objects.append(contentsOf: array.map(ManagedValue.object))
    show()
  }

  override func remove(_ object: Any) {
    guard let object = object as? ManagedObject else { return }
    objects.remove(object)
    show()
  }

  override func removeObjects(in array: [Any]) {
    objects.subtract(array.compactMap { $0 as? ManagedObject })
    show()
  }

  override func removeAllObjects() {
    objects.removeAll()
    show()
  }

  override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
    self.objects.replaceObjects(at: indexes, with: objects.map(ManagedValue.object))
    show()
  }

  override func moveObjects(at indexes: IndexSet, to index: Int) {
    edit { members in
      let moved = indexes.map { members[$0] }
      for index in indexes.reversed() { members.remove(at: index) }
      members.insert(contentsOf: moved, at: index)
    }
  }

  override func exchangeObject(at first: Int, withObjectAt second: Int) {
    edit { $0.swapAt(first, second) }
  }

  override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }

  override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }

  override func intersect(_ other: NSOrderedSet) {
    edit { members in members.removeAll { !other.contains($0) } }
  }

  override func sort(using sortDescriptors: [NSSortDescriptor]) {
    let sorted = NSArray(array: objects.array).sortedArray(using: sortDescriptors)
    edit { $0 = sorted.map(ManagedValue.object) }
  }

  private func edit(_ change: (inout [ManagedObject]) -> Void) {
    var members = objects.array
    change(&members)
    objects.set(members)
    show()
  }

  override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: objects.array) }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableOrderedSet(array: objects.array)
  }

  // MARK: Foundation's storage

  #if canImport(Darwin)
  private var shown: [ManagedObject] = []
  private var isShowing: Bool { false }

  /// Does nothing: on Apple's systems, Foundation has no storage of its own for a subclass.
  private func show() {}
  #else
  private var shown: [ManagedObject] = []
  private var isShowing = false

  /// Updates Foundation's storage with the current destinations.
  private func show() {
    let members = objects.array
    guard !shown.elementsEqual(members, by: ===) else { return }
    shown = members
    isShowing = true
    super.removeAllObjects()
    super.addObjects(from: members)
    isShowing = false
  }

  override func intersectSet(_ other: Set<AnyHashable>) {
    edit { members in members.removeAll { !other.contains($0) } }
  }

  override func minusSet(_ other: Set<AnyHashable>) { removeObjects(in: other.map(\.base)) }

  override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

  override func add(_ added: UnsafePointer<AnyObject>?, count: Int) {
    addObjects(from: Array(UnsafeBufferPointer(start: added, count: count)))
  }

  override func sortRange(
    _ range: NSRange, options: NSSortOptions = [],
    usingComparator comparator: (Any, Any) -> ComparisonResult
  ) {
    edit { members in
      let bounds = range.lowerBound..<range.upperBound
      let sorted = NSArray(array: Array(members[bounds]))
        .sortedArray(options: options, usingComparator: comparator)
      members.replaceSubrange(bounds, with: sorted.map(ManagedValue.object))
    }
  }

  override func enumerateObjects(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
    show()
    super.enumerateObjects(block)
  }

  override func sortedArray(
    options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult
  ) -> [Any] {
    show()
    return super.sortedArray(options: options, usingComparator: comparator)
  }
  #endif
}

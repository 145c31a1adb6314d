// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Attaches rows to faults, which arrive in the order of the rows and are scattered in memory.
///
/// It gathers some, and touches all their objects, before the first reference is counted: the processor then loads
/// them from memory in parallel instead of one after the other.
struct RowArrivals {
  private let objects: [ManagedObject]
  private var places: ContiguousArray<Int> = []
  private var rows: ContiguousArray<Row?> = []

  /// The number of objects gathered: one bit of a word for each tells which of them are faults.
  private static let stride = 64
  /// The number of objects below which each row is attached as it arrives.
  private static let leastCount = 64

  /// - Parameter objects: The objects for the first indices; rows with other indices are ignored.
  init(for objects: [ManagedObject]) {
    self.objects = objects
    guard objects.count >= RowArrivals.leastCount else { return }
    places.reserveCapacity(RowArrivals.stride)
    rows.reserveCapacity(RowArrivals.stride)
  }

  /// Takes the row of the object at an index, or nil if its record is gone.
  mutating func take(_ place: Int, _ row: Row?) {
    guard place < objects.count else { return }
    guard objects.count >= RowArrivals.leastCount else {
      if objects[place].isFault { RowArrivals.give(row, to: objects[place]) }
      return
    }
    places.append(place)
    rows.append(row)
    if places.count == RowArrivals.stride { attach() }
  }

  /// Attaches the gathered rows to the objects that are still faults.
  mutating func attach() {
    guard !places.isEmpty else { return }
    objects.withUnsafeBytes { bytes in
      // An object is one reference, and so is an unmanaged one; the array retains the objects meanwhile.
      let objects = bytes.bindMemory(to: Unmanaged<ManagedObject>.self)
      var faults: UInt64 = 0
      for (index, place) in places.enumerated() {
        if objects[place]._withUnsafeGuaranteedRef({ $0.isFault }) {
          faults |= 1 &<< UInt64(index)
        }
      }
      for (index, place) in places.enumerated() where faults & (1 &<< UInt64(index)) != 0 {
        objects[place]._withUnsafeGuaranteedRef { object in
          RowArrivals.give(rows[index].take(), to: object)
        }
      }
    }
    places.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private static func give(_ row: consuming Row?, to object: ManagedObject) {
    if let row { object.attach(row) } else { object.row = nil }
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Fulfilling faults. One fault is never fulfilled alone: objects that were fetched together are read together.
extension ManagedObject {
  /// Reads the values; nil when there are none to be had.
  @usableFromInline final func fire() -> UnsafeMutableRawPointer? {
    if let memory { return memory }
    guard !flags.contains(.inaccessible) else { return nil }
    // The context lives as long as it is referred to: it clears the reference before it goes away.
    guard let contextReference else { return orphan.memoryOfOrphan() }
    return contextReference._withUnsafeGuaranteedRef { $0.loader.fulfill(self) }
  }

  /// Makes the row that was attached readable and runs awakeFromFetch.
  @inline(__always) final func awakeWithRow() -> UnsafeMutableRawPointer? {
    // The object holds its row. To count a reference of it would fetch its beginning from memory, and the wanted slot
    // lies elsewhere.
    let current = row.map { Unmanaged.passUnretained($0.storage) }
    if !hasRowAsSnapshot { snapshot = row }
    // For the same reason the row is not asked where its slots are counted from.
    let base = current?._withUnsafeGuaranteedRef { storage in
      storage.withUnsafeMutablePointerToElements {
        UnsafeMutableRawPointer($0 + binding.leadCount)
      }
    }
    memory = base
    flags.insert(.awakening)
    awakeFromFetch()
    flags.remove(.awakening)
    return memory ?? currentBase()
  }

  /// The memory of the row, for an object that awakeFromFetch has made a fault again.
  @inline(never) private final func currentBase() -> UnsafeMutableRawPointer? { row?.base }

  /// Turns the object into a fault and lets go of everything that it held (B46).
  final func turnIntoFault() {
    willTurnIntoFault()
    fetchedProperties.forgetFetchedValues()
    memory = nil
    row = nil
    snapshot = nil
    settled.removeAll()
    links = LinkStates()
    if fetchGroup is PartialRows { fetchGroup = nil }
    changedSlots.removeAll()
    changedLinks.removeAll()
    didTurnIntoFault()
    observers.tellReplacement()
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Fulfilling faults. A fault is never fulfilled alone: objects that were fetched together are read together.
extension ManagedObject {
  /// Reads the values; nil when they cannot be read.
  @usableFromInline final func fire() -> UnsafeMutableRawPointer? {
    if let memory { return memory }
    guard !flags.contains(.inaccessible) else { return nil }
    // The context outlives the reference: it clears the reference before it goes away.
    guard let contextReference else { return orphan.memoryOfOrphan() }
    return contextReference._withUnsafeGuaranteedRef { $0.loader.fulfill(self) }
  }

  /// Makes the attached row readable and calls awakeFromFetch.
  @inline(__always) final func awakeWithRow() -> UnsafeMutableRawPointer? {
    // The object retains its row. Counting a reference would load the row's header into the cache, and the wanted
    // slot lies elsewhere.
    let current = row.map { Unmanaged.passUnretained($0.storage) }
    if !hasRowAsSnapshot { snapshot = row }
    // For the same reason the row is not asked for the offset of its slots.
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

  /// The memory of the row, for an object that awakeFromFetch turned into a fault again.
  @inline(never) private final func currentBase() -> UnsafeMutableRawPointer? { row?.base }

  /// Turns the object into a fault and releases all that it held (B46).
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

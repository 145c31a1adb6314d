// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The objects of a request that read some properties only (B132), with the values read. Reading another property
/// fulfils the whole fault, for all of them in one request.
final class PartialRows: FetchGroup {
  /// The partial rows by ID; slots that were not read are nil.
  private var rows: [ObjectID: Row]
  /// The slots that were read, by entity.
  private let slots: [ObjectIdentifier: PropertyMask]

  init(rows: [ObjectID: Row], slots: [ObjectIdentifier: PropertyMask], ids: [ObjectID]) {
    self.rows = rows
    self.slots = slots
    super.init(ids: ObjectIDList(ids), commitCount: -1)
  }

  /// Forgets the values of a record that another writer has changed: the fault reads the record when it is needed.
  func forget(_ id: ObjectID) {
    rows[id] = nil
  }

  /// Returns the row of an object, if a slot of it was read.
  func row(of object: ManagedObject, having slot: RowSlot) -> Row? {
    guard slots[ObjectIdentifier(object.entity)]?.contains(slot.index) == true else { return nil }
    return rows[object.identity]
  }
}

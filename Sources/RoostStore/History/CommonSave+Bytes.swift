// SPDX-License-Identifier: Apache-2.0

extension HistoryWriter {
  mutating func put(_ save: CommonSave) {
    put(save.id.uuid)
    put(UInt64(save.stores.count))
    for store in save.stores { put(store) }
  }
}

extension HistoryReader {
  /// The maximum number of stores of a save; a larger number means damage.
  private static let mostStores: UInt64 = 65_536

  mutating func save() throws -> CommonSave {
    let id = SaveID(try uuid())
    let count = try number()
    guard (1...Self.mostStores).contains(count) else { throw HistoryDamage() }
    var stores: [String] = []
    for _ in 0..<count { stores.append(try text()) }
    return CommonSave(id: id, stores: stores)
  }
}

// SPDX-License-Identifier: Apache-2.0

extension HistoryWriter {
  mutating func put(_ save: CommonSave) {
    put(save.id)
    put(UInt64(save.storeCount))
  }
}

extension HistoryReader {
  mutating func save() throws -> CommonSave {
    let id = try uuid()
    let count = try number()
    guard (1...UInt64(Int32.max)).contains(count) else { throw HistoryDamage() }
    return CommonSave(id: id, storeCount: Int(count))
  }
}

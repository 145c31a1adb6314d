// SPDX-License-Identifier: Apache-2.0

/// The statements that a connection has prepared, by their text and types; the one that was not used for longest goes
/// first.
struct PreparedStatements {
  private var entries: [Key: Entry] = [:]
  private var clock = 0
  private var names = 0
  private let capacity: Int
  /// The statement with one parameter that was asked for last, which is often asked for again: comparing a text with
  /// itself is cheap, and finding it is not.
  private var last: (key: Key, type: UInt32, name: String)?

  /// The name of the statement that the next one without a name takes the place of.
  static let unnamed = ""

  struct Key: Hashable {
    let text: String
    let types: [UInt32]
  }

  private struct Entry {
    let name: String
    var lastUse: Int
  }

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// The name of a statement that is prepared.
  mutating func name(of key: Key) -> String? {
    clock += 1
    guard let index = entries.index(forKey: key) else { return nil }
    entries.values[index].lastUse = clock
    return entries.values[index].name
  }

  /// The name of a statement with one parameter that is prepared.
  mutating func name(of text: String, type: UInt32) -> String? {
    if let last, last.type == type, last.key.text == text { return last.name }
    let key = Key(text: text, types: [type])
    guard let name = name(of: key) else { return nil }
    last = (key, type, name)
    return name
  }

  /// A name that no statement of the connection had.
  mutating func makeName() -> String {
    names += 1
    return "roost\(names)"
  }

  /// Remembers a statement that the server has prepared.
  mutating func keep(_ key: Key, name: String) {
    entries[key] = Entry(name: name, lastUse: clock)
  }

  /// The name of a statement that has to go, when there are too many.
  mutating func popSurplus() -> String? {
    guard entries.count > capacity else { return nil }
    // Its uses were not noted.
    if let last { entries[last.key]?.lastUse = clock }
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    else { return nil }
    if last?.key == oldest.key { last = nil }
    entries.removeValue(forKey: oldest.key)
    return oldest.value.name
  }

  /// Forgets all statements.
  mutating func removeAll() {
    last = nil
    entries.removeAll()
  }
}

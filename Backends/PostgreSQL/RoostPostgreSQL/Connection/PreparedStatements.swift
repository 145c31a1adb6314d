// SPDX-License-Identifier: Apache-2.0

/// The prepared statements of a connection, by text and parameter types; the least recently used one is dropped first.
struct PreparedStatements {
  private var entries: [Key: Entry] = [:]
  private var clock = 0
  private var names = 0
  private let capacity: Int
  /// The statement with one parameter that was used last, which is often the next one as well: comparing a text with
  /// itself is cheap, a look-up in the dictionary is not.
  private var last: (key: Key, type: UInt32, name: String)?

  /// The name of the unnamed statement, which the next unnamed one replaces.
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

  /// Returns the name of a prepared statement.
  mutating func name(of key: Key) -> String? {
    clock += 1
    guard let index = entries.index(forKey: key) else { return nil }
    entries.values[index].lastUse = clock
    return entries.values[index].name
  }

  /// Returns the name of a prepared statement with one parameter.
  mutating func name(of text: String, type: UInt32) -> String? {
    if let last, last.type == type, last.key.text == text { return last.name }
    let key = Key(text: text, types: [type])
    guard let name = name(of: key) else { return nil }
    last = (key, type, name)
    return name
  }

  /// Returns a name that no statement of the connection has had.
  mutating func makeName() -> String {
    names += 1
    return "roost\(names)"
  }

  /// Records a statement that the server has prepared.
  mutating func keep(_ key: Key, name: String) {
    entries[key] = Entry(name: name, lastUse: clock)
  }

  /// Removes the least recently used statement when there are too many, and returns its name.
  mutating func popSurplus() -> String? {
    guard entries.count > capacity else { return nil }
    // The uses of the last statement were not recorded.
    if let last { entries[last.key]?.lastUse = clock }
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    else { return nil }
    if last?.key == oldest.key { last = nil }
    entries.removeValue(forKey: oldest.key)
    return oldest.value.name
  }

  /// Removes all statements.
  mutating func removeAll() {
    last = nil
    entries.removeAll()
  }
}

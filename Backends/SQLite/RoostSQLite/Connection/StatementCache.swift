// SPDX-License-Identifier: Apache-2.0

/// The prepared statements of a connection, by text; the least recently used one is removed first.
struct StatementCache {
  private var entries: [String: Entry] = [:]
  private var clock = 0
  /// The statement that was used last, which is often the next one as well: comparing a text with itself is cheap, a
  /// look-up in the dictionary is not.
  private var last: SQLiteStatement?
  private let capacity: Int

  private struct Entry {
    let statement: SQLiteStatement
    var lastUse: Int
  }

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Returns the statement with a text, if it is not in use.
  mutating func idleStatement(_ text: String) -> SQLiteStatement? {
    if let last, last.text == text, !last.isInUse { return last }
    clock += 1
    guard let index = entries.index(forKey: text), !entries.values[index].statement.isInUse else {
      return nil
    }
    entries.values[index].lastUse = clock
    last = entries.values[index].statement
    return last
  }

  /// Adds a statement, unless one with its text is cached already.
  mutating func keep(_ statement: SQLiteStatement) {
    guard entries[statement.text] == nil else { return }
    if entries.count >= capacity { removeOldest() }
    entries[statement.text] = Entry(statement: statement, lastUse: clock)
  }

  /// Finalises all statements.
  mutating func removeAll() {
    last = nil
    entries.removeAll()
  }

  private mutating func removeOldest() {
    let idle = entries.filter { !$0.value.statement.isInUse }
    guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    if last === oldest.value.statement { last = nil }
    entries.removeValue(forKey: oldest.key)
  }
}

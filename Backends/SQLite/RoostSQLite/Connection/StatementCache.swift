// SPDX-License-Identifier: Apache-2.0

/// The statements that a connection keeps prepared, by their text; the one that was not used for longest goes first.
struct StatementCache {
  private var entries: [String: Entry] = [:]
  private var clock = 0
  /// The statement that was asked for last, which is often asked for again: comparing a text with itself is cheap, and
  /// finding it is not.
  private var last: SQLiteStatement?
  private let capacity: Int

  private struct Entry {
    let statement: SQLiteStatement
    var lastUse: Int
  }

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// A statement with a text that nobody uses now.
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

  /// Keeps a statement, unless one with its text is kept already.
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

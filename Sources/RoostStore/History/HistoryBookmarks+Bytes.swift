// SPDX-License-Identifier: Apache-2.0

extension HistoryBookmarks {
  private static let version: UInt8 = 1

  /// The encoded bookmarks, as stored.
  public var bytes: [UInt8] {
    var parts: [[UInt8]] = [[isIncomplete ? 1 : 0]]
    for (name, bookmark) in entries.sorted(by: { $0.key < $1.key }) {
      parts.append(Array(name.utf8))
      parts.append(bookmark.position?.bytes ?? [])
      parts.append(
        withUnsafeBytes(of: bookmark.time.bitPattern.bigEndian) { Array($0) }
          + [bookmark.isDropped ? 1 : 0])
    }
    return HistoryPacking.pack(version: Self.version, parts)
  }

  /// Reads bookmarks. Damaged bytes give an empty value with ``isIncomplete``: a follower without its bookmark starts
  /// over, and is not mistaken for one that has read everything.
  ///
  /// - Parameter bytes: The value of ``bytes``; nil for no bookmarks.
  public init(bytes: [UInt8]?) {
    self.init()
    guard let bytes else { return }
    guard let parts = HistoryPacking.unpack(bytes, version: Self.version), parts.count % 3 == 1,
      parts[0].count == 1
    else {
      isIncomplete = true
      return
    }
    isIncomplete = parts[0][0] != 0
    for index in stride(from: 1, to: parts.count, by: 3) {
      let (position, rest) = (parts[index + 1], parts[index + 2])
      guard let name = String(validating: parts[index], as: UTF8.self), rest.count == 9,
        let place = position.isEmpty
          ? .some(nil) : StorePosition(bytes: position).map(Optional.some)
      else {
        isIncomplete = true
        continue
      }
      entries[name] = HistoryBookmark(
        position: place,
        time: Double(bitPattern: rest[..<8].reduce(0) { $0 << 8 | UInt64($1) }),
        isDropped: rest[8] != 0)
    }
  }
}

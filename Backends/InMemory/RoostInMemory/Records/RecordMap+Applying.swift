// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostModel

extension RecordMap {
  /// Returns the map after changes, which are ordered by key with at most one change per record.
  ///
  /// - Complexity: O(*m*) for *m* neighbouring changes; one path of nodes for each isolated change.
  func applying(_ changes: [RecordChange]) -> RecordMap {
    guard let last = changes.last else { return self }
    var base = self
    while RecordKey.sequence(of: last.key) >= RecordMap.capacity(height: base.height) {
      base = base.raised()
    }
    let root = changes.withUnsafeBufferPointer { changes in
      RecordMap.merge(base.root?.address, level: base.height, changes)
    }
    return RecordMap(root: root, height: root == nil ? 0 : base.height)
  }

  /// The same records under one more node.
  private func raised() -> RecordMap {
    guard let root else { return RecordMap(root: nil, height: height + 1) }
    let raised = RecordMap.withPlaces { places in
      places[0] = root.address
      return RecordNode.make(isLeaf: false, places: places)
    }
    return RecordMap(root: raised, height: height + 1)
  }

  private static func withPlaces<Result>(_ body: (RecordNode.Places) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: 64) { places in
      places.initialize(repeating: nil)
      return body(places)
    }
  }

  // As deep as the tree is high: nine calls at the most.
  private static func merge(
    _ address: UnsafeRawPointer?, level: Int, _ changes: UnsafeBufferPointer<RecordChange>
  ) -> RecordNode? {
    withPlaces { places in
      if let address { RecordNode.with(address) { $0.spread(into: places) } }
      guard level > 0 else {
        for change in changes {
          let place = Int(RecordKey.sequence(of: change.key) & 63)
          places[place] = change.row.map { RecordMap.address(of: $0) }
        }
        return RecordNode.make(isLeaf: true, places: places)
      }
      // The new nodes live in `made` until their parent holds them.
      var made: [RecordNode] = []
      var start = 0
      while start < changes.count {
        let place = RecordMap.place(of: changes[start].key, level: level)
        var end = start + 1
        while end < changes.count, RecordMap.place(of: changes[end].key, level: level) == place {
          end += 1
        }
        let child = merge(
          places[place], level: level - 1, UnsafeBufferPointer(rebasing: changes[start..<end]))
        places[place] = child?.address
        if let child { made.append(child) }
        start = end
      }
      return withExtendedLifetime(made) { RecordNode.make(isLeaf: false, places: places) }
    }
  }

  private static func place(of key: Int64, level: Int) -> Int {
    Int((RecordKey.sequence(of: key) >> Int64(level * 6)) & 63)
  }

  private static func address(of row: Row) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(row.storage).toOpaque())
  }
}

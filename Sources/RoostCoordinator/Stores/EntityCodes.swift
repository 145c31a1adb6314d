// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Assigns each entity of a store its code: the low bits of the keys of its records.
///
/// A code is never reused: the code of an entity that left the model stays reserved, so that a key never comes to
/// mean a record of another entity.
enum EntityCodes {
  /// Returns the codes of a store with those of new entities added, in the order of their names.
  ///
  /// - Parameters:
  ///   - known: The codes in the store's metadata.
  ///   - names: The entities that the store will hold.
  ///   - renamed: Entities that keep the code of their old name.
  ///   - replaced: Removed entities whose names other entities have taken; those entities get new codes.
  /// - Throws: `corruptStore` when a known code is out of range or given twice, `limitExceeded` when there are more
  ///   entities than codes.
  static func assign(
    known: [String: Int], names: [String], renamed: [(old: String, new: String)] = [],
    replaced: [String] = []
  ) throws -> [String: Int] {
    try check(known)
    var codes = known
    for name in replaced {
      // The code stays reserved, under a name that no entity has.
      guard let code = codes.removeValue(forKey: name) else { continue }
      codes["removed \(code): \(name)"] = code
    }
    // All at once: two entities may have exchanged their names.
    for (old, _) in renamed { codes[old] = nil }
    // An entity that an earlier version removed may have had the name: its code stays reserved, too.
    for (_, new) in renamed {
      guard let code = codes.removeValue(forKey: new) else { continue }
      codes["removed \(code): \(new)"] = code
    }
    for (old, new) in renamed { codes[new] = known[old] }
    var next = (known.values.max() ?? 0) + 1
    for name in names.sorted(by: UTF8Order.isLess) where codes[name] == nil {
      guard next <= RecordKey.largestEntityCode else {
        throw PersistenceError(
          .limitExceeded,
          "A store can hold \(RecordKey.largestEntityCode) entities, earlier models' included.",
          entityName: name)
      }
      codes[name] = next
      next += 1
    }
    return codes
  }

  private static func check(_ known: [String: Int]) throws {
    var seen: Set<Int> = []
    for (name, code) in known {
      guard (1...RecordKey.largestEntityCode).contains(code), seen.insert(code).inserted else {
        throw PersistenceError(
          .corruptStore, "The store's metadata has an impossible code for an entity.",
          entityName: name)
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostStore

/// An engine that forwards to another one all functions that its type does not implement.
protocol ForwardingEngine: KeyValueEngine {
  var base: any KeyValueEngine { get }
}

extension ForwardingEngine {
  var longestEntryKey: Int { base.longestEntryKey }
  var keepsFormats: Bool { base.keepsFormats }
  var keepsRemoved: Bool { base.keepsRemoved }
  var isDurable: Bool { base.isDurable }
  var canFreeze: Bool { base.canFreeze }

  func adopt(_ schema: StoreSchema) throws { try base.adopt(schema) }
  func read(_ body: (any KeyValueSnapshot) throws -> Void) throws { try base.read(body) }
  func frozen() throws -> any KeyValueEngine { try base.frozen() }
  func writeCount() throws -> UInt64 { try base.writeCount() }
  func makeDurable() throws { try base.makeDurable() }
  func close() { base.close() }

  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    try base.write(cancellation, body)
  }
}

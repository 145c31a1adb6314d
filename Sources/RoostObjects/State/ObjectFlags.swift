// SPDX-License-Identifier: Apache-2.0

/// The state of an object in its context.
struct ObjectFlags: OptionSet {
  let rawValue: UInt16

  static let inserted = ObjectFlags(rawValue: 1)
  static let updated = ObjectFlags(rawValue: 2)
  static let deleted = ObjectFlags(rawValue: 4)
  /// The delete rules were applied to this deletion.
  static let propagated = ObjectFlags(rawValue: 8)
  /// The record is gone from its store (B43).
  static let inaccessible = ObjectFlags(rawValue: 16)
  /// awakeFromFetch is running: setters change values and nothing else (B48).
  static let awakening = ObjectFlags(rawValue: 32)
  /// A path recorder: reading a property notes its name.
  static let recorder = ObjectFlags(rawValue: 64)
  /// Reads and writes of the object are reported to Observation.
  static let observed = ObjectFlags(rawValue: 16384)
  /// The row is not laid out by the class, so that the accessors' fast path would read the wrong cells.
  static let scattered = ObjectFlags(rawValue: 4096)
  /// The accessors' fast path is disabled.
  static let closed: ObjectFlags = [.observed, .scattered]
  /// awakeFromInsert was called (B21).
  static let awoken = ObjectFlags(rawValue: 128)
  /// The object was deleted by a save.
  static let gone = ObjectFlags(rawValue: 256)
  /// The current event touched the object.
  static let inEvent = ObjectFlags(rawValue: 512)
  /// The current event touched the object, and it had changes before.
  static let hasEarlierChanges = ObjectFlags(rawValue: 1024)

  /// The row as it was before the current event wrote to it is kept for an undo.
  static let hasKeptRow = ObjectFlags(rawValue: 2048)

  static let ofEvent: ObjectFlags = [.inEvent, .hasEarlierChanges, .hasKeptRow]

  /// The context keeps results of the object's fetched properties (B305).
  static let hasFetchedValues = ObjectFlags(rawValue: 8192)

  /// The context went away before the object.
  static let orphaned = ObjectFlags(rawValue: 32768)

  static let changed: ObjectFlags = [.inserted, .updated, .deleted]
}

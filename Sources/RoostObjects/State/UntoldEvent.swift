// SPDX-License-Identifier: Apache-2.0

/// An event that is over, and what is to be told of it.
struct UntoldEvent {
  let log: EventLog
  let lists: ObjectLists
  /// The same for those who keep results up to date; nil when nobody does.
  let change: GraphChange?
}

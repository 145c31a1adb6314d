// SPDX-License-Identifier: Apache-2.0

/// An ended event whose notifications are not posted yet.
struct UntoldEvent {
  let log: EventLog
  let lists: ObjectLists
  /// The changes for the follower that keeps results up to date; nil without a follower.
  let change: GraphChange?
}

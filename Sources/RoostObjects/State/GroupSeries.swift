// SPDX-License-Identifier: Apache-2.0

/// The groups of objects that one request found, in order.
///
/// The first group whose rows are needed is read alone: a program may want no more. When rows of another one are
/// needed, it is walking through them, and those that follow are read with it. A store reads many records in the time
/// that some take which are spread over the whole table.
final class GroupSeries {
  /// A series keeps no group alive: a group lives as long as a member does.
  private struct Place {
    weak var group: FetchGroup?
  }

  private var places: [Place] = []
  private var isWalked = false

  /// How many groups share a request at the most: it bounds what one access can cost a program that walks.
  static let stride = 32

  func append(_ group: FetchGroup) {
    group.series = self
    group.place = places.count
    places.append(Place(group: group))
  }

  /// The groups whose rows are read in one request with those of a member of `first`.
  func groupsToRead(with first: FetchGroup) -> [FetchGroup] {
    // What is read again is read for one group.
    guard !first.wasRead else { return [first] }
    defer { isWalked = true }
    guard isWalked else { return [first] }
    var result = [first]
    for place in places[(first.place + 1)...] where result.count < GroupSeries.stride {
      if let group = place.group, !group.wasRead { result.append(group) }
    }
    return result
  }
}

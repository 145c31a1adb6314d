// SPDX-License-Identifier: Apache-2.0

/// The groups of objects that one request found, in order.
///
/// The first group whose rows are needed is read alone: the program may need no more. When rows of a second group are
/// needed, the program is iterating, and the following groups are read along. A store reads many records in the time
/// that it takes to read a few that are scattered over the table.
final class GroupSeries {
  /// A weak reference to a group, which lives as long as one of its members does.
  private struct Place {
    weak var group: FetchGroup?
  }

  private var places: [Place] = []
  private var isWalked = false

  /// The maximum number of groups in one request: the limit on the cost of one access while a program iterates.
  static let stride = 32

  func append(_ group: FetchGroup) {
    group.series = self
    group.place = places.count
    places.append(Place(group: group))
  }

  /// Returns the groups whose rows are read in one request with those of a member of `first`.
  func groupsToRead(with first: FetchGroup) -> [FetchGroup] {
    // Repeated reads cover one group only.
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

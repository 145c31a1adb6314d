// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostObjects

/// Tests of the groups of destinations that are read together.
@Suite struct GroupSeriesTests {
  private func series(_ count: Int) -> (GroupSeries, [FetchGroup]) {
    let series = GroupSeries()
    let groups = (0..<count).map { _ in FetchGroup(ids: [], commitCount: -1) }
    for group in groups { series.append(group) }
    return (series, groups)
  }

  private func places(_ series: GroupSeries, _ group: FetchGroup) -> [Int] {
    let found = series.groupsToRead(with: group)
    for group in found { group.rowsWereRead(after: 1) }
    return found.map(\.place)
  }

  @Test("the first group is read alone, a walk reads those that follow with the second one")
  func walking() {
    let (series, groups) = series(40)
    #expect(places(series, groups[3]) == [3])
    #expect(places(series, groups[4]) == Array(4..<36))
    #expect(places(series, groups[0]) == [0, 1, 2] + Array(36..<40))
  }

  @Test("what was read is read again for one group, and a group that is gone is not read")
  func readingAgain() {
    let series = GroupSeries()
    var groups = (0..<5).map { _ in FetchGroup(ids: [], commitCount: -1) }
    for group in groups { series.append(group) }
    #expect(places(series, groups[0]) == [0])
    #expect(places(series, groups[0]) == [0])
    groups.remove(at: 3)
    #expect(places(series, groups[1]) == [1, 2, 4])
    #expect(places(series, groups[2]) == [2])
  }

  @Test("objects that one request found know their series; those of a single group have none")
  func groups() {
    let scope = IDScope.makeTemporaryID(for: EntityDescription(name: "Person")).scope
    let ids = (0..<10_000).map { ObjectID(scope: scope, key: Int64($0)) }
    let groups = FetchGroup.groups(of: ObjectIDList(ids))
    #expect(groups.map(\.ids.count) == [4_096, 4_096, 1_808])
    #expect(groups.allSatisfy { $0.series === groups[0].series })
    let few = FetchGroup.groups(of: ObjectIDList(Array(ids.prefix(4_096))))
    #expect(few.map { $0.series == nil } == [true])
  }
}

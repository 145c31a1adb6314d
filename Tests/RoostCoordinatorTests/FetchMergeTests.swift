// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostCoordinator

/// Tests of merging the sorted results of several stores.
@Suite struct FetchMergeTests {
  @Test("of equal results those of the first store come first, and windows are taken of all")
  func ties() {
    let merge = FetchMerge([[1, 2, 2], [1, 2], [0, 2]])
    let merged = merge.merged(by: <)
    #expect(merged.map(\.element) == [0, 1, 1, 2, 2, 2, 2])
    #expect(merged.map(\.list) == [2, 0, 1, 0, 0, 1, 2])
    let window = FetchMerge([[1, 2, 2], [1, 2], [0, 2]], offset: 2, limit: 2).merged(by: <)
    #expect(window.map(\.list) == [1, 0])
  }
}

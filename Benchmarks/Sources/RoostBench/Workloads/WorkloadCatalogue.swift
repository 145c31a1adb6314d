// SPDX-License-Identifier: Apache-2.0

/// All workloads in the order in which a round runs them: the one that fills the store first, those that change it
/// last. A workload of your own stands anywhere in the list.
enum WorkloadCatalogue {
  static let all: [any Workload] = [
    InsertAll(), ReadAll(), LookUp(), FireFaults(), QueryTop(), FollowPrefetched(),
    FollowFaults(), SumMembers(), AverageScores(), OpenAndFetch(), FetchOne(), ReadNumbers(),
    WriteNumbers(), ReadTexts(), ReadByKey(), ReadAndCastByKey(), ChangeSome(), SaveOneByOne(),
    DeleteSome(), DeleteBatch(), InsertBatch(), UpdateBatch(),
  ]

  /// All that can be named on the command line.
  static var ids: [String] { all.map(\.id) + MemoryWork.allCases.map(\.rawValue) }

  /// Where a workload stands in tables: by its number.
  static func place(of id: String) -> Int {
    if let work = ModelWork(rawValue: id) { return ModelWork.allCases.firstIndex(of: work) ?? 0 }
    let number = Int(id.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 999
    // What asks a store, what does not, memory, and whatever somebody adds.
    let group = ["W", "A", "M"].firstIndex { id.hasPrefix($0) } ?? 3
    return group * 100_000 + number * 10 + (id.last?.isLetter == true ? 1 : 0)
  }
}

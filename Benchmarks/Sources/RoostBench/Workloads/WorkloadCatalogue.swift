// SPDX-License-Identifier: Apache-2.0

/// All workloads in the order in which a round runs them: the one that fills the store first, those that change it
/// last. A workload that you add can be anywhere in the list.
enum WorkloadCatalogue {
  static let all: [any Workload] = [
    InsertAll(), ReadAll(), LookUp(), FireFaults(), QueryTop(), FollowPrefetched(),
    FollowFaults(), SumMembers(), AverageScores(), OpenAndFetch(), FetchOne(), ReadNumbers(),
    WriteNumbers(), ReadTexts(), ReadByKey(), ReadAndCastByKey(), ChangeSome(), SaveOneByOne(),
    DeleteSome(), DeleteBatch(), InsertBatch(), UpdateBatch(),
  ]

  /// All names that the command line accepts.
  static var ids: [String] { all.map(\.id) + MemoryWork.allCases.map(\.rawValue) }

  /// Returns the sort key of a workload in tables, which is made of its group and its number.
  static func place(of id: String) -> Int {
    if let work = ModelWork(rawValue: id) { return ModelWork.allCases.firstIndex(of: work) ?? 0 }
    let number = Int(id.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 999
    // The groups: workloads with store requests, without them, memory, and added ones.
    let group = ["W", "A", "M"].firstIndex { id.hasPrefix($0) } ?? 3
    return group * 100_000 + number * 10 + (id.last?.isLetter == true ? 1 : 0)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The instructions of a store's workloads and their budgets, as text.
struct InstructionTable {
  let store: StoreKind
  let extent: Extent
  /// Instructions per operation, by workload.
  let counted: [String: Double]

  var text: String {
    var rows = [["", "instructions", "budget", "part", ""]]
    for id in ids {
      guard let number = counted[id] else { continue }
      let budget = budget(id)
      rows.append([
        id, Figures.digits(number), budget.map(Figures.digits) ?? "-",
        budget.map { Figures.ratio(number / $0) } ?? "-", WorkloadTitles.title(id, extent),
      ])
    }
    let head =
      "\(store.title), instructions an operation, \(Figures.grouped(extent.objects)) objects"
    return ([head] + TextTable.aligned(rows, textColumns: [0, 4])).joined(separator: "\n")
  }

  /// The workloads that take more than their budget, a sentence each.
  var violations: [String] {
    ids.compactMap { id in
      guard let number = counted[id], let budget = budget(id), number > budget else { return nil }
      return "\(store.title) \(id): \(Figures.digits(number)) instructions, "
        + "at most \(Figures.digits(budget))"
    }
  }

  private var ids: [String] {
    counted.keys.sorted { WorkloadCatalogue.place(of: $0) < WorkloadCatalogue.place(of: $1) }
  }

  /// The budget, which is defined for one number of objects only.
  private func budget(_ id: String) -> Double? {
    extent.objects == InstructionBudgets.objects
      ? InstructionBudgets.budget(id, on: store) : nil
  }
}

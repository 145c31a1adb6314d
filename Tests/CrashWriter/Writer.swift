// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Saves parcel after parcel, and acknowledges each save on its standard output, until it is killed.
struct Writer {
  let kind: StoreKind
  let url: URL
  let defect: Defect?

  /// Deliberate defects of a writer, as controls: the check must detect them.
  enum Defect: String {
    /// It acknowledges a save before it is made.
    case early
    /// It saves a parcel in two transactions.
    case torn
    /// It deletes the first transactions of the history.
    case trimmed
  }

  func run() throws {
    let container = try kind.open(at: url)
    let context = container.newBackgroundContext()
    let counter = try prepare(context)
    Terminal.say("ready \(counter.last)")
    while true {
      let number = counter.last + 1
      if defect == .early { Terminal.say("\(number)") }
      counter.last = number
      try save(ParcelPlan(number), context)
      if defect == .trimmed {
        try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: Date.now))
      }
      if defect != .early { Terminal.say("\(number)") }
    }
  }

  /// Inserts the objects that all parcels share, unless they exist.
  private func prepare(_ context: ManagedObjectContext) throws -> Counter {
    if let counter = try context.fetch(Counter.where { $0.name == "parcels" }).first {
      return counter
    }
    let counter = Counter(context: context)
    counter.name = "parcels"
    for name in ParcelPlan.tagNames { Tag(context: context).name = name }
    try context.save()
    return counter
  }

  private func save(_ plan: ParcelPlan, _ context: ManagedObjectContext) throws {
    let tags = try context.fetch(Tag.where { $0.name != "" })
    let parcel = Parcel(context: context)
    parcel.number = plan.number
    parcel.pieceCount = Int64(plan.sizes.count)
    for position in plan.sizes.indices {
      if defect == .torn, position == plan.sizes.count / 2 { try context.save() }
      let piece = Piece(context: context)
      piece.code = plan.code(position)
      piece.size = Int64(plan.sizes[position])
      piece.content = plan.content(position)
      piece.parcel = parcel
      piece.tags = Set(tags.filter { $0.name == plan.tagName(position) })
    }
    let outdated = plan.number - ParcelPlan.kept
    for parcel in try context.fetch(Parcel.where { $0.number <= outdated }) {
      context.delete(parcel)
    }
    try context.save()
  }
}

/// The standard output, written line by line without buffering.
enum Terminal {
  /// The peak resident memory of the process, in kilobytes.
  static var peakKilobytes: Int {
    #if os(Linux)
    // The value of `getrusage` is inherited: it is at least the parent's when it started this process.
    let status = try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropLast().last.flatMap { Int($0.drop { !$0.isNumber }) }
      ?? 0
    #else
    var usage = rusage()
    guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
    return usage.ru_maxrss / 1024
    #endif
  }

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  static func warn(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}

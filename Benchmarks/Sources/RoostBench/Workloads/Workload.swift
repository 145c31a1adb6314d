// SPDX-License-Identifier: Apache-2.0

/// A piece of work that is measured: what it does with Roost, and what a program does for the same answer that calls
/// the engine directly.
///
/// To add one of your own, write a file like this and name the workload in ``WorkloadCatalogue``:
///
/// ```swift
/// struct OldestFirst: Workload {
///   let id = "X1"
///   let title = "all by age, descending"
///
///   func run(on stage: Stage) throws -> Checksum {
///     let context = stage.newContext()
///     let request = FetchRequest<Person>(entityName: "Person").sorted(by: \.age, ascending: false)
///     return try stage.measure {
///       var sum = Checksum()
///       for person in try context.fetch(request) { sum.add(Int(person.age)) }
///       return sum
///     }
///   }
/// }
/// ```
///
/// Without a baseline the time stands alone. With one, both sides must come to the same checksum in every round.
protocol Workload: Sendable {
  /// The name on the command line and in files, as `W4`.
  var id: String { get }
  /// What it does, in a few words; the number of ``count(_:)`` is put before them.
  var title: String { get }
  /// How many of the title's things there are; nil where no number is needed.
  func count(_ extent: Extent) -> Int?
  /// What it leaves behind, so that the next one finds the data.
  var effect: WorkloadEffect { get }
  /// What it is compared with; the first is the one of the ratio unless the goal names another.
  var baselines: [Baseline] { get }
  /// Whether the store is asked at all, so that its settings make a difference.
  var asksStore: Bool { get }
  /// Whether the figures are nanoseconds and not milliseconds, because one operation is so short.
  var isBrief: Bool { get }
  /// What the ratio, or the time, is to be at most on a store.
  func goal(_ store: StoreKind) -> Goal?
  /// How long one side takes with 100,000 persons, in milliseconds and roughly: for the estimate of the time left.
  var expectedMilliseconds: Double { get }
  /// How many operations the figures stand for: times are divided by it. One, unless the workload repeats itself only
  /// to be measurable.
  func repetitions(_ extent: Extent) -> Int
  /// How many operations counters and scale curves are divided by: the objects, unless the workload does something
  /// else.
  func operations(_ extent: Extent) -> Int

  /// Does it with Roost; only what runs in `stage.measure` counts.
  func run(on stage: Stage) throws -> Checksum
  /// Does it without; nil when the engine has nothing of the kind.
  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum?
}

extension Workload {
  var effect: WorkloadEffect { .none }
  var baselines: [Baseline] { [] }
  func count(_ extent: Extent) -> Int? { nil }
  var asksStore: Bool { true }
  var isBrief: Bool { false }
  var expectedMilliseconds: Double { 200 }
  func goal(_ store: StoreKind) -> Goal? { nil }
  func repetitions(_ extent: Extent) -> Int { 1 }
  func operations(_ extent: Extent) -> Int { extent.objects }
  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? { nil }

  /// What it is compared with on a store: SQLite has settings that change a lot, so there the plain way is measured
  /// with them too.
  func baselines(on store: StoreKind) -> [Baseline] {
    store.hasSettings && asksStore && baselines.contains(.raw) ? baselines + [.tuned] : baselines
  }

  /// A measured time as a figure of the table.
  func figure(_ milliseconds: Double, _ extent: Extent) -> (value: Double, unit: String) {
    let value = milliseconds / Double(repetitions(extent))
    return isBrief ? (value * 1e6, "ns") : (value, "ms")
  }
}

/// What a workload leaves behind.
enum WorkloadEffect {
  /// The data as it was.
  case none
  /// The data of the run, in a store that was empty before.
  case fills
  /// Other data.
  case disturbs
}

/// A way to do the work without a framework.
enum Baseline: String, Codable, CaseIterable {
  /// The plain way.
  case raw
  /// Keeping each row as an object that is found by its ID.
  case keeping
  /// One request for what a naive program asks a thousand times.
  case atOnce
  /// The plain way with settings for speed: SQLite without locks against other threads, with a cache of 64 MB and a
  /// mapping of 256 MB, and what is sorted kept in memory. No goal is judged against it.
  case tuned
}

/// What a figure is to be at most: a ratio, a time, or both.
struct Goal: Hashable {
  var ratio: Double?
  /// What the ratio is to.
  var baseline = Baseline.raw
  /// The time of one operation of Roost's.
  var nanoseconds: Double?

  init(_ ratio: Double, to baseline: Baseline = .raw) {
    self.ratio = ratio
    self.baseline = baseline
  }

  init(ratio: Double? = nil, nanoseconds: Double) {
    self.ratio = ratio
    self.nanoseconds = nanoseconds
  }

  /// The goal as it stands in a table.
  var text: String {
    [
      ratio.map { Figures.goal($0) + (baseline == .raw ? "" : " of \(baseline.rawValue)") },
      nanoseconds.map { Figures.goal($0) + " ns" },
    ].compactMap(\.self).joined(separator: ", ")
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A measured piece of work: an implementation with Roost, and baselines that get the same result by calling the
/// engine directly.
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
  /// The name on the command line and in files, such as `W4`.
  var id: String { get }
  /// A short description; the number of ``count(_:)`` is put before it.
  var title: String { get }
  /// Returns the number of the things that the title names; nil where no number is needed.
  func count(_ extent: Extent) -> Int?
  /// The effect on the data, which must be restored for the next workload if it changes.
  var effect: WorkloadEffect { get }
  /// The baselines; the ratio is to the first one unless the goal names another.
  var baselines: [Baseline] { get }
  /// Whether the workload makes store requests, so that the store's settings matter.
  var asksStore: Bool { get }
  /// Whether the figures are nanoseconds and not milliseconds, because one operation is so short.
  var isBrief: Bool { get }
  /// Returns the goal for the ratio or the time on a store.
  func goal(_ store: StoreKind) -> Goal?
  /// The approximate milliseconds of one side with 100,000 persons, for the estimate of the remaining time.
  var expectedMilliseconds: Double { get }
  /// Returns the divisor of the times. One, unless the workload repeats an operation only to make it measurable.
  func repetitions(_ extent: Extent) -> Int
  /// Returns the number of operations by which counters and scale curves are divided: the number of objects, unless
  /// the workload does something else.
  func operations(_ extent: Extent) -> Int

  /// Runs the workload with Roost; only the code in `stage.measure` is measured.
  func run(on stage: Stage) throws -> Checksum
  /// Runs a baseline; nil when the engine has no equivalent.
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

  /// Returns the baselines on a store. SQLite has settings with a large effect, so there the plain way is also
  /// measured with them.
  func baselines(on store: StoreKind) -> [Baseline] {
    store.hasSettings && asksStore && baselines.contains(.raw) ? baselines + [.tuned] : baselines
  }

  /// Converts a measured time to a figure of the table.
  func figure(_ milliseconds: Double, _ extent: Extent) -> (value: Double, unit: String) {
    let value = milliseconds / Double(repetitions(extent))
    return isBrief ? (value * 1e6, "ns") : (value, "ms")
  }
}

/// The effect of a workload on the data.
enum WorkloadEffect {
  /// The data is unchanged.
  case none
  /// The workload fills an empty store with the data of the run.
  case fills
  /// The data is changed.
  case disturbs
}

/// A way to do the work without a framework.
enum Baseline: String, Codable, CaseIterable {
  /// The plain way.
  case raw
  /// Keeps each row as an object, found by its ID.
  case keeping
  /// Uses one request where a naive program uses a thousand.
  case atOnce
  /// The plain way with settings for speed: SQLite without mutexes, with a cache of 64 MB, a memory map of 256 MB,
  /// and temporary data in memory. No goal refers to it.
  case tuned
}

/// The upper limit of a figure: a ratio, a time, or both.
struct Goal: Hashable {
  var ratio: Double?
  /// The baseline of the ratio.
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

  /// The goal as text for a table.
  var text: String {
    [
      ratio.map { Figures.goal($0) + (baseline == .raw ? "" : " of \(baseline.rawValue)") },
      nanoseconds.map { Figures.goal($0) + " ns" },
    ].compactMap(\.self).joined(separator: ", ")
  }
}

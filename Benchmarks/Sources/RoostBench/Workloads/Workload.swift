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
  /// What it does, in a few words.
  var title: String { get }
  /// What it leaves behind, so that the next one finds the data.
  var effect: WorkloadEffect { get }
  /// What it is compared with; the first is the one of the ratio unless the goal names another.
  var baselines: [Baseline] { get }
  /// What the ratio is to be at most, on a store.
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
  var expectedMilliseconds: Double { 200 }
  func goal(_ store: StoreKind) -> Goal? { nil }
  func repetitions(_ extent: Extent) -> Int { 1 }
  func operations(_ extent: Extent) -> Int { extent.objects }
  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? { nil }
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
}

/// What a ratio is to be at most, by performance.md.
struct Goal: Hashable, Codable {
  var ratio: Double
  /// What the ratio is to.
  var baseline = Baseline.raw

  init(_ ratio: Double, to baseline: Baseline = .raw) {
    self.ratio = ratio
    self.baseline = baseline
  }
}

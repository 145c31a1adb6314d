// SPDX-License-Identifier: Apache-2.0

/// The data of a run: made once, so that making it is never measured.
final class SampleData {
  let extent: Extent
  /// The persons for the workloads that insert all at once; made on first use.
  private(set) lazy var persons = (0..<extent.objects).map {
    Sample($0, departments: extent.departments)
  }
  private(set) lazy var departmentNames = (0..<extent.departments).map(Sample.departmentName)
  /// The persons that are looked up one by one, in a random order.
  private(set) lazy var lookups = Scramble.choice(extent.lookups, below: extent.objects)

  init(_ extent: Extent) {
    self.extent = extent
  }

  /// Makes the persons with the numbers of a range, without keeping them.
  func persons(_ range: Range<Int>) -> [Sample] {
    range.map { Sample($0, departments: extent.departments) }
  }

  /// The lowest and highest age of a query of W4, ten of ninety years.
  func ages(ofQuery index: Int) -> (low: Int, high: Int) {
    let low = Scramble.below(80, index, 9)
    return (low, low + 9)
  }

  /// A person that is inserted after all others, by W10.
  func latecomer(_ index: Int) -> Sample {
    Sample(extent.objects + index, departments: extent.departments)
  }
}

/// The amount of work of a run.
struct Extent: Codable, Hashable {
  /// The number of persons.
  var objects: Int
  /// The number of departments: one for a hundred persons.
  var departments: Int
  /// The number of persons that W3 looks up.
  var lookups: Int
  /// The number of queries of W4.
  var queries: Int
  /// The number of persons that W5 changes and W8 deletes.
  var changes: Int
  /// The number of departments that W14 deletes.
  var removals: Int { max(1, departments / 10) }
  /// The number of saves of W10.
  var saves: Int
  /// The number of times W11 opens the store.
  var openings: Int

  /// Makes the extent that performance.md defines for 100,000 persons, and proportional ones for other numbers.
  init(objects: Int) {
    self.objects = objects
    departments = max(10, objects / 100)
    lookups = min(objects, 100_000)
    queries = objects > 1_000_000 ? 100 : 1_000
    changes = min(objects, max(100, objects / 10))
    saves = 1_000
    openings = 20
  }
}

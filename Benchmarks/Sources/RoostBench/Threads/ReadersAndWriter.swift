// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Contexts on separate threads: several read as fast as they can, and optionally one saves as fast as it can.
struct ReadersAndWriter {
  let store: StoreKind
  let container: PersistentContainer
  let extent: Extent
  /// The duration of the measurement.
  let duration: Duration

  /// The work of one thread.
  private struct Work: Sendable {
    var fetches: [Double] = []
    var saves: [Double] = []
  }

  func run(readers: Int, hasWriter: Bool) throws -> ConcurrencyResult {
    let log = SideBySide<Work>()
    let end = ContinuousClock.now + duration
    for reader in 0..<readers {
      log.run { [container] in try Self.read(container, seed: reader, until: end) }
    }
    if hasWriter {
      log.run { [container, extent] in try Self.write(container, extent, until: end) }
    }
    return result(try log.waitForAll(), readers: readers, hasWriter: hasWriter)
  }

  private static func read(
    _ container: PersistentContainer, seed: Int, until end: ContinuousClock.Instant
  ) throws -> Work {
    var work = Work()
    var sum = Checksum()
    let context = container.newBackgroundContext()
    let clock = ContinuousClock()
    var number = seed &* 1_000_003
    // At least once, however late the thread begins.
    repeat {
      number &+= 1
      let age = Int32(Scramble.below(90, number, 21))
      let request = FetchRequest<Person>(entityName: "Person").where { $0.age == age }.limit(100)
      let start = clock.now
      for person in try context.fetch(request) { sum.add(person) }
      work.fetches.append((clock.now - start).milliseconds)
    } while clock.now < end
    return withExtendedLifetime((context, sum)) { work }
  }

  private static func write(
    _ container: PersistentContainer, _ extent: Extent, until end: ContinuousClock.Instant
  ) throws -> Work {
    var work = Work()
    let context = container.newBackgroundContext()
    let departments = try context.fetch(FetchRequest<Department>(entityName: "Department"))
    let clock = ContinuousClock()
    var number = extent.objects + extent.saves
    repeat {
      number += 1
      let sample = Sample(number, departments: departments.count)
      let start = clock.now
      Stage.person(sample, in: context).department = departments[sample.department]
      try context.save()
      work.saves.append((clock.now - start).milliseconds)
    } while clock.now < end
    return withExtendedLifetime(context) { work }
  }

  private func result(
    _ work: [Work], readers: Int, hasWriter: Bool
  ) -> ConcurrencyResult {
    let fetches = work.flatMap(\.fetches)
    let saves = work.flatMap(\.saves)
    return ConcurrencyResult(
      store: store, readers: readers, hasWriter: hasWriter,
      fetchesPerSecond: Double(fetches.count) / duration.seconds,
      savesPerSecond: Double(saves.count) / duration.seconds,
      saveMilliseconds: Percentiles(saves), fetchMilliseconds: Percentiles(fetches))
  }
}

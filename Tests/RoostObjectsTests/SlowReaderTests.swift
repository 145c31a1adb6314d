// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("Slow readers of live results")
struct SlowReaderTests {
  private let stack: Stack

  init() throws {
    stack = try Stack()
    _ = try stack.seed(4)
  }

  /// How long the store is written, in seconds; `make soak` sets a higher number.
  private static let seconds =
    ProcessInfo.processInfo.environment["ROOST_SLOW_SECONDS"].flatMap { Double($0) } ?? 1

  @Test("a reader that works long on each update gets the others composed, in flat memory (L8)")
  func slowBody() async throws {
    let pause = Self.seconds > 10 ? 1.0 : 0.1
    var options = LiveOptions()
    options.minimumInterval = .zero
    let people = Employee.fetchRequest().sorted(by: \.name)
    let snapshots = stack.container.live(people, options: options) { $0.name }
    let writer = write()
    var list: [ObjectID] = []
    var count = 0
    var early: Int?
    for try await snapshot in snapshots {
      count += 1
      list = try #require(list.applying(snapshot.difference))
      #expect(list == snapshot.ids && list.count == snapshot.elements.count)
      if snapshot.elements.last == Self.last { break }
      // What the caches keep is there by then.
      if count == 5 { early = Self.residentBytes() }
      try await Task.sleep(for: .seconds(pause))
    }
    let late = Self.residentBytes()
    let saves = try await writer.value
    #expect(saves > count * 5, "most of \(saves) saves were composed")
    #expect(Double(count) <= Self.seconds / pause + 3)
    if let early, let late { #expect(late < early + 32 << 20, "\(early), later \(late)") }
    print("\(saves) saves, \(count) updates, resident \(early ?? 0), later \(late ?? 0)")
  }

  /// The name after all others.
  private static let last = "~"

  /// Adds, renames and removes people; the last save adds one who is sorted behind all others.
  ///
  /// - Returns: The number of saves.
  private func write() -> Task<Int, any Error> {
    let container = stack.container
    return Task.detached {
      let clock = ContinuousClock()
      let end = clock.now + .seconds(Self.seconds)
      let context = container.newBackgroundContext()
      var people: [Employee] = []
      var count = 0
      while clock.now < end {
        count += 1
        if people.count < 50 {
          people.append(Employee(context: context))
        } else {
          context.delete(people.remove(at: count % 50))
        }
        people[count % people.count].name = "P\(count &* 7_919 % 1_000)"
        people[count % people.count].age = 1
        try context.save()
      }
      let final = Employee(context: context)
      final.name = Self.last
      try context.save()
      return count
    }
  }

  /// The resident memory of the process; nil where the system does not tell it in a file.
  private static func residentBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
  }
}

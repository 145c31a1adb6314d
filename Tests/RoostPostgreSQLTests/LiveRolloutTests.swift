// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostStore
import Testing

@testable import RoostPostgreSQL

@Suite("Releases under load", .enabled(if: Servers.isThere))
struct LiveRolloutTests {
  private static func number(_ name: String, _ other: Double) -> Double {
    ProcessInfo.processInfo.environment[name].flatMap(Double.init) ?? other
  }

  /// `ROOST_ROLLOUT_SECONDS`, `ROOST_ROLLOUT_PROGRAMS`, `ROOST_ROLLOUT_PEOPLE` and `ROOST_ROLLOUT_SEED` set its
  /// extent.
  @Test(
    "programs of both versions lose nothing while shapes change, and nobody waits longer than a turn (M40, M42, M44)"
  )
  func load() throws {
    let description = try Servers.description()
    let people = Int(Self.number("ROOST_ROLLOUT_PEOPLE", 12_000))
    let seed = UInt64(Self.number("ROOST_ROLLOUT_SEED", 1))
    let rollout = LiveRollout(
      description, seconds: Self.number("ROOST_ROLLOUT_SECONDS", 3),
      programs: Int(Self.number("ROOST_ROLLOUT_PROGRAMS", 2)), seed: seed)
    try rollout.prepare(people: people, by: RawSession(try #require(Servers.uri)))
    let sampler = WaitSampler(
      try RawSession(try #require(Servers.uri)), schema: try description.schemaName)
    let failures = rollout.run()
    let waits = sampler.finish()
    #expect(failures == [])
    #expect(try rollout.findings(people: people) == [])
    #expect(rollout.entryCount > 0)
    #expect(waits.samples > 0)
    // This checks no speed, but the server's limit for lock holders that block others.
    #expect(waits.tables < Double(LockRetry.longestWait), "\(waits)")
    print("Seed \(seed): \(rollout.entryCount) entries; waits in ms: \(waits)")
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The instants of `ContinuousClock` as numbers, which can be kept in an atomic.
package enum RequestClock {
  private static let start = ContinuousClock.now

  /// The seconds from the first use of the clock to now.
  static var now: Double { seconds(of: .now) }

  /// The seconds from the first use of the clock to an instant.
  package static func seconds(of instant: ContinuousClock.Instant) -> Double {
    start.duration(to: instant) / .seconds(1)
  }

  /// The instant some seconds after the first use of the clock.
  package static func instant(at seconds: Double) -> ContinuousClock.Instant {
    start.advanced(by: .seconds(seconds))
  }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Ends the events of a main-queue context at the next turn of the main queue, as the run loop does for Core Data
/// (B97). An event that began off the main thread has to be ended explicitly.
final class EventEnding: @unchecked Sendable {
  // Sendable: it is touched on the main thread only, and the reference to the context is weak.

  private weak var context: ManagedObjectContext?
  private var isScheduled = false

  init(_ context: ManagedObjectContext) {
    self.context = context
  }

  /// Schedules the end of the event that begins now; one scheduled end serves all events until then.
  func schedule() {
    guard Thread.isMainThread, !isScheduled else { return }
    isScheduled = true
    DispatchQueue.main.async { [self] in
      isScheduled = false
      context?.processPendingChanges()
    }
  }
}
